// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestRefused: what cannot be meant is refused when it is written, by a message
// that names the field, and not found out at night.
func TestRefused(t *testing.T) {
	c := installed(t)
	rule := func(paths []any, extra map[string]any) []any {
		r := map[string]any{"target": map[string]any{"kind": "Deployment"}, "paths": paths, "reason": "why"}
		for key, value := range extra {
			r[key] = value
		}
		return []any{r}
	}
	noReason := map[string]any{"target": map[string]any{"kind": "Deployment"}, "paths": []any{"/spec/replicas"}}
	tests := map[string]struct {
		reason   string
		resource schema.GroupVersionResource
		path     string // what is changed in a valid object
		value    any    // nil: the field is removed
		field    string // what the refusal names; empty: path
	}{
		"two renderers": {
			"an application has one renderer", applications,
			"spec.render", map[string]any{"helm": map[string]any{}, "plain": map[string]any{}}, "",
		},
		"unknown stage":         {"a stage is one of four words", applications, "spec.stage", "Observed", ""},
		"unknown source kind":   {"Bucket is not served", applications, "spec.sourceRef.kind", "Bucket", ""},
		"no source":             {"nothing to compare with", applications, "spec.sourceRef", nil, ""},
		"path leaves the tree":  {"an artifact ends at its root", applications, "spec.path", "services/../../etc", ""},
		"absolute path":         {"paths are relative to the artifact", applications, "spec.path", "/services", ""},
		"interval too short":    {"a safety net is no poll", applications, "spec.interval", "1s", ""},
		"interval is no time":   {"a word is no duration", applications, "spec.interval", "often", ""},
		"unknown gate":          {"the gate has three positions", applications, "spec.secrets", map[string]any{"gate": "On"}, "spec.secrets.gate"},
		"unknown deletion":      {"objects are kept or pruned", applications, "spec.deletionPolicy", "Orphan", ""},
		"unknown backlog":       {"three ways to treat a backlog", applications, "spec.heal", map[string]any{"backlog": "Ask"}, "spec.heal.backlog"},
		"too long a name":       {"pages are named after it", applications, "metadata.name", strings.Repeat("a", 53), ""},
		"ignore without reason": {"a rule that nobody explains hides a fault", applications, "spec.ignore", []any{noReason}, "spec.ignore[0].reason"},
		"ignore with empty reason": {
			"an empty reason is none", applications,
			"spec.ignore", rule([]any{"/spec/replicas"}, map[string]any{"reason": ""}), "spec.ignore[0].reason",
		},
		"ignore of a whole object": {"it would hide every edit", applications, "spec.ignore", rule([]any{"/spec"}, nil), "spec.ignore[0].paths"},
		"ignore of the root":       {"it would hide every edit", applications, "spec.ignore", rule([]any{"/"}, nil), "spec.ignore[0].paths"},
		"ignore by no pointer":     {"dots are no JSON pointer", applications, "spec.ignore", rule([]any{"spec.replicas"}, nil), "spec.ignore[0].paths"},
		"ignore without paths":     {"a rule names its fields", applications, "spec.ignore", rule([]any{}, nil), "spec.ignore[0].paths"},
		"too many rules":           {"a list without an end is a broad ignore", applications, "spec.ignore", repeat(65, rule([]any{"/spec/replicas"}, nil)[0]), "spec.ignore"},
		"stray kept for no reason": {
			"somebody answers for it", applications,
			"spec.strays", map[string]any{"keep": []any{map[string]any{"kind": "ConfigMap"}}}, "spec.strays.keep[0].reason",
		},
		"budget above all":    {"there is no 150 percent", applications, "spec.prune", map[string]any{"maxDeletions": "150%"}, "spec.prune.maxDeletions"},
		"budget below zero":   {"a count is no debt", applications, "spec.prune", map[string]any{"maxDeletions": int64(-1)}, "spec.prune.maxDeletions"},
		"budget is no number": {"a word is no budget", applications, "spec.prune", map[string]any{"maxDeletions": "few"}, "spec.prune.maxDeletions"},

		"approval without an end":     {"an approval lasts until a date", approvals, "spec.until", nil, ""},
		"approval of no digest":       {"it approves one plan", approvals, "spec.digest", "sha256:7d0e", ""},
		"approval of another hash":    {"plans are named by sha256", approvals, "spec.digest", "md5:" + strings.Repeat("0a", 16), ""},
		"approval by nobody":          {"somebody answers for it", approvals, "spec.by", "", ""},
		"approval for no reason":      {"the reason is read next year", approvals, "spec.reason", nil, ""},
		"emergency without an end":    {"an exception has an end", breakGlasses, "spec.until", nil, ""},
		"emergency that ends in vain": {"soon is no date", breakGlasses, "spec.until", "soon", ""},
		"emergency without a reason":  {"an exception has a reason", breakGlasses, "spec.reason", nil, ""},
		"emergency without an owner":  {"an exception has an owner", breakGlasses, "spec.requestedBy", nil, ""},
		"emergency for nothing":       {"it has a scope", breakGlasses, "spec.application", nil, ""},

		"project for nobody":    {"an empty list reads like all", projects, "spec.applicationNamespaces", []any{}, ""},
		"project of no stage":   {"a stage is one of four words", projects, "spec.maxStage", "All", ""},
		"unknown end":           {"Hold or Revert", projects, "spec.breakGlass", map[string]any{"onExpiry": "Heal"}, "spec.breakGlass.onExpiry"},
		"schedule of four":      {"cron has five fields", projects, "spec.windows", []any{window("0 0 * *")}, "spec.windows[0].schedule"},
		"too many destinations": {"no object grows with the estate", projects, "spec.destinations", repeat(257, map[string]any{"namespace": "a"}), ""},

		"rollout without waves": {"nothing would ever rise", stageRollouts, "spec.waves", []any{}, ""},
		"rollout to nowhere":    {"a stage is one of four words", stageRollouts, "spec.target", "Full", ""},
		"negative gate":         {"a count is no debt", stageRollouts, "spec.gates", map[string]any{"maxUntriagedDrift": int64(-1)}, "spec.gates.maxUntriagedDrift"},

		"unknown severity": {
			"four words", secretPolicies,
			"spec.severities", []any{map[string]any{"rule": "plain-secret-stringdata", "severity": "Fatal"}}, "spec.severities[0].severity",
		},
		"exception without an owner": {
			"an exception has an owner", secretPolicies,
			"spec.exceptions", []any{map[string]any{"rule": "plain-secret-stringdata", "reason": "fixture"}}, "spec.exceptions[0].owner",
		},
		"waiver of nothing": {
			"it waives one finding", secretPolicies,
			"spec.waivers", []any{map[string]any{"owner": "anna", "reason": "rotated"}}, "spec.waivers[0].fingerprint",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := minimal(test.resource)
			set(t, object, test.path, test.value)
			_, err := try(t.Context(), c.AdminConfig(), test.resource, object)
			want := test.field
			if want == "" {
				want = test.path
			}
			if !names(err, want) {
				t.Errorf("%s: got fields %q from %v, want a refusal that names %s", test.reason, causes(err), err, want)
			}
		})
	}
}

