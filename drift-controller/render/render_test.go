// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

var golden = flag.Bool("golden", false, "rewrite the golden files")

const repositories = "../../tests/testdata/repos"

// folder opens a folder as an artifact is opened: links cannot leave it.
func folder(t *testing.T, dir string) fs.FS {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root.FS()
}

// written makes a folder of the given files.
func written(t *testing.T, files map[string]string) fs.FS {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder(t, dir)
}

// text is what golden files hold: the objects, and what was said about them.
func text(t *testing.T, result render.Result) string {
	t.Helper()
	var out strings.Builder
	for _, object := range result.Objects {
		content, err := yaml.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("--- # " + object.Source.String() + "\n" + string(content))
	}
	out.WriteString("... # " + string(result.Kind) + "\n")
	for _, hook := range result.Hooks {
		out.WriteString("# hook " + hook.ID.String() + " " + hook.Event + " " + hook.Source.String() + "\n")
	}
	for _, note := range result.Notes {
		out.WriteString("# note " + note + "\n")
	}
	for _, reason := range result.Incomplete {
		out.WriteString("# incomplete " + reason + "\n")
	}
	return out.String()
}

func TestRepositories(t *testing.T) {
	values := func(env string) render.Options {
		return render.Options{Namespace: "users", Helm: render.HelmOptions{
			ReleaseName: "users-api", ValuesFiles: []string{"values-" + env + ".yaml"},
		}}
	}
	cases := map[string]struct {
		reason  string
		repo    string
		path    string
		options render.Options
	}{
		"plain":            {"a folder of YAML and JSON, hidden files left out", "plain", "deploy", render.Options{}},
		"overlays-dev":     {"an overlay on a base beside it", "overlays", "overlays/dev", render.Options{}},
		"overlays-staging": {"a component and a merged generator", "overlays", "./overlays/staging/", render.Options{}},
		"overlays-prod":    {"patches that take a field out", "overlays", "overlays/prod", render.Options{}},
		"overlays-override": {"the Application's wishes come on top", "overlays", "overlays/dev", render.Options{Kustomize: v1alpha1.KustomizeRender{
			Namespace: "orders-preview", NamePrefix: "pr17-",
			Images:     []v1alpha1.KustomizeImage{{Name: "registry.example.com/shop/orders", NewTag: "pr-17"}},
			Components: []string{"../../components/metrics"},
			Patches: []v1alpha1.KustomizePatch{{
				Target: &v1alpha1.KustomizeTarget{Kind: "Deployment", Name: "orders-worker"},
				Patch:  "- op: replace\n  path: /spec/replicas\n  value: 0",
			}},
		}, Kind: render.Kustomize}},
		"chart-dev":     {"a dependency switched off", "chart", "services/users-api", values("dev")},
		"chart-staging": {"a dependency from charts/", "chart", "services/users-api", values("staging")},
		"chart-prod":    {"the release of the incident", "chart", "services/users-api", values("prod")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := render.Render(context.Background(), folder(t, filepath.Join(repositories, tc.repo)), tc.path, tc.options)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			got, file := text(t, result), filepath.Join("testdata", name+".golden")
			if *golden {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got; refresh with -golden):\n%s", tc.reason, diff)
			}
			if !result.Complete() {
				t.Errorf("want a complete render, got %q", result.Incomplete)
			}
		})
	}
}

func TestOrigin(t *testing.T) {
	result, err := render.Render(context.Background(), folder(t, filepath.Join(repositories, "chart")), "services/users-api", render.Options{
		Namespace: "users",
		Helm: render.HelmOptions{ReleaseName: "users-api", ValuesFiles: []string{"values-prod.yaml"}, Layers: []render.Layer{
			{Name: "spec.render.helm.values", Values: []byte(`{"env": {"CACHE_TTL": "60"}}`)},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]manifest.Object{}
	for _, object := range result.Objects {
		byID[object.ID().String()] = object
	}
	cases := map[string]struct {
		reason string
		object string
		key    string
		value  any
		want   string
	}{
		"ValuesFile":  {"the file of the environment gave it", "ConfigMap users-api-env", "DB_HOST", "pgbouncer.users.svc.cluster.local", "values-prod.yaml: env.DB_HOST"},
		"ChartValues": {"the chart's own values gave it", "ConfigMap users-api-env", "DB_NAME", "users", "values.yaml: env.DB_NAME"},
		"Inline":      {"the Application gave it", "ConfigMap users-api-env", "CACHE_TTL", "60", "spec.render.helm.values: env.CACHE_TTL"},
		"Number":      {"a number is printed as Helm prints it", "HorizontalPodAutoscaler.autoscaling users-api", "max", int64(12), "values-prod.yaml: autoscaling.max"},
		"Subchart":    {"the values file of the dependency", "Deployment.apps users-api-cache", "maxMemory", "64mb", "charts/cache/values.yaml: maxMemory"},
		"Ambiguous":   {"two values look alike: no guess", "CronJob.batch users-api-digest", "min", int64(99), "services/users-api/templates/cron.yaml"},
		"Template":    {"no value has this key", "Deployment.apps users-api-worker", "replicas", int64(2), "values-prod.yaml: worker.replicas"},
		"Computed":    {"the template made it", "Deployment.apps users-api", "image", "registry.example.com/users/users-api:4.7.2", "services/users-api/templates/api.yaml"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := result.Origin(byID[tc.object], tc.key, tc.value); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// only gives a tree with one file in it.
func only(t *testing.T, file string) fs.FS {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, map[string]string{filepath.Base(file): string(content)})
}

func identities(objects []manifest.Object) []string {
	var all []string
	for _, object := range objects {
		all = append(all, object.ID().String())
	}
	return all
}

func wantHalt(t *testing.T, err error, kind halt.Kind, reason string) {
	t.Helper()
	var h *halt.Error
	if !errors.As(err, &h) {
		t.Fatalf("want a halt, got %v", err)
	}
	if h.Kind != kind || h.Reason != reason {
		t.Errorf("want %s %s, got %s %s: %v", kind, reason, h.Kind, h.Reason, err)
	}
}
