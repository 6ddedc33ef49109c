// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

var errRefused = errors.New("refused")

// namespace has one ConfigMap, one Secret, and one object that may not be read.
func namespace(_ context.Context, kind, name string) (map[string][]byte, bool, error) {
	switch kind + "/" + name {
	case "ConfigMap/env":
		return map[string][]byte{"values.yaml": []byte("a: 1"), "REGION": []byte("eu")}, true, nil
	case "Secret/db":
		return map[string][]byte{"password": []byte("x")}, true, nil
	case "Secret/locked":
		return nil, false, errRefused
	}
	return nil, false, nil
}

func TestReadExternal(t *testing.T) {
	helm := func(refs ...v1alpha1.ValuesReference) *v1alpha1.Render {
		return &v1alpha1.Render{Helm: &v1alpha1.HelmRender{ValuesFrom: refs}}
	}
	tests := map[string]struct {
		reason string
		spec   *v1alpha1.Render
		want   render.External
		err    bool
	}{
		"nothing": {reason: "no spec refers to nothing"},
		"layers": {
			reason: "in order, those of a Secret tainted",
			spec:   helm(v1alpha1.ValuesReference{Kind: "ConfigMap", Name: "env"}, v1alpha1.ValuesReference{Kind: "Secret", Name: "db", ValuesKey: "password", TargetPath: "db.password"}),
			want: render.External{Layers: []render.Layer{
				{Name: "ConfigMap env, key values.yaml", Values: []byte("a: 1")},
				{Name: "Secret db, key password", Values: []byte("x"), TargetPath: "db.password", Tainted: true},
			}},
		},
		"missing":          {reason: "a render without it would be another one", spec: helm(v1alpha1.ValuesReference{Kind: "ConfigMap", Name: "nope"}), err: true},
		"missing optional": {reason: "as the spec says", spec: helm(v1alpha1.ValuesReference{Kind: "ConfigMap", Name: "nope", Optional: true})},
		"not readable":     {reason: "optional is about absence, not about rights", spec: helm(v1alpha1.ValuesReference{Kind: "Secret", Name: "locked", Optional: true}), err: true},
		"variables": {
			reason: "later ones win, and a variable of a Secret is tainted",
			spec:   &v1alpha1.Render{Substitute: &v1alpha1.Substitute{From: []v1alpha1.SubstituteReference{{Kind: "ConfigMap", Name: "env"}, {Kind: "Secret", Name: "db"}}}},
			want: render.External{Variables: render.Variables{
				Values:  map[string]string{"values.yaml": "a: 1", "REGION": "eu", "password": "x"},
				Tainted: map[string]bool{"password": true},
			}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ReadExternal(context.Background(), tc.spec, namespace)
			if (err != nil) != tc.err {
				t.Fatalf("%s: error %v, want one: %v", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); err == nil && diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