// names tells whether a refusal names a field or one of its items. The server
// gives a rule about metadata no field, so there its message has to.
func names(err error, field string) bool {
	if strings.HasPrefix(field, "metadata.") {
		return apierrors.IsInvalid(err) && strings.Contains(err.Error(), field)
	}
	return slices.ContainsFunc(causes(err), func(named string) bool {
		return named == field || strings.HasPrefix(named, field+"[")
	})
}

func window(schedule string) map[string]any {
	return map[string]any{"schedule": schedule, "duration": "1h", "maxStage": "Sync"}
}

// TestAccepted: the edges of what is meant.
func TestAccepted(t *testing.T) {
	c := installed(t)
	tests := map[string]struct {
		reason   string
		resource schema.GroupVersionResource
		path     string
		value    any
	}{
		"minimal application":   {"a source is enough", applications, "spec.path", nil},
		"longest name":          {"52 characters", applications, "metadata.name", strings.Repeat("a", 52)},
		"dots within a name":    {"only a whole step leaves a folder", applications, "spec.path", "services/a..b"},
		"budget of nothing":     {"prune nothing today", applications, "spec.prune", map[string]any{"maxDeletions": int64(0)}},
		"budget in percent":     {"a tenth", applications, "spec.prune", map[string]any{"maxDeletions": "10%"}},
		"one renderer":          {"the choice is explicit", applications, "spec.render", map[string]any{"plain": map[string]any{}}},
		"shortest interval":     {"ten seconds", applications, "spec.interval", "10s"},
		"minimal approval":      {"all fields are required", approvals, "metadata.name", "a"},
		"minimal emergency":     {"whole application", breakGlasses, "metadata.name", "a"},
		"minimal project":       {"locked down", projects, "metadata.name", "a"},
		"minimal rollout":       {"one wave", stageRollouts, "metadata.name", "a"},
		"minimal secret policy": {"the defaults of the catalogue", secretPolicies, "metadata.name", "a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := minimal(test.resource)
			set(t, object, test.path, test.value)
			if _, err := try(t.Context(), c.AdminConfig(), test.resource, object); err != nil {
				t.Errorf("%s: %v", test.reason, err)
			}
		})
	}
}

// TestDefaults: what a field that was left out means stands in the stored
// object, where everybody can read it.
func TestDefaults(t *testing.T) {
	c := installed(t)
	tests := map[string]struct {
		reason   string
		resource schema.GroupVersionResource
		give     map[string]any // added to the spec
		want     map[string]any // of the spec, beside what was given
	}{
		"application": {
			"it observes its own namespace", applications, nil,
			map[string]any{"stage": "Observe", "path": ".", "deletionPolicy": "Keep", "interval": "1h"},
		},
		"policies of an application": {
			"a policy that is named has all of its parts", applications,
			map[string]any{"heal": map[string]any{}, "prune": map[string]any{}, "secrets": map[string]any{}, "strays": map[string]any{}},
			map[string]any{
				"heal": map[string]any{"backlog": "Approve"}, "prune": map[string]any{"maxDeletions": "10%", "quarantine": "10m"},
				"secrets": map[string]any{"gate": "Warn"}, "strays": map[string]any{"report": true},
				"stage": "Observe", "path": ".", "deletionPolicy": "Keep", "interval": "1h",
			},
		},
		"project": {"no stage is granted by leaving it out", projects, nil, map[string]any{"maxStage": "Observe"}},
		"gates of a rollout": {
			"a gate is closed until it is opened", stageRollouts, map[string]any{"gates": map[string]any{}},
			map[string]any{"gates": map[string]any{"soak": "24h", "maxUntriagedDrift": int64(0), "healthy": true, "secretsValid": true}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := minimal(test.resource)
			given := object.Object["spec"].(map[string]any)
			want := map[string]any{}
			for key, value := range given {
				want[key] = value
			}
			for key, value := range test.give {
				given[key] = value
			}
			for key, value := range test.want {
				want[key] = value
			}
			stored, err := try(t.Context(), c.AdminConfig(), test.resource, object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, stored.Object["spec"]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}
