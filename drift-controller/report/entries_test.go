// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

var (
	now   = time.Date(2026, 11, 30, 12, 0, 0, 5, time.UTC)
	today = metav1.NewTime(now.Truncate(time.Second))
	wrote = metav1.NewTime(now.Add(-200 * time.Hour).Truncate(time.Second))
	key   = mask.Key("0123456789abcdef0123456789abcdef")
)

func id(kind, name string) manifest.ID {
	return manifest.ID{Kind: kind, Namespace: "shop", Name: name}
}

func reference(kind, name string) api.ObjectReference {
	return api.ObjectReference{Version: "v1", Kind: kind, Namespace: "shop", Name: name}
}

func decode(t *testing.T, text string) manifest.Object {
	t.Helper()
	objects, err := manifest.Decode("cm.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects[0]
}

// owned books fields of an object under a manager.
func owned(o manifest.Object, manager, fields string) manifest.Object {
	operation := metav1.ManagedFieldsOperationUpdate
	if manager == contract.DriftFieldManager {
		operation = metav1.ManagedFieldsOperationApply
	}
	o.SetManagedFields(append(o.GetManagedFields(), metav1.ManagedFieldsEntry{
		Manager: manager, Operation: operation, APIVersion: o.GetAPIVersion(), Time: &wrote,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}))
	return o
}

const header = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env, namespace: shop}\n"

// restored is a judged ConfigMap that somebody edited with kubectl; the server
// would store more than Git declares.
func restored(t *testing.T, stored, have, fields string) drift.Object {
	t.Helper()
	return edited(t, stored, have, fields, "kubectl-edit")
}

// edited is a judged ConfigMap: Git says data, live has its own; fields are the
// keys that Git declares, and manager owns all that live has.
func edited(t *testing.T, git, have, fields, manager string) drift.Object {
	t.Helper()
	desired := decode(t, header+git)
	return drift.Judge(drift.Input{
		Desired: desired, Types: compare.Types{Schema: managedfields.NewDeducedTypeConverter()}, Writers: writers.BuiltIn(), Now: now, Mask: mask.Scope{Key: key},
		Observation: live.Observation{
			ID: desired.ID(), Precision: api.PrecisionRestored,
			Live:     owned(decode(t, header+have), manager, `{"f:data":{"f:HOST":{},"f:PORT":{},"f:PW_TOKEN":{}}}`).Unstructured,
			Restored: owned(decode(t, header+git), contract.DriftFieldManager, fields).Unstructured,
		},
	})
}

func input(objects ...drift.Object) report.Input {
	return report.Input{Application: report.Name{Namespace: "shop", Name: "web"}, Stage: api.StageObserve, Objects: objects, Writers: writers.BuiltIn(), Now: now}
}

