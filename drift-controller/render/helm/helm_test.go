// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/helm"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// chart is a small chart; a test adds to it or replaces its files.
func chart(files map[string]string) map[string]string {
	all := map[string]string{
		"svc/Chart.yaml":             "apiVersion: v2\nname: users-api\nversion: 1.0.0\n",
		"svc/values.yaml":            "image: {tag: v1}\n",
		"svc/templates/env.yaml":     configMap("env", "tag: {{ .Values.image.tag | quote }}"),
		"svc/templates/_help.tpl":    "{{- define \"users.tag\" -}}\n{{ .Values.image.tag }}\n{{- end }}\n",
		"svc/templates/NOTES.txt":    "{{ .Release.Name }}",
		"svc/templates/.hidden.yaml": "{{ broken",
	}
	maps.Copy(all, files)
	return all
}

func configMap(name, data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata:\n  " + data + "\n"
}

func render(ctx context.Context, files map[string]string, options helm.Options) (helm.Output, error) {
	fsys := fstest.MapFS{}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return helm.Render(ctx, tree.New(fsys, tree.Limits{}, ctx.Err), "svc", options)
}

func data(t *testing.T, out helm.Output, name string) map[string]string {
	t.Helper()
	for _, object := range out.Objects {
		if object.GetName() == name {
			data, _, err := unstructured.NestedStringMap(object.Object, "data")
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatalf("no object %s", name)
	return nil
}

func TestValuesPrecedence(t *testing.T) {
	files := chart(map[string]string{
		"svc/values.yaml":        "a: chart\nb: chart\nc: chart\nd: chart\ne: {x: chart, z: chart}\ngone: chart\n",
		"svc/one.yaml":           "b: one\nc: one\nd: one\ne: {z: one}\n",
		"envs/two.yaml":          "c: two\nd: two\ngone: null\n",
		"svc/templates/env.yaml": configMap("env", `all: {{ printf "%s %s %s %s %s %s %v" .Values.a .Values.b .Values.c .Values.d .Values.e.x .Values.e.z .Values.gone | quote }}`),
	})
	out, err := render(context.Background(), files, helm.Options{
		ValuesFiles: []string{"one.yaml", "../envs/two.yaml"},
		Layers:      []helm.Layer{{Name: "ConfigMap x", Values: []byte("d: layer")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := data(t, out, "env")["all"]; got != "chart one two layer chart one <nil>" {
		t.Errorf("want each layer over the one before, got %q", got)
	}
}

func TestTargetPath(t *testing.T) {
	cases := map[string]struct{ value, want string }{
		"Text":   {"a,b=c", "string a,b=c"},
		"Number": {"12", "int64 12"},
		"Zeros":  {"012", "string 012"},
		"Bool":   {"true", "bool true"},
		"Quoted": {"'true'", "string true"},
		"Lines":  {"a\nb", "string a\nb"},
	}
	files := chart(map[string]string{"svc/templates/env.yaml": configMap("env", `v: {{ printf "%T %v" .Values.db.x .Values.db.x | toJson }}`)})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := render(context.Background(), files, helm.Options{Layers: []helm.Layer{{Name: "Secret db", TargetPath: "db.x", Values: []byte(tc.value)}}})
			if err != nil {
				t.Fatal(err)
			}
			if got := data(t, out, "env")["v"]; got != tc.want {
				t.Errorf("want %q, got %q", tc.want, got)
			}
		})
	}
}

func TestWhatTheChartSees(t *testing.T) {
	files := chart(map[string]string{
		"svc/templates/env.yaml": configMap("env", `all: {{ printf "%s %s %d %t %s %s %t %t" .Release.Name .Release.Namespace (int .Release.Revision) .Release.IsInstall .Release.Service .Capabilities.KubeVersion.Version (.Capabilities.APIVersions.Has "apps/v1/Deployment") (.Capabilities.APIVersions.Has "batch/v2") | quote }}`+
			"\n  looked: {{ lookup \"v1\" \"Secret\" \"a\" \"b\" | toJson | quote }}\n  dns: {{ getHostByName \"example.com\" | quote }}"),
	})
	out, err := render(context.Background(), files, helm.Options{
		ReleaseName: "api", Namespace: "users", KubeVersion: "v1.35.2", APIVersions: []string{"v1", "apps/v1", "apps/v1/Deployment"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"all": "api users 1 true Helm v1.35.2 true false", "looked": "{}", "dns": ""}
	if diff := cmp.Diff(want, data(t, out, "env")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "lookup is not run") {
		t.Errorf("want the lookup noted, got %q", out.Notes)
	}
}

func TestUnstable(t *testing.T) {
	id := func(kind, name string) manifest.ID { return manifest.ID{Kind: kind, Name: name} }
	cases := map[string]struct {
		reason   string
		template string
		want     map[manifest.ID][]string
	}{
		"Stable":  {"nothing to report", configMap("a", "k: v"), nil},
		"Random":  {"a value made up each time", configMap("a", "k: {{ randAlphaNum 12 }}\n  l: v"), map[manifest.ID][]string{id("ConfigMap", "a"): {"/data/k"}}},
		"Clock":   {"a value that depends on the day", configMap("a", `k: {{ now | date "2006-01-02" | quote }}`), map[manifest.ID][]string{id("ConfigMap", "a"): {"/data/k"}}},
		"Slash":   {"keys are escaped", configMap("a", "x/y: {{ uuidv4 }}"), map[manifest.ID][]string{id("ConfigMap", "a"): {"/data/x~1y"}}},
		"Name":    {"another object each time", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ now | date \"2006\" | quote }}}\n", map[manifest.ID][]string{id("ConfigMap", "2000"): {""}, id("ConfigMap", "2001"): {""}}},
		"Changes": {"a template that changes the values changes its own run only", configMap("a", `k: {{ $_ := set .Values "n" (add 1 (default 0 .Values.n)) }}{{ .Values.n | quote }}`), nil},
		"Variable": {"items of a keyed list stand by their names", `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: web, env: [{name: A, value: x}, {name: B, value: {{ uuidv4 }}}], args: [{{ uuidv4 }}]}]}}`,
			map[manifest.ID][]string{id("Pod", "a"): {"/spec/containers/[name=web]/args", "/spec/containers/[name=web]/env/[name=B]/value"}}},
		"Secret": {"a Secret keeps elsewhere what is declared", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {p: {{ uuidv4 }}}\n", map[manifest.ID][]string{id("Secret", "a"): {"/data/p", "/stringData/p"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := render(context.Background(), chart(map[string]string{"svc/templates/env.yaml": tc.template}), helm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.Unstable); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDependencies(t *testing.T) {
	sub := func(dir string) map[string]string {
		return map[string]string{
			dir + "/Chart.yaml":       "apiVersion: v2\nname: cache\nversion: 1.2.0\n",
			dir + "/values.yaml":      "size: 1\n",
			dir + "/templates/c.yaml": configMap("cache", "size: {{ .Values.size | quote }}"),
			dir + "/crds/c.yaml":      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: caches.example.com}\n",
		}
	}
	with := func(dependency string, files map[string]string) map[string]string {
		all := chart(files)
		all["svc/Chart.yaml"] += "dependencies:\n- {name: cache, version: ^1.0.0" + dependency + "}\n"
		all["svc/values.yaml"] += "cache: {size: 2}\n"
		return all
	}
	cases := map[string]struct {
		reason string
		files  map[string]string
		skip   bool
		want   []string
		says   string
	}{
		"Vendored": {"charts/ holds it", with("", sub("svc/charts/cache")), false, []string{"caches.example.com", "cache", "env"}, ""},
		"SkipCRDs": {"CRDs are left out on request", with("", sub("svc/charts/cache")), true, []string{"cache", "env"}, ""},
		"Local":    {"a chart beside it in the repository", with(", repository: \"file://../cache\"", sub("cache")), true, []string{"cache", "env"}, ""},
		"Missing":  {"nothing is downloaded", with(", repository: https://charts.example.com", nil), false, nil, "dependency cache ^1.0.0"},
		"Leaves":   {"nor read from elsewhere", with(", repository: \"file://../../../cache\"", nil), false, nil, "leaves the repository"},
		"SwitchedOff": {"what is switched off need not be there", func() map[string]string {
			files := with(", condition: cache.enabled", nil)
			files["svc/values.yaml"] = "image: {tag: v1}\ncache: {enabled: false}\n"
			return files
		}(), false, []string{"env"}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := render(context.Background(), tc.files, helm.Options{SkipCRDs: tc.skip})
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "svc/Chart.yaml") {
					t.Errorf("%s: want %q, got %v", tc.reason, tc.says, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, object := range out.Objects {
				names = append(names, object.GetName())
			}
			if diff := cmp.Diff(tc.want, names); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if slices.Contains(names, "cache") && data(t, out, "cache")["size"] != "2" {
				t.Error("the parent's values win over the dependency's")
			}
		})
	}
}

func TestChartFaults(t *testing.T) {
	cases := map[string]struct {
		reason  string
		files   map[string]string
		options helm.Options
		kind    error
		says    []string
	}{
		"NilPointer": {"template, line, expression and values files", map[string]string{
			"svc/templates/env.yaml": "a: 1\nb: 2\n" + configMap("env", "tag: {{ .Values.picture.tag }}"), "svc/values-prod.yaml": "x: 1\n",
		}, helm.Options{ValuesFiles: []string{"values-prod.yaml"}}, nil, []string{"svc/templates/env.yaml:7: nil pointer evaluating .Values.picture.tag; value files: values-prod.yaml"}},
		"Included": {"the line of the helper and that of its use", map[string]string{
			"svc/templates/env.yaml": configMap("env", "tag: {{ include \"users.tag\" . }}"), "svc/values.yaml": "{}\n",
		}, helm.Options{}, nil, []string{"svc/templates/_help.tpl:2: nil pointer evaluating .Values.image.tag", "included from svc/templates/env.yaml:5"}},
		"Required":     {"the chart's own words", map[string]string{"svc/templates/env.yaml": configMap("env", "tag: {{ required \"a host is needed\" .Values.host }}")}, helm.Options{}, nil, []string{"svc/templates/env.yaml:5: a host is needed"}},
		"Fail":         {"also when it gives up", map[string]string{"svc/templates/env.yaml": "{{ fail \"not like this\" }}"}, helm.Options{}, nil, []string{"svc/templates/env.yaml:1: not like this"}},
		"Parse":        {"a template that does not parse", map[string]string{"svc/templates/env.yaml": "a: b\nc: {{ if }}\n"}, helm.Options{}, nil, []string{"svc/templates/env.yaml:2: "}},
		"NoFunction":   {"a function that does not exist", map[string]string{"svc/templates/env.yaml": "{{ env \"HOME\" }}"}, helm.Options{}, nil, []string{"svc/templates/env.yaml:1: ", "env"}},
		"Output":       {"a line of the output is called so", map[string]string{"svc/templates/env.yaml": configMap("env", "a: b: c")}, helm.Options{}, manifest.ErrSyntax, []string{"svc/templates/env.yaml: line 5 of its output"}},
		"NoValuesFile": {"a values file that is not there", nil, helm.Options{ValuesFiles: []string{"values-prod.yaml"}}, tree.ErrMissing, []string{"svc/values-prod.yaml", "valuesFiles"}},
		"ValuesLeave":  {"or not in the repository", nil, helm.Options{ValuesFiles: []string{"../../x.yaml"}}, tree.ErrLeaves, []string{"../../x.yaml"}},
		"BadValues":    {"or no YAML", map[string]string{"svc/p.yaml": "a: b: c\n"}, helm.Options{ValuesFiles: []string{"p.yaml"}}, manifest.ErrSyntax, []string{"svc/p.yaml:1"}},
		"NoMapping":    {"or no mapping", map[string]string{"svc/p.yaml": "- a\n"}, helm.Options{ValuesFiles: []string{"p.yaml"}}, nil, []string{"svc/p.yaml"}},
		"Schema":       {"values that do not fit the schema", map[string]string{"svc/values.schema.json": `{"properties": {"image": {"properties": {"tag": {"type": "integer"}}}}}`}, helm.Options{}, nil, []string{"svc/values.schema.json", "/image/tag"}},
		"KubeVersion":  {"a cluster that is too old", map[string]string{"svc/Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\nkubeVersion: \">=1.99.0\"\n"}, helm.Options{KubeVersion: "v1.30.0"}, nil, []string{"svc/Chart.yaml", "1.99.0", "v1.30.0"}},
		"Library":      {"a chart that renders nothing", map[string]string{"svc/Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\ntype: library\n"}, helm.Options{}, nil, []string{"svc/Chart.yaml", "library"}},
		"NoName":       {"a chart without a name", map[string]string{"svc/Chart.yaml": "apiVersion: v2\nversion: 1.0.0\n"}, helm.Options{}, nil, []string{"svc"}},
		"Loop":         {"a loop without end", map[string]string{"svc/templates/env.yaml": "{{ range 1000000000 }}{{ end }}"}, helm.Options{}, nil, []string{"svc", "endless"}},
		"Recursion":    {"helpers that call each other twice", map[string]string{"svc/templates/env.yaml": "{{ define \"a\" }}{{ include \"b\" . }}{{ include \"b\" . }}{{ end }}{{ define \"b\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}"}, helm.Options{}, nil, []string{"svc"}},
		"Repeat":       {"text without end", map[string]string{"svc/templates/env.yaml": "{{ repeat 1000000000 \"abcdefgh\" }}"}, helm.Options{}, nil, []string{"repeat"}},
		"Until":        {"a list without end", map[string]string{"svc/templates/env.yaml": "{{ until 1000000000 | toJson }}"}, helm.Options{}, nil, []string{"until"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := render(context.Background(), chart(tc.files), tc.options)
			if err == nil {
				t.Fatalf("%s: want an error", tc.reason)
			}
			if tc.kind != nil && !errors.Is(err, tc.kind) {
				t.Errorf("%s: want kind %v, got %v", tc.reason, tc.kind, err)
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: want %q in %v", tc.reason, part, err)
				}
			}
			t.Log(err)
		})
	}
}

func TestNotes(t *testing.T) {
	out, err := render(context.Background(), chart(map[string]string{
		"svc/p.yaml":             "image: {tag: v1}\nimage: {tag: v2}\n",
		"svc/templates/env.yaml": configMap("env", "tag: {{ .Values.image.tag }}\n  tag: last"),
		"svc/values.schema.json": `{"$ref": "https://example.com/schema.json"}`,
	}), helm.Options{ValuesFiles: []string{"p.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`svc/p.yaml: key "image" is set in line 1 and again in line 2: the last one counts`,
		`svc/values.schema.json: the schema refers to one elsewhere, which is not fetched: the values were not validated`,
		`svc/templates/env.yaml: output: key "tag" is set in line 5 and again in line 6: the last one counts`,
	}
	if diff := cmp.Diff(want, out.Notes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := data(t, out, "env")["tag"]; got != "last" {
		t.Errorf("want what Helm would have deployed, got %q", got)
	}
}

func TestTimeIsUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	slow := chart(map[string]string{"svc/templates/env.yaml": "{{ range 900000 }}{{ genPrivateKey \"rsa\" }}{{ end }}"})
	_, err := render(ctx, slow, helm.Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("want the deadline, got %v", err)
	}
}
