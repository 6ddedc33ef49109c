// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/yaml"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
)

func differs(class api.Class, kind api.DifferenceKind, path, wanted, have string) api.DriftEntry {
	e := api.DriftEntry{
		Object: api.ObjectReference{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
		Class:  class, Kind: kind, Path: path, Drift: class != api.ClassController, DeclaredAt: "web.yaml:7",
	}
	if wanted != "" {
		e.Wanted = &api.Value{JSON: wanted}
	}
	if have != "" {
		e.Live = &api.Value{JSON: have}
	}
	return e
}

func by(e api.DriftEntry, role string, names ...string) api.DriftEntry {
	for _, name := range names {
		e.Managers = append(e.Managers, api.FieldManager{Name: name, Role: role})
	}
	return e
}

// TestSuggest: each difference has one way out, ready to be used.
func TestSuggest(t *testing.T) {
	const image = "/spec/template/spec/containers/[name=web]/image"
	const restarted = "/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt"
	secret := differs(api.ClassManual, api.Changed, "/data/PASSWORD", `"(masked 1)"`, `"(masked 2)"`)
	secret.Wanted.Masked, secret.Live.Masked = true, true
	namespace := differs(api.ClassRemoved, api.Added, "", "", "")
	namespace.Object = api.ObjectReference{Version: "v1", Kind: "Namespace", Name: "shop"}
	hidden := differs(api.ClassManual, api.Changed, image, `"a"`, `"b"`)
	hidden.Drift = false
	cases := map[string]struct {
		reason string
		entry  api.DriftEntry
		kind   api.SuggestionKind
		text   string
	}{
		"edited":             {"a hand edit becomes a commit", by(differs(api.ClassManual, api.Changed, image, `"a"`, `"b"`), "Human", "kubectl-edit"), api.SuggestGitPatch, "commit it: holdfast adopt app -n apps --object Deployment/web"},
		"removed by hand":    {"Git declares it", differs(api.ClassManual, api.Absent, "/metadata/labels/tier", `"back"`, ""), api.SuggestRevert, `kubectl patch deployment.apps web -n shop --type merge -p '{"metadata":{"labels":{"tier":"back"}}}'`},
		"edited secret":      {"no value in Git, none in a command", secret, api.SuggestRevert, "change it where the secret is kept, or set it back; Holdfast writes no secret into Git"},
		"restart":            {"going back would restart again", by(differs(api.ClassManual, api.Added, restarted, "", `"2026"`), "Human", "kubectl-rollout"), api.SuggestIgnore, "to hide such marks, add to spec.ignore of Application app:\n- target: {group: apps, kind: Deployment, name: web, namespace: shop}\n  paths: [\"" + restarted + "\"]\n  managers: [kubectl-rollout]\n  reason: \"kubectl-rollout owns this field\""},
		"hidden":             {"a rule has settled it", hidden, "", ""},
		"unowned":            {"nobody to ask, so it is either Git's or gone", differs(api.ClassUnowned, api.Added, "/spec/paused", "", "true"), api.SuggestGitPatch, "commit it: holdfast adopt app -n apps --object Deployment/web"},
		"contested":          {"of one object, at one path, while it owns it", by(differs(api.ClassContested, api.Changed, image, `"a"`, `"b"`), "Controller", "keel", "keel"), api.SuggestIgnore, "if that controller is to own the field, add to spec.ignore of Application app:\n- target: {group: apps, kind: Deployment, name: web, namespace: shop}\n  paths: [\"" + image + "\"]\n  managers: [keel]\n  reason: \"keel owns this field\""},
		"contested at large": {"a rule for a whole object is refused", by(differs(api.ClassContested, api.Changed, "/spec", `{}`, `{"a":1}`), "Controller", "keel"), api.SuggestRevert, `stop its writer, then kubectl patch deployment.apps web -n shop --type merge -p '{"spec":{}}'`},
		"pending":            {"what a sync would do", differs(api.ClassPending, api.Changed, image, `"it's"`, `"b"`), api.SuggestRevert, `deploy what Git says, by stage Sync or by the tool that deployed before; by hand: kubectl patch deployment.apps web -n shop --type strategic -p '{"spec":{"template":{"spec":{"containers":[{"image":"it'\''s","name":"web"}]}}}}'`},
		"missing":            {"it is there in Git", differs(api.ClassMissing, api.Absent, "", "", ""), api.SuggestRevert, "create it, by stage Sync or by the tool that deployed before; or take it out of Git (web.yaml:7)"},
		"dropped field":      {"Git dropped it", differs(api.ClassRemoved, api.Added, "/metadata/labels/a~1b", "", `"x"`), api.SuggestPrune, `kubectl patch deployment.apps web -n shop --type merge -p '{"metadata":{"labels":{"a/b":null}}}'`},
		"dropped object":     {"a candidate", differs(api.ClassRemoved, api.Added, "", "", ""), api.SuggestPrune, "if nobody needs it: kubectl delete deployment.apps web -n shop"},
		"dropped namespace":  {"it takes others along", namespace, api.SuggestPrune, "if nobody needs it, nor anything that is in it, by whomever: kubectl delete namespace shop"},
		"autoscaled":         {"Git does not pretend to", differs(api.ClassController, api.Changed, "/spec/replicas", "2", "6"), api.SuggestGitPatch, "take it out of Git (web.yaml:7), so that Git does not pretend to own it"},
		"explained":          {"nothing to settle", differs(api.ClassController, api.Added, "/metadata/annotations/x", "", `"6"`), "", ""},
		"place in a list":    {"kubectl cannot name it", differs(api.ClassPending, api.Changed, "/spec/args/2", `"a"`, `"b"`), api.SuggestRevert, "deploy what Git says, by stage Sync or by the tool that deployed before; by hand: set /spec/args/2 to what Git declares (web.yaml:7)"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind, text := report.Suggest(report.Name{Namespace: "apps", Name: "app"}, tc.entry)
			if kind != tc.kind {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.kind, kind)
			}
			if diff := cmp.Diff(tc.text, text); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestIgnoreRuleHolds: the suggested text is a rule that the spec takes.
func TestIgnoreRuleHolds(t *testing.T) {
	e := by(differs(api.ClassContested, api.Changed, `/spec/template/spec/containers/[name=web]/env/[name=A"B]/value`, `"a"`, `"b"`), "Controller", "keel", "yes")
	text, ok := report.IgnoreRule(e)
	if !ok {
		t.Fatal("no rule")
	}
	var rules []api.IgnoreRule
	if err := yaml.UnmarshalStrict([]byte(text), &rules); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	group := "apps"
	want := []api.IgnoreRule{{
		Target: api.IgnoreTarget{Group: &group, Kind: "Deployment", Name: "web", Namespace: "shop"},
		Paths:  []string{e.Path}, Managers: []string{"keel", "yes"}, Reason: "keel, yes owns this field",
	}}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := drift.CompileIgnore(rules); err != nil {
		t.Errorf("the rule is refused: %v", err)
	}
	for _, name := range []string{"nobody", "unrecorded"} {
		bare := differs(api.ClassContested, api.Changed, "/spec/paused", "", "true")
		if name == "unrecorded" {
			bare = by(bare, "Unrecorded", "ancient-changes")
		}
		if rule, ok := report.IgnoreRule(bare); ok {
			t.Errorf("%s: a rule without a manager would hide people's edits too: %s", name, rule)
		}
	}
}

// TestRevertRestores: the suggested patch, merged as the server merges it.
func TestRevertRestores(t *testing.T) {
	const live = `{"metadata":{"labels":{"tier":"front"}},"spec":{"template":{"spec":{"containers":[
		{"name":"log","image":"l"},{"name":"web","image":"w","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"containerPort":80,"protocol":"TCP","name":"x"}]}]}}}}`
	cases := map[string]struct {
		reason string
		entry  api.DriftEntry
		want   string
	}{
		"field":      {"of a map", differs(api.ClassPending, api.Changed, "/metadata/labels/tier", `"back"`, `"front"`), strings.Replace(live, "front", "back", 1)},
		"item field": {"only of that item", differs(api.ClassPending, api.Changed, "/spec/template/spec/containers/[name=web]/image", `"w2"`, `"w"`), strings.Replace(live, `"image":"w"`, `"image":"w2"`, 1)},
		"added item": {"it goes", differs(api.ClassRemoved, api.Added, "/spec/template/spec/containers/[name=web]/env/[name=B]", "", `{}`), strings.Replace(live, `,{"name":"B","value":"2"}`, "", 1)},
		"lost item":  {"it comes back", differs(api.ClassManual, api.Absent, "/spec/template/spec/containers/[name=web]/env/[name=C]", `{"name":"C","value":"3"}`, ""), strings.Replace(live, `{"name":"B","value":"2"}`, `{"name":"B","value":"2"},{"name":"C","value":"3"}`, 1)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			command, ok := report.Revert(tc.entry)
			if !ok {
				t.Fatal("no command")
			}
			_, patch, _ := strings.Cut(command, " -p '")
			patch = strings.ReplaceAll(strings.TrimSuffix(patch, "'"), `'\''`, "'")
			got, err := strategicpatch.StrategicMergePatch([]byte(live), []byte(patch), appsv1.Deployment{})
			if err != nil {
				t.Fatalf("%v: %s", err, patch)
			}
			var have, want appsv1.Deployment
			if err := json.Unmarshal(got, &have); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tc.want), &want); err != nil {
				t.Fatal(err)
			}
			// The server keeps no order among variables.
			if diff := cmp.Diff(want, have, cmp.Transformer("byName", func(list []corev1.EnvVar) map[string]string {
				m := map[string]string{}
				for _, v := range list {
					m[v.Name] = v.Value
				}
				return m
			})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	for name, e := range map[string]api.DriftEntry{
		"cut":         {Path: "/data/a", Wanted: &api.Value{JSON: `"x"`, Digest: "12", Line: 3}},
		"masked":      {Path: "/data/a", Wanted: &api.Value{JSON: `"x"`, Masked: true}},
		"masked live": {Path: "/data/a", Live: &api.Value{JSON: `"x"`, Masked: true}},
		"whole":       {},
		"long":        {Path: "/data/a", Wanted: &api.Value{JSON: `"` + strings.Repeat("x", 700) + `"`}},
		"custom list": {Path: "/spec/l/[name=a]/v", Object: api.ObjectReference{Group: "acme.dev"}, Wanted: &api.Value{JSON: "1"}},
		"two keys":    {Path: "/spec/ports/[port=53,protocol=UDP]/name", Object: api.ObjectReference{Kind: "Service", Name: "dns"}, Wanted: &api.Value{JSON: `"dns"`}},
		"set":         {Path: "/metadata/finalizers/[=a]", Wanted: &api.Value{JSON: `"a"`}},
	} {
		if command, ok := report.Revert(e); ok {
			t.Errorf("%s: no one command does it, and yet: %s", name, command)
		}
	}
}
