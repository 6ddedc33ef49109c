// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// The corpus of the project; its expectations are told here in Go.
const corpus = "../../tests/cases/drift"

func TestCasesThatRender(t *testing.T) {
	cases := map[string]struct {
		path    string
		objects []string
		values  map[string]any // by pointer into the only object
	}{
		"71-quoted-boolean-words-stay-strings": {".", []string{"ConfigMap c71/words"}, map[string]any{
			"/data/DEBUG": "on", "/data/COUNTRY": "no", "/data/MODE": "0644", "/data/RATE": "1e3", "/data/NULL": "null", "/data/TILDE": "~",
		}},
		"75-unquoted-timestamp-annotation": {".", []string{"ConfigMap c75/cert-info"}, map[string]any{
			"/metadata/annotations/expiry": "2027-03-25T13:37:11Z", "/metadata/annotations/issued": "2026-03-25",
		}},
		"77-list-kinds-are-expanded": {"input", []string{"ConfigMap c77/a", "ConfigMap c77/b", "ServiceAccount c77/runner"}, nil},
		"79-anchors-and-merge-keys": {"input", []string{"ConfigMap c79/anchors"}, map[string]any{
			"/metadata/annotations": map[string]any{"team": "blue", "tier": "db"},
			"/metadata/labels":      map[string]any{"team": "blue", "tier": "web"},
			"/data/replica":         "db.example.com",
		}},
		"83-shell-variables-in-a-script": {"input", []string{"ConfigMap c83/script"}, map[string]any{
			"/data/run.sh": "set -eu\necho \"host ${HOSTNAME:-none} args $# dollar $$\"\ncurl \"${URL}/ping\"\n",
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fsys := folder(t, filepath.Join(corpus, name))
			if tc.path == "." {
				fsys = only(t, filepath.Join(corpus, name, "desired.yaml"))
			}
			result, err := render.Render(context.Background(), fsys, tc.path, render.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.objects, identities(result.Objects)); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
			for pointer, want := range tc.values {
				got, _, _ := unstructured.NestedFieldNoCopy(result.Objects[0].Object, strings.Split(pointer, "/")[1:]...)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", pointer, diff)
				}
			}
		})
	}
}

func TestCasesThatDoNotRender(t *testing.T) {
	cases := map[string]struct {
		kind error
		says []string
	}{
		"73-duplicate-mapping-key":        {manifest.ErrDuplicateKey, []string{"input/bad.yaml:9", "LEVEL"}},
		"68-failed-render-must-not-prune": {tree.ErrMissing, []string{"input/kustomization.yaml", "back.yaml"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := render.Render(context.Background(), folder(t, filepath.Join(corpus, name)), "input", render.Options{})
			wantHalt(t, err, halt.Stalled, contract.BuildFailedReason)
			if !errors.Is(err, tc.kind) {
				t.Errorf("want kind %v, got %v", tc.kind, err)
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("want %q in %v", part, err)
				}
			}
		})
	}
}

// Case 67: what a hook left behind, or not, is no part of what should stand.
func TestCaseHooksAreSetAside(t *testing.T) {
	fsys := only(t, filepath.Join(corpus, "67-helm-hook-job-deleted-after-success", "desired.yaml"))
	result, err := render.Render(context.Background(), fsys, ".", render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ConfigMap c67/flow"}, identities(result.Objects)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if len(result.Hooks) != 1 || result.Hooks[0].Event != "post-install,post-upgrade" {
		t.Errorf("want the hook listed with its event, got %+v", result.Hooks)
	}
}

// TestCRDInstallIsNoHook: of all hooks, the definitions that a chart of Helm 2
// has installed first are what should stand.
func TestCRDInstallIsNoHook(t *testing.T) {
	const definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b, annotations: {helm.sh/hook: %s}}\n"
	cases := map[string]struct {
		reason, text string
		hooks        int
	}{
		"definition":    {"installed first, and stays", fmt.Sprintf(definition, "crd-install"), 0},
		"among others":  {"it stays whatever else it is", fmt.Sprintf(definition, `"pre-upgrade, crd-install"`), 0},
		"another event": {"Helm makes this one anew each time", fmt.Sprintf(definition, "pre-install"), 1},
		"a job":         {"nothing but a definition can be one", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, annotations: {helm.sh/hook: crd-install}}\n", 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := render.Render(t.Context(), written(t, map[string]string{"d/a.yaml": tc.text, "d/b.yaml": objectB}), "d", render.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Hooks) != tc.hooks || len(result.Objects) != 2-tc.hooks {
				t.Errorf("%s: %d hooks, objects %v", tc.reason, len(result.Hooks), identities(result.Objects))
			}
			if tc.hooks == 0 && slices.ContainsFunc(result.Notes, func(n string) bool { return strings.Contains(n, "helm.sh/hook") }) {
				t.Errorf("%s, so nothing is to be noted: %v", tc.reason, result.Notes)
			}
		})
	}
}

// Case 84: a chart that makes up a password each time says so, field by field.
func TestCaseChartIsNotDeterministic(t *testing.T) {
	fsys := folder(t, filepath.Join(corpus, "84-chart-that-renders-a-new-password-each-time"))
	result, err := render.Render(context.Background(), fsys, "chart", render.Options{
		Namespace: "c84", Helm: render.HelmOptions{ReleaseName: "registry"},
	})
	if err != nil {
		t.Fatal(err)
	}
	secret := manifest.ID{Kind: "Secret", Namespace: "c84", Name: "registry"}
	if diff := cmp.Diff([]string{"/data/password", "/stringData/password"}, result.Unstable(secret)); diff != "" {
		t.Errorf("unstable fields (-want +got):\n%s", diff)
	}
	if !slices.ContainsFunc(result.Notes, func(note string) bool {
		return strings.Contains(note, "two renders of the same revision differ")
	}) {
		t.Errorf("want a warning, got %q", result.Notes)
	}
	if !result.Complete() {
		t.Errorf("the set of objects is the same in both renders, so absence is still a proof: %q", result.Incomplete)
	}
}