func TestEntriesOfObjects(t *testing.T) {
	hand := []api.FieldManager{{Name: "kubectl-edit", Operation: "Update", LastWrite: &wrote, Role: "Human"}}
	cases := map[string]struct {
		reason string
		object drift.Object
		want   []api.DriftEntry
	}{
		"in sync": {"nothing to say", drift.Object{ID: id("ConfigMap", "a"), Verdict: api.VerdictInSync}, nil},
		"missing": {
			"where it is declared, and what would happen", drift.Object{ID: id("ConfigMap", "a"), Version: "v1", Verdict: api.VerdictMissing, Message: "declared, not in the cluster", Source: manifest.Source{File: "a.yaml", Line: 3}},
			[]api.DriftEntry{{
				Object: reference("ConfigMap", "a"), Kind: api.Absent, Class: api.ClassMissing, Drift: true, FirstSeen: today, DeclaredAt: "a.yaml:3",
				Explanation: "declared, not in the cluster", Next: "at Observe nothing is written; from Sync on it would be created",
				SuggestionKind: api.SuggestRevert, Suggestion: "create it, by stage Sync or by the tool that deployed before; or take it out of Git (a.yaml:3)",
			}},
		},
		"unknown": {
			"why, and that nothing is done", drift.Object{ID: id("ConfigMap", "a"), Version: "v1", Verdict: api.VerdictUnknown, Reason: "Forbidden", Message: "no right"},
			[]api.DriftEntry{{Object: reference("ConfigMap", "a"), Class: api.ClassUnknown, FirstSeen: today, Explanation: "Forbidden: no right", Next: "nothing is done to an object that is Unknown"}},
		},
		"by hand": {
			"what Git says, what live has, who, when, and what next", edited(t, "data: {HOST: db}\n", "data: {HOST: other}\n", `{"f:data":{"f:HOST":{}}}`, "kubectl-edit"),
			[]api.DriftEntry{{
				Object: reference("ConfigMap", "env"), Path: "/data/HOST", Kind: api.Changed, Class: api.ClassManual, Drift: true, FirstSeen: today, Managers: hand,
				Wanted: &api.Value{JSON: `"db"`}, Live: &api.Value{JSON: `"other"`}, Explanation: "edited with kubectl-edit",
				Next: "at Observe nothing is written; from SelfHeal on it would be reverted to what Git declares", DeclaredAt: "values.yaml: HOST",
				SuggestionKind: api.SuggestGitPatch, Suggestion: "commit it: holdfast adopt web -n shop --object ConfigMap/env",
			}},
		},
		"added by hand": {
			"Git says nothing there, a default would not be Git's either", edited(t, "data: {HOST: db}\n", "data: {HOST: db, PORT: '1'}\n", `{"f:data":{"f:HOST":{}}}`, "kubectl-edit"),
			[]api.DriftEntry{{
				Object: reference("ConfigMap", "env"), Path: "/data/PORT", Kind: api.Added, Class: api.ClassManual, Drift: true, FirstSeen: today, Managers: hand,
				Live: &api.Value{JSON: `"1"`}, Explanation: "added with kubectl-edit", Next: "at Observe nothing is written; from SelfHeal on it would be removed, since Git does not declare it",
				SuggestionKind: api.SuggestGitPatch, Suggestion: "commit it: holdfast adopt web -n shop --object ConfigMap/env",
			}},
		},
		"a default changed by hand": {
			"there is nothing in Git to revert to, and the words say what would stand there", restored(t, "data: {HOST: db, PORT: '5432'}\n", "data: {HOST: db, PORT: '1'}\n", `{"f:data":{"f:HOST":{}}}`),
			[]api.DriftEntry{{
				Object: reference("ConfigMap", "env"), Path: "/data/PORT", Kind: api.Changed, Class: api.ClassManual, Drift: true, FirstSeen: today, Managers: hand,
				Live: &api.Value{JSON: `"1"`}, Explanation: `changed with kubectl-edit; Git does not declare it, and the API server would store "5432"`,
				Next:           `at Observe nothing is written; from SelfHeal on it would be set back to the API server's own "5432", since Git does not declare it`,
				SuggestionKind: api.SuggestGitPatch, Suggestion: "commit it: holdfast adopt web -n shop --object ConfigMap/env",
			}},
		},
		"a secret": {
			"masked on both sides, and still told apart", edited(t, "data: {PW_TOKEN: a1}\n", "data: {PW_TOKEN: b2}\n", `{"f:data":{"f:PW_TOKEN":{}}}`, "some-operator"),
			[]api.DriftEntry{{
				Object: reference("ConfigMap", "env"), Path: "/data/PW_TOKEN", Kind: api.Changed, Class: api.ClassContested, Drift: true, FirstSeen: today,
				Managers: []api.FieldManager{{Name: "some-operator", Operation: "Update", LastWrite: &wrote, Role: "Controller"}},
				Wanted:   &api.Value{JSON: `"` + mask.Token(key.Digest("a1")) + `"`, Digest: key.Digest("a1"), Masked: true},
				Live:     &api.Value{JSON: `"` + mask.Token(key.Digest("b2")) + `"`, Digest: key.Digest("b2"), Masked: true}, Explanation: "some-operator writes what Git declares",
				Next: "stays as it is: Holdfast never changes a field that is Contested; settle it with its writer, or in Git", DeclaredAt: "values.yaml: PW_TOKEN",
				SuggestionKind: api.SuggestIgnore, Suggestion: "if that controller is to own the field, add to spec.ignore of Application web:\n" +
					"- target: {group: \"\", kind: ConfigMap, name: env, namespace: shop}\n  paths: [\"/data/PW_TOKEN\"]\n" +
					"  managers: [some-operator]\n  reason: \"some-operator owns this field\"",
			}},
		},
		"explained": {
			"shown, not counted, and with nothing to do", edited(t, "data: {HOST: db}\n", "data: {HOST: db, PORT: '1'}\n", `{"f:data":{"f:HOST":{}}}`, "some-operator"),
			[]api.DriftEntry{{
				Object: reference("ConfigMap", "env"), Path: "/data/PORT", Kind: api.Added, Class: api.ClassController, FirstSeen: today,
				Managers: []api.FieldManager{{Name: "some-operator", Operation: "Update", LastWrite: &wrote, Role: "Controller"}},
				Live:     &api.Value{JSON: `"1"`}, Explanation: "some-operator owns it, and Git is silent", Next: "not counted: some-operator owns it, and Git is silent",
			}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := input(tc.object)
			in.Declared = func(_ drift.Object, j drift.Judgement) string { return "values.yaml: " + j.Pointer[len("/data/"):] }
			if diff := cmp.Diff(tc.want, report.Entries(in)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestEntriesLeaveOutDefaults: what the server always does is no news.
func TestEntriesLeaveOutDefaults(t *testing.T) {
	o := edited(t, "data: {HOST: db}\n", "data: {HOST: db}\n", `{"f:data":{"f:HOST":{}}}`, "helm")
	o.Judgements = []drift.Judgement{{Class: api.ClassDefault, Rule: -1}}
	if got := report.Entries(input(o)); len(got) != 0 {
		t.Errorf("want none, got %v", got)
	}
}

func TestEntriesOfOthers(t *testing.T) {
	in := input()
	in.Removed = []inventory.Entry{{ID: id("ConfigMap", "old"), Version: "v1", Origin: api.OriginAdopted}}
	in.Strays = []live.Stray{
		{ID: id("Service", "forgotten"), Version: "v1", Claim: "Helm release api-old"},
		{ID: id("RoleBinding", "tmp"), Version: "v1", Creator: live.Manager{Name: "kubectl-create", Operation: "Update", LastWrite: wrote.Time}},
	}
	want := []api.DriftEntry{
		{
			Object: reference("ConfigMap", "old"), Kind: api.Added, Class: api.ClassRemoved, Drift: true, FirstSeen: today,
			Explanation: "in the inventory (Adopted), and no longer declared in Git", Next: "at Observe nothing is written; from Prune on it would be deleted",
			SuggestionKind: api.SuggestPrune, Suggestion: "if nobody needs it: kubectl delete configmap old -n shop",
		},
		{
			Object: reference("RoleBinding", "tmp"), Kind: api.Added, Class: api.ClassStray, FirstSeen: today, Explanation: "declared by no application",
			Managers: []api.FieldManager{{Name: "kubectl-create", Operation: "Update", LastWrite: &wrote, Role: "Human"}}, Next: "never pruned by Holdfast: it was never ours",
			SuggestionKind: api.SuggestPrune, Suggestion: "if nobody needs it: kubectl delete rolebinding tmp -n shop\n" +
				"to keep it, add to spec.strays.keep of Application web:\n- {kind: RoleBinding, name: tmp, reason: \"somebody answers for it\"}",
		},
		{
			Object: reference("Service", "forgotten"), Kind: api.Added, Class: api.ClassStray, FirstSeen: today, Explanation: "owned by Helm release api-old",
			Next:           "never pruned by Holdfast: it was never ours",
			SuggestionKind: api.SuggestIgnore, Suggestion: "to keep it, add to spec.strays.keep of Application web:\n- {kind: Service, name: forgotten, reason: \"owned by Helm release api-old\"}",
		},
	}
	if diff := cmp.Diff(want, report.Entries(in)); diff != "" {
		t.Errorf("ordered by object (-want +got):\n%s", diff)
	}
}

// TestFirstSeen: when an entry was first seen stays, from one run to the next
// and over a restart, as long as it is there.
func TestFirstSeen(t *testing.T) {
	o := edited(t, "data: {HOST: db}\n", "data: {HOST: other, PORT: '1'}\n", `{"f:data":{"f:HOST":{}}}`, "kubectl-edit")
	first := report.Entries(input(o))
	var list []api.DriftReport
	for _, page := range report.Pages(first[:1], "main", "sha256:1") {
		list = append(list, api.DriftReport{Status: page})
	}
	later := input(o)
	later.Now, later.Seen = now.Add(48*time.Hour), report.SeenIn(list)
	second := report.Entries(later)
	if !second[0].FirstSeen.Equal(&today) {
		t.Errorf("%s was seen before, at %s: got %s", second[0].Path, today, second[0].FirstSeen)
	}
	if second[1].FirstSeen.Equal(&today) {
		t.Errorf("%s was not in that report", second[1].Path)
	}
	if report.KeyOf(first[0]) != report.KeyOf(second[0]) || report.KeyOf(first[0]) == report.KeyOf(first[1]) {
		t.Error("an entry is told by object and path")
	}
}

func TestConsumers(t *testing.T) {
	o := edited(t, "data: {HOST: db}\n", "data: {HOST: other}\n", `{"f:data":{"f:HOST":{}}}`, "kubectl-edit")
	in := input(o)
	in.Readers, in.Pods = consumers.Index{}, map[manifest.ID][]time.Time{}
	for i := range 23 {
		reader := consumers.Reader{ID: id("Deployment", fmt.Sprintf("web-%02d", i)), How: "envFrom", Selector: map[string]string{"app": "web"}}
		in.Readers[o.ID] = append(in.Readers[o.ID], reader)
		if i == 0 {
			in.Pods[reader.ID] = []time.Time{wrote.Add(-time.Hour), wrote.Time, wrote.Add(time.Hour)}
		}
	}
	other := consumers.Reader{ID: id("Deployment", "a-port-only"), How: "env", Fields: []string{"/data/PORT"}}
	in.Readers[o.ID] = append([]consumers.Reader{other}, in.Readers[o.ID]...)
	e := report.Entries(in)[0]
	if len(e.Consumers) != 20 || e.MoreConsumers != 3 {
		t.Fatalf("want 20 consumers and 3 more, got %d and %d", len(e.Consumers), e.MoreConsumers)
	}
	want := []api.Consumer{
		{Kind: "Deployment", Namespace: "shop", Name: "web-00", How: "envFrom", PodsBefore: 1, Pods: 3},
		{Kind: "Deployment", Namespace: "shop", Name: "web-01", How: "envFrom", PodsBefore: -1},
	}
	if diff := cmp.Diff(want, e.Consumers[:2]); diff != "" {
		t.Errorf("pods that were not counted are not none (-want +got):\n%s", diff)
	}
	o.Judgements[0].Owners = nil
	if got := report.Entries(in)[0].Consumers[0].PodsBefore; got != -1 {
		t.Errorf("nobody knows when, and yet %d pods are older", got)
	}
}

// TestManyOwners: the schema takes sixteen.
func TestManyOwners(t *testing.T) {
	o := edited(t, "data: {HOST: db}\n", "data: {HOST: other}\n", `{"f:data":{"f:HOST":{}}}`, "kubectl-edit")
	for range 20 {
		o.Judgements[0].Owners = append(o.Judgements[0].Owners, o.Judgements[0].Owners[0])
	}
	if got := len(report.Entries(input(o))[0].Managers); got != 16 {
		t.Errorf("want 16 managers, got %d", got)
	}
}

// TestNotHealed: nobody is sent to a self-heal that would not come.
func TestNotHealed(t *testing.T) {
	o := edited(t, "data: {HOST: db}\n", "data: {HOST: other}\n", `{"f:data":{"f:HOST":{}}}`, "kubectl-edit")
	o.Judgements[0].Heal = false
	e := report.Entries(input(o))[0]
	if want := "stays as it is: edited with kubectl-edit"; e.Next != want {
		t.Errorf("want %q, got %q", want, e.Next)
	}
}
