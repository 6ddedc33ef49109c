// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
)

var (
	now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	key = mask.Key("0123456789abcdef0123456789abcdef")
)

// declared is a desired set of ConfigMaps.
func declared(t *testing.T, names ...string) []desired.Object {
	t.Helper()
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n", name)
	}
	objects, err := manifest.Decode("cm.yaml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	set, err := desired.Make(desired.Input{
		Manifests: objects, Namespace: "shop", OwnNamespace: "shop", Key: key,
		Scopes: manifest.Scopes{Namespaced: map[schema.GroupKind]bool{{Kind: "ConfigMap"}: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return set.Objects
}

// TestNobodyToLookAs: without an observer every object is Unknown, with the
// reason, and nothing is asked of any cluster (there is none here).
func TestNobodyToLookAs(t *testing.T) {
	m := NewMemo()
	objects, err := m.Objects(t.Context(), Request{Objects: declared(t, "a", "b"), Denied: "name an account", Now: now})
	if err != nil || len(objects) != 2 {
		t.Fatalf("%v %v", objects, err)
	}
	for _, o := range objects {
		if o.Verdict != api.VerdictUnknown || o.Reason != contract.IdentityMissingReason || o.Message != "name an account" {
			t.Errorf("%s: %s %s %s", o.ID, o.Verdict, o.Reason, o.Message)
		}
	}
	if changed := m.Changed(); len(changed) != 2 || len(m.Changed()) != 0 {
		t.Errorf("what was judged anew is told once: %v", changed)
	}
}

// TestRemembersWhatIsDeclared: the memo does not grow with what was.
func TestRemembersWhatIsDeclared(t *testing.T) {
	m := NewMemo()
	for _, names := range [][]string{{"a", "b"}, {"b", "c"}} {
		if _, err := m.Objects(t.Context(), Request{Objects: declared(t, names...), Denied: "no", Now: now}); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.judged) != 2 || m.Remembered() != true {
		t.Errorf("%d objects are remembered", len(m.judged))
	}
	if m.Key(manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}) != "" {
		t.Error("what is not declared any more is remembered")
	}
}

// TestStale: what costs a look, and what costs none.
func TestStale(t *testing.T) {
	stamp := watch.Stamp{UID: "u", ResourceVersion: "5", Generation: 2, Meta: 7}
	plain := watch.Stamp{UID: "u", ResourceVersion: "5", Meta: 7}
	inStep := func(s watch.Stamp) Sight { return Sight{Stamp: s, Known: true, InStep: true} }
	with := func(change func(*judged)) judged {
		j := judged{object: drift.Object{Verdict: api.VerdictInSync}, stamp: stamp, looked: now.Add(-10 * time.Second), until: now.Add(time.Hour)}
		change(&j)
		return j
	}
	moved := func(change func(*watch.Stamp)) watch.Stamp {
		s := stamp
		change(&s)
		return s
	}
	hanging := []drift.Judgement{{Difference: compare.Difference{Pointer: "/spec/replicas"}}}
	cases := map[string]struct {
		reason string
		before judged
		sight  Sight
		want   bool
	}{
		"nothing moved":         {"an unchanged object costs no request", with(func(*judged) {}), inStep(stamp), false},
		"generation":            {"its content moved", with(func(*judged) {}), inStep(moved(func(s *watch.Stamp) { s.Generation++; s.ResourceVersion = "6" })), true},
		"metadata":              {"a label moves no generation", with(func(*judged) {}), inStep(moved(func(s *watch.Stamp) { s.Meta++; s.ResourceVersion = "6" })), true},
		"status":                {"a status alone can wait", with(func(*judged) {}), inStep(moved(func(s *watch.Stamp) { s.ResourceVersion = "6" })), false},
		"status, a while ago":   {"but health is read again", with(func(j *judged) { j.looked = now.Add(-time.Minute) }), inStep(moved(func(s *watch.Stamp) { s.ResourceVersion = "6" })), true},
		"no generation":         {"each write of such a kind is news", with(func(j *judged) { j.stamp = plain }), inStep(watch.Stamp{UID: "u", ResourceVersion: "6", Meta: 7}), true},
		"another object":        {"deleted and made again", with(func(*judged) {}), inStep(moved(func(s *watch.Stamp) { s.UID = "other" })), true},
		"terminating":           {"it is about to go", with(func(*judged) {}), inStep(moved(func(s *watch.Stamp) { s.Deleting = true })), true},
		"gone":                  {"the watch is in step and does not know it", with(func(*judged) {}), Sight{InStep: true}, true},
		"still missing":         {"it was not there before, either", with(func(j *judged) { j.stamp = watch.Stamp{} }), Sight{InStep: true}, false},
		"no watch":              {"who cannot watch looks now and then", with(func(j *judged) { j.looked = now.Add(-time.Minute) }), Sight{}, true},
		"no watch, just looked": {"and not all the time", with(func(*judged) {}), Sight{}, false},
		"old":                   {"a judgement grows old", with(func(j *judged) { j.until = now.Add(-time.Second) }), inStep(stamp), true},
		"another declaration":   {"Git or a policy moved", with(func(j *judged) { j.key = "other" }), inStep(stamp), true},
		"waiting": {"what it waits for comes without any news of it", with(func(j *judged) {
			j.object = drift.Object{Verdict: api.VerdictMissing, Reason: "Waiting"}
		}), inStep(stamp), true},
		"hangs on others":    {"an autoscaler goes without any news of what it scaled", with(func(j *judged) { j.object.Judgements = hanging; j.looked = now.Add(-time.Minute) }), inStep(stamp), true},
		"hangs, just looked": {"and not all the time", with(func(j *judged) { j.object.Judgements = hanging }), inStep(stamp), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := declared(t, "a")[0]
			m := NewMemo()
			r := &run{Request: Request{Now: now, Stamp: func(schema.GroupVersionKind, manifest.ID) Sight { return tc.sight }}, memo: m}
			if tc.before.key == "" {
				tc.before.key = r.key(o)
			}
			m.touch(o.ID(), tc.before)
			if got := r.stale(o); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
	r := &run{memo: NewMemo()}
	if !r.stale(declared(t, "new")[0]) {
		t.Error("what was never judged has to be looked at")
	}
}

// TestTwoHeartbeats: what broke is noticed, and what was mended is, within two
// heartbeats, though nothing is announced of the object; and an object beside it
// costs no look.
func TestTwoHeartbeats(t *testing.T) {
	stamp := watch.Stamp{UID: "u", ResourceVersion: "5"}
	good := func(o desired.Object, r *run) judged {
		return judged{object: drift.Object{Verdict: api.VerdictInSync}, key: r.key(o), stamp: stamp, looked: now, until: now.Add(time.Hour)}
	}
	unknown := func(o desired.Object, r *run) judged {
		j := good(o, r)
		j.object, j.until = drift.Object{Verdict: api.VerdictUnknown}, now.Add(retryUnknown)
		return j
	}
	inStep, blind := Sight{Stamp: stamp, Known: true, InStep: true}, Sight{}
	for reason, tc := range map[string]struct {
		before func(desired.Object, *run) judged
		sight  Sight
		change func(*run)
	}{
		"a kind is forbidden: its watch ends":            {good, blind, nil},
		"a forbidden kind is granted":                    {unknown, blind, nil},
		"a schema breaks":                                {good, inStep, func(r *run) { r.schemas[schema.GroupVersion{Version: "v1"}] = "broken" }},
		"a broken schema is mended, and nobody tells":    {unknown, inStep, nil},
		"a watch is dropped":                             {good, blind, nil},
		"a conversion webhook is down: its watch ends":   {good, blind, nil},
		"a conversion webhook answers again":             {unknown, inStep, nil},
		"what is remembered is not what is there: a UID": {good, Sight{Stamp: watch.Stamp{UID: "other", ResourceVersion: "5"}, Known: true, InStep: true}, nil},
		"what is remembered was judged under another key": {func(o desired.Object, r *run) judged {
			j := good(o, r)
			j.key = "poisoned"
			return j
		}, inStep, nil},
	} {
		objects := declared(t, "a", "beside")
		sights := map[string]Sight{"a": tc.sight, "beside": inStep}
		m := NewMemo()
		r := &run{
			Request: Request{Now: now, Stamp: func(_ schema.GroupVersionKind, id manifest.ID) Sight { return sights[id.Name] }},
			memo:    m, schemas: map[schema.GroupVersion]string{{Version: "v1"}: "fine"},
		}
		m.touch(objects[0].ID(), tc.before(objects[0], r))
		if tc.change != nil {
			tc.change(r)
		}
		m.touch(objects[1].ID(), good(objects[1], r))
		r.Now = now.Add(2 * heartbeat)
		if !r.stale(objects[0]) {
			t.Errorf("%s: after two heartbeats it is not looked at", reason)
		}
		if r.stale(objects[1]) {
			t.Errorf("%s: the object beside it is looked at as well", reason)
		}
	}
}

// TestKey: whatever a judgement was made under makes it stale when it changes,
// and what has nothing to do with the object does not.
func TestKey(t *testing.T) {
	core, apps := schema.GroupVersion{Version: "v1"}, schema.GroupVersion{Group: "apps", Version: "v1"}
	o := declared(t, "a")[0]
	under := func(change func(*run)) string {
		r := &run{
			Request: Request{Policy: Policy{Digest: "policy"}}, memo: NewMemo(), admission: "admission",
			schemas: map[schema.GroupVersion]string{core: "schema", apps: "schema"},
		}
		change(r)
		return r.key(o)
	}
	was := under(func(*run) {})
	for reason, tc := range map[string]struct {
		change func(*run)
		same   bool
	}{
		"nothing":               {func(*run) {}, true},
		"its schema":            {func(r *run) { r.schemas[core] = "another default" }, false},
		"its schema, not told":  {func(r *run) { delete(r.schemas, core) }, false},
		"the schema of another": {func(r *run) { r.schemas[apps] = "another default" }, true},
		"admission":             {func(r *run) { r.admission = "a new webhook" }, false},
		"a rule to ignore":      {func(r *run) { r.Policy.Digest = "a new rule" }, false},
	} {
		if got := under(tc.change) == was; got != tc.same {
			t.Errorf("%s: want the same key %t, got %t", reason, tc.same, got)
		}
	}
}

// TestContentIsWhatIsCompared: a status, a version or a time is no content; a
// value or an owner is, and so is what stands around the object.
func TestContentIsWhatIsCompared(t *testing.T) {
	r := &run{Request: Request{Policy: Policy{Key: key}}}
	seen := func(text string, scalers ...string) live.Observation {
		objects, err := manifest.Decode("x.yaml", []byte("apiVersion: v1\nkind: ConfigMap\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		return live.Observation{Live: objects[0].Unstructured, Evidence: live.Evidence{Scalers: scalers}}
	}
	const base = "metadata: {name: a, resourceVersion: '1', managedFields: [{manager: helm, operation: Update, time: '2026-01-01T00:00:00Z', fieldsV1: {f:data: {}}}]}\ndata: {A: b}\n"
	was := r.content(seen(base))
	for reason, tc := range map[string]struct {
		now  live.Observation
		same bool
	}{
		"a version":     {seen(strings.Replace(base, "'1'", "'2'", 1)), true},
		"a time":        {seen(strings.Replace(base, "2026-01", "2026-02", 1)), true},
		"a status":      {seen(base + "status: {x: 1}\n"), true},
		"a value":       {seen(strings.Replace(base, "A: b", "A: c", 1)), false},
		"an owner":      {seen(strings.Replace(base, "helm", "kubectl-edit", 1)), false},
		"an autoscaler": {seen(base, "HorizontalPodAutoscaler a"), false},
	} {
		if got := r.content(tc.now) == was; got != tc.same {
			t.Errorf("%s: want the same content %t, got %t", reason, tc.same, got)
		}
	}
	if r.content(live.Observation{}) != "" {
		t.Error("what is not there has content")
	}
}

// TestSpread keeps the refreshes of many objects apart, and none too far.
func TestSpread(t *testing.T) {
	seen := map[time.Duration]bool{}
	for i := range 100 {
		d := spread(time.Hour, manifest.ID{Name: fmt.Sprint(i)})
		if d < time.Hour || d > time.Hour+15*time.Minute {
			t.Fatalf("%s", d)
		}
		seen[d] = true
	}
	if len(seen) < 50 {
		t.Errorf("100 objects are refreshed at %d times only", len(seen))
	}
}

// TestRecallable: after a restart only what cannot have changed unseen is taken
// over.
func TestRecallable(t *testing.T) {
	o := declared(t, "a")[0]
	good := inventory.Entry{Verdict: api.VerdictInSync, UID: "u", Precision: api.PrecisionRestored}
	drifted, unseen := good, good
	drifted.Verdict, unseen.UID = api.VerdictDrifted, ""
	for reason, tc := range map[string]struct {
		entry inventory.Entry
		want  bool
	}{
		"in sync": {good, true}, "drifted": {drifted, false}, "never seen live": {unseen, false},
	} {
		if got := recallable(o, tc.entry); got != tc.want {
			t.Errorf("%s: want %t, got %t", reason, tc.want, got)
		}
	}
	if r := recalled(o, good); r.Verdict != api.VerdictInSync || !r.Known || r.Precision != api.PrecisionRestored || r.UID != "u" {
		t.Errorf("%+v", r)
	}
}

func TestUnsettled(t *testing.T) {
	for reason, tc := range map[string]struct {
		object drift.Object
		want   bool
	}{
		"unknown":               {drift.Object{Verdict: api.VerdictUnknown}, true},
		"missing, would refuse": {drift.Object{Verdict: api.VerdictMissing, Findings: []string{"quota"}}, true},
		"missing":               {drift.Object{Verdict: api.VerdictMissing}, false},
		"drifted":               {drift.Object{Verdict: api.VerdictDrifted, Findings: []string{"x"}}, false},
	} {
		if got := unsettled(tc.object); got != tc.want {
			t.Errorf("%s: want %t, got %t", reason, tc.want, got)
		}
	}
}

// TestUnreachableEndsTheRun: nothing turns Missing because a server is away.
func TestUnreachableEndsTheRun(t *testing.T) {
	if unreachable(live.Observation{Failure: &live.Failure{Reason: "Unreachable", Message: "m"}}) == nil {
		t.Error("a server that is away is taken for an answer")
	}
	for _, seen := range []live.Observation{{}, {Live: &unstructured.Unstructured{}}, {Failure: &live.Failure{Reason: "Forbidden"}}} {
		if err := unreachable(seen); err != nil {
			t.Errorf("an answer is taken for none: %v", err)
		}
	}
}
