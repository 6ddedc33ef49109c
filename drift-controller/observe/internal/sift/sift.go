// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sift

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/live"
)

// SecretTypes is a field selector: these are Helm's and the token controller's
// own, and metadata does not tell a Secret's type.
const SecretTypes = "type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token"

// Kind says why objects of a kind are never strays; empty if they may be.
func Kind(kind schema.GroupKind) string {
	if reason, ok := groups[kind.Group]; ok {
		return reason
	}
	return kinds[kind]
}

// Object says why an object is no stray; empty if it may be one.
func Object(kind schema.GroupKind, obj metav1.Object) string {
	for _, r := range rules {
		if r.fits(kind, obj) {
			return r.reason
		}
	}
	return ""
}

// IsClaimOf says whether a volume claim belongs to one of the StatefulSets:
// its name is that of the template, of the set, and an ordinal. It has no
// owner reference, so that it outlives its set.
func IsClaimOf(name string, statefulSets []string) bool {
	base, ordinal, ok := cutLast(name, "-")
	if !ok || ordinal == "" || strings.Trim(ordinal, "0123456789") != "" {
		return false
	}
	for _, set := range statefulSets {
		if strings.HasSuffix(base, "-"+set) {
			return true
		}
	}
	return false
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// Creator guesses who created an object: the manager with the earliest write
// that is recorded, status aside. The API server keeps the last write of each
// manager, so one that came back later may hide behind another.
func Creator(obj metav1.Object) live.Manager {
	var first *metav1.ManagedFieldsEntry
	entries := obj.GetManagedFields()
	for i, e := range entries {
		if e.Subresource != "" {
			continue
		}
		if first == nil || timeOf(e).Before(timeOf(*first)) {
			first = &entries[i]
		}
	}
	if first == nil {
		return live.Manager{}
	}
	m := live.Manager{Name: first.Manager, Operation: string(first.Operation), APIVersion: first.APIVersion}
	if first.Time != nil {
		m.LastWrite = first.Time.Time
	}
	return m
}

// timeOf puts an entry without a time last: an apply that changed nothing and
// a scale leave none.
func timeOf(e metav1.ManagedFieldsEntry) time.Time {
	if e.Time == nil {
		return time.Unix(1<<40, 0)
	}
	return e.Time.Time
}
