// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// release stores a manifest as Helm stores it: JSON, compressed, base64 twice,
// in a Secret of its own type in the namespace of the release.
func (s *Stage) release(ctx context.Context, c casefile.Case, r casefile.Release) error {
	namespaces := c.Namespaces()
	if len(namespaces) == 0 {
		return fmt.Errorf("release %s: the case has no namespace to keep its record in", r.Name)
	}
	record, err := encodeRelease(r, namespaces[0])
	if err != nil {
		return fmt.Errorf("release %s: %w", r.Name, err)
	}
	secret := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1",
		"metadata": map[string]any{
			"name":      fmt.Sprintf("sh.helm.release.v1.%s.v%d", r.Name, r.Revision),
			"namespace": namespaces[0],
			"labels": map[string]any{
				"owner": "helm", "name": r.Name, "status": r.Status, "version": strconv.Itoa(r.Revision),
			},
		},
		"data": map[string]any{"release": base64.StdEncoding.EncodeToString([]byte(record))},
	}}
	resource, err := s.resource(secret)
	if err != nil {
		return err
	}
	_, err = resource.Create(ctx, secret, metav1.CreateOptions{FieldManager: "helm"})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("record of release %s: %w", r.Name, err)
	}
	return nil
}

func encodeRelease(r casefile.Release, namespace string) (string, error) {
	text, err := json.Marshal(map[string]any{
		"name": r.Name, "namespace": namespace, "version": r.Revision, "manifest": r.Manifest,
		"info": map[string]any{"status": r.Status},
	})
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}
