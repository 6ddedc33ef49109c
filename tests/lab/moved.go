// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Unmoved says whether a condition has had one status all the time since an
// Application was read. A look now and then could miss the moment that is
// wrong, and a watch does not outlive the API server; but whoever writes a
// condition with another status leaves the time of it, also when the old status
// comes back.
func (s *Space) Unmoved(ctx context.Context, before *api.Application, condition string) error {
	after, err := s.Application(ctx, before.Name)
	if err != nil {
		return err
	}
	was := meta.FindStatusCondition(before.Status.Conditions, condition)
	is := meta.FindStatusCondition(after.Status.Conditions, condition)
	if was == nil || is == nil {
		return fmt.Errorf("condition %s is not there: before %v, after %v", condition, was, is)
	}
	if was.Status != is.Status || !was.LastTransitionTime.Equal(&is.LastTransitionTime) {
		return fmt.Errorf("%s was %s since %s, and is %s since %s:\n%s", condition,
			was.Status, was.LastTransitionTime, is.Status, is.LastTransitionTime, s.StatusText(after))
	}
	return nil
}
