// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/health"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: shop}\n"

func TestVerdict(t *testing.T) {
	inSync := sample{desired: host("db"), writes: []write{helm(host("db"))}}
	edited := sample{desired: host("db"), writes: []write{helm(host("db")), edit(host("x"))}}
	gone := func(in *Input) { in.Observation.Live = nil }
	finished := func(in *Input) { gone(in); in.Known = true }
	cases := map[string]struct {
		reason string
		sample
		change  func(*Input)
		verdict api.Verdict
		because string // the reason
		health  string
	}{
		"in sync":      {"live is what Git restores", inSync, nil, api.VerdictInSync, "", "Current"},
		"drifted":      {"a hand edit", edited, nil, api.VerdictDrifted, "", "Current"},
		"explained":    {"what is explained is in sync", sample{desired: configMap, writes: []write{controller(host("x"))}}, nil, api.VerdictInSync, "", "Current"},
		"not read":     {"what could not be read is never green, whatever else is known", inSync, func(in *Input) { in.Observation.Failure = &live.Failure{Reason: "Forbidden", Message: "no"} }, api.VerdictUnknown, "Forbidden", "Unknown"},
		"missing":      {"declared, not in the cluster", inSync, gone, api.VerdictMissing, "NotLive", "NotFound"},
		"missing, was": {"deleted by hand", inSync, finished, api.VerdictMissing, "NotLive", "NotFound"},
		"waiting":      {"its namespace is in the same set", inSync, func(in *Input) { gone(in); in.Observation.Waiting = "Namespace shop" }, api.VerdictMissing, "Waiting", "NotFound"},
		"finished job": {"its time to live ran out after it was seen", sample{desired: job + "spec: {ttlSecondsAfterFinished: 60}\n", writes: []write{helm(job)}}, finished, api.VerdictInSync, "Finished", "Current"},
		"job not seen": {"one that never was is missing", sample{desired: job + "spec: {ttlSecondsAfterFinished: 60}\n", writes: []write{helm(job)}}, gone, api.VerdictMissing, "NotLive", "NotFound"},
		"job for ever": {"one without a time to live does not go by itself", sample{desired: job, writes: []write{helm(job)}}, finished, api.VerdictMissing, "NotLive", "NotFound"},
		"no time at all": {
			"null is none", sample{desired: job + "spec: {ttlSecondsAfterFinished: null}\n", writes: []write{helm(job)}}, finished, api.VerdictMissing, "NotLive", "NotFound",
		},
		"not typed": {"a live object that no schema fits", inSync, func(in *Input) {
			_ = unstructured.SetNestedField(in.Observation.Live.Object, int64(5), "data", "HOST")
		}, api.VerdictUnknown, "NotComparable", "Current"},
		"uncertain": {
			"what cannot be told is never green", sample{precision: api.PrecisionDeclaredFields, desired: deployment + "spec: {minReadySeconds: 0}\n", writes: []write{controller(deployment + "spec: {minReadySeconds: 3}\n")}}, nil,
			api.VerdictUnknown, "Undecidable", "InProgress",
		},
		"uncertain and drifted": {
			"a certain difference decides", sample{precision: api.PrecisionDeclaredFields, desired: deployment + "spec: {minReadySeconds: 0, revisionHistoryLimit: 1}\n", writes: []write{controller(deployment + "spec: {minReadySeconds: 3, revisionHistoryLimit: 2}\n")}}, nil,
			api.VerdictDrifted, "", "InProgress",
		},
		"unstable":             {"two renders differ there: no edit, and no equality either", edited, func(in *Input) { in.Unstable = []string{"/data"} }, api.VerdictUnknown, "Undecidable", "Current"},
		"unstable as a whole":  {"the empty pointer is the object", edited, func(in *Input) { in.Unstable = []string{""} }, api.VerdictUnknown, "Undecidable", "Current"},
		"unstable elsewhere":   {"another path is judged", edited, func(in *Input) { in.Unstable = []string{"/data/PORT"} }, api.VerdictDrifted, "", "Current"},
		"unstable, no change":  {"without a difference there is nothing to tell", inSync, func(in *Input) { in.Unstable = []string{"/data/HOST"} }, api.VerdictInSync, "", "Current"},
		"unstable and drifted": {"a certain difference decides, before or after it", sample{desired: configMap + "data: {A: '1', B: '1'}\n", writes: []write{edit(configMap + "data: {A: '2', B: '2'}\n")}}, func(in *Input) { in.Unstable = []string{"/data/A"} }, api.VerdictDrifted, "", "Current"},
		"drifted and unstable": {"the other way round", sample{desired: configMap + "data: {A: '1', B: '1'}\n", writes: []write{edit(configMap + "data: {A: '2', B: '2'}\n")}}, func(in *Input) { in.Unstable = []string{"/data/B"} }, api.VerdictDrifted, "", "Current"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := tc.input(t)
			if tc.change != nil {
				tc.change(&in)
			}
			o := Judge(in)
			if o.Verdict != tc.verdict || o.Reason != tc.because {
				t.Errorf("%s: want %s %q, got %s %q (%s)", tc.reason, tc.verdict, tc.because, o.Verdict, o.Reason, o.Message)
			}
			if o.Health.Status != tc.health {
				t.Errorf("%s: want health %s, got %s", tc.reason, tc.health, o.Health.Status)
			}
			if o.Verdict == api.VerdictUnknown && o.Message == "" {
				t.Error("Unknown without words helps nobody")
			}
			if o.ID != in.Observation.ID || o.Version == "" || o.Source.File != "x.yaml" {
				t.Errorf("it says which object this is: %v %q %v", o.ID, o.Version, o.Source)
			}
		})
	}
}

// TestListThatGotAKey: that its items have no baseline of their own is no news
// from Git, at the first judgement and at the next.
func TestListThatGotAKey(t *testing.T) {
	in := sample{
		desired: sized("1"), writes: []write{helm(sized("2"))}, overLive: "metadata: {managedFields: null}",
		baseline: agreedOn(map[string]any{"/spec/template/spec/containers": "as one value"}),
	}.input(t)
	for run := range 3 {
		o := Judge(in)
		if len(o.Judgements) != 1 || o.Judgements[0].Class != api.ClassManual {
			t.Fatalf("judgement %d: %s", run+1, told(o))
		}
		in.Baseline, in.Known = o.Agreed, true
	}
}

// TestUnknownKeepsValuesIn: the reason of an Unknown object ends up in status.
func TestUnknownKeepsValuesIn(t *testing.T) {
	in := sample{types: custom, precision: api.PrecisionDeclaredFields, desired: secretOf + "stringData: {A: a}\n", writes: []write{helm(secretOf)}}.input(t)
	in.Types = builtIn
	in.Mask = mask.Scope{Key: testKey, Secret: true, Tainted: []string{"fr0m-vault"}}
	_ = unstructured.SetNestedField(in.Observation.Live.Object, int64(987654), "data", "PIN")
	_ = unstructured.SetNestedField(in.Observation.Live.Object, "fr0m-vault", "immutable")
	o := Judge(in)
	if o.Verdict != api.VerdictUnknown || strings.Contains(o.Message, "987654") || strings.Contains(o.Message, "fr0m-vault") {
		t.Errorf("%s: %s", o.Verdict, o.Message)
	}
}

// TestEveryManagerOfTheCatalogue: who wrote it decides the class, on either
// side of the declaration, for every name that is known.
func TestEveryManagerOfTheCatalogue(t *testing.T) {
	type pair struct{ Declared, Undeclared api.Class }
	want := map[writers.Role]pair{
		writers.Human:      {api.ClassManual, api.ClassManual},
		writers.Deployer:   {api.ClassContested, api.ClassPending},
		writers.Controller: {api.ClassContested, api.ClassController},
		writers.Holdfast:   {api.ClassPending, api.ClassRemoved},
		writers.Unrecorded: {api.ClassManual, api.ClassUnowned},
	}
	names := []string{"some-operator", "kube-controller-manager"}
	for _, entry := range writers.BuiltIn() {
		names = append(names, strings.TrimSuffix(entry.Name, "*"))
	}
	for _, name := range names {
		role := writers.BuiltIn().RoleOf(name)
		for _, apply := range []bool{false, true} {
			in := sample{desired: host("db"), writes: []write{{manager: name, apply: apply, object: configMap + "data: {HOST: x, MORE: z}\n"}}}.input(t)
			o := Judge(in)
			if len(o.Judgements) != 2 {
				t.Fatalf("%s: %v", name, told(o))
			}
			got := pair{o.Judgements[0].Class, o.Judgements[1].Class}
			if diff := cmp.Diff(want[role], got); diff != "" {
				t.Errorf("%s (%s), apply %t (-want +got):\n%s", name, role, apply, diff)
			}
		}
	}
}

// TestEveryManagerThroughScale: whoever scales through the subresource and is no
// person scales by design.
func TestEveryManagerThroughScale(t *testing.T) {
	for _, entry := range append(writers.BuiltIn(), writers.Entry{Name: "keda-like"}) {
		name := strings.TrimSuffix(entry.Name, "*")
		want := api.ClassController
		switch writers.BuiltIn().RoleOf(name) {
		case writers.Human, writers.Unrecorded:
			want = api.ClassManual
		case writers.Deployer, writers.Controller, writers.Holdfast:
		}
		o := Judge(sample{desired: scaled("3"), writes: []write{{manager: "maker", object: scaled("3")}, {manager: name + "/scale", object: scaled("5")}}}.input(t))
		if len(o.Judgements) != 1 || o.Judgements[0].Class != want {
			t.Errorf("%s (%s): want %s, got %v", name, entry.Reason, want, told(o))
		}
	}
}

// TestOwners: co-owners are all listed, with their roles; what the server has
// merged or books under another version is nobody.
func TestOwners(t *testing.T) {
	cases := map[string]struct {
		reason string
		sample
		change func(*unstructured.Unstructured)
		want   []string
	}{
		"one":       {"who wrote last owns it", sample{desired: host("db"), writes: []write{helm(host("db")), edit(host("x"))}}, nil, []string{"kubectl-edit Human Update"}},
		"co-owners": {"each of them may be asked", sample{desired: host("db"), writes: []write{edit(host("x")), {manager: "argocd-controller", apply: true, object: host("x")}}}, nil, []string{"argocd-controller Deployer Apply", "kubectl-edit Human Update"}},
		"merged":    {"the server's own place-holders are no writers", sample{desired: host("db"), writes: []write{{manager: "before-first-apply", object: host("x")}}}, nil, nil},
		"subresource": {
			"how it was written belongs to it", sample{desired: scaled("3"), writes: []write{helm(scaled("3")), {manager: "hpa/scale", object: scaled("5")}}}, nil, []string{"hpa Controller Update scale"},
		},
		"another version": {
			"its paths mean another schema", sample{desired: scaled("3"), writes: []write{edit(scaled("5"))}},
			func(o *unstructured.Unstructured) { reversion(o, "apps/v1beta1") }, nil,
		},
		"another version's metadata": {
			"metadata are the same in every version", sample{desired: configMap, writes: []write{edit(labelled("a: b"))}},
			func(o *unstructured.Unstructured) { reversion(o, "v1beta1") }, []string{"kubectl-edit Human Update"},
		},
		"stringData": {
			"the server books a key where it was applied", sample{desired: secretOf + "data: {A: YQ==}\n", writes: []write{{manager: "kubectl", apply: true, object: secretOf + "stringData: {A: b}\n"}}, overLive: "{data: {A: Yg==}, stringData: null}"}, nil,
			[]string{"kubectl Human Apply"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := tc.input(t)
			if tc.change != nil {
				tc.change(in.Observation.Live)
			}
			o := Judge(in)
			if len(o.Judgements) != 1 {
				t.Fatalf("want one difference, got %v", told(o))
			}
			var got []string
			for _, owner := range o.Judgements[0].Owners {
				got = append(got, strings.TrimSpace(owner.Name+" "+string(owner.Role)+" "+owner.Operation+" "+owner.Subresource))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func reversion(o *unstructured.Unstructured, version string) {
	entries := o.GetManagedFields()
	for i := range entries {
		entries[i].APIVersion = version
	}
	o.SetManagedFields(entries)
}

func TestDeployerInQuestion(t *testing.T) {
	cases := map[string]struct {
		reason string
		sample
		want bool
	}{
		"contested":           {"an earlier render might prove it", sample{desired: host("db"), writes: []write{helm(host("x"))}}, true},
		"absent":              {"the release may never have had it", sample{desired: host("db"), writes: []write{helm(configMap + "data: {X: '1'}\n")}}, true},
		"by hand":             {"a hand is a hand", sample{desired: host("db"), writes: []write{edit(host("x"))}}, false},
		"in sync":             {"nothing to ask", sample{desired: host("db"), writes: []write{helm(host("db"))}}, false},
		"undeclared, by helm": {"what Git does not declare is pending anyway", sample{desired: configMap, writes: []write{helm(host("x"))}}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Judge(tc.input(t)).DeployerInQuestion(); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestWithHealth(t *testing.T) {
	in := sample{desired: plain, writes: []write{helm(plain)}, overLive: "{metadata: {generation: 2, resourceVersion: '9'}, status: {observedGeneration: 1}}"}.input(t)
	o := WithHealth(Object{Health: Health{Status: "Current"}}, health.Checks{}, in.Observation.Live)
	if o.Health.Status != "InProgress" || o.ResourceVersion != "9" {
		t.Errorf("the health of what is live now: %v at %q", o.Health, o.ResourceVersion)
	}
	if same := WithHealth(o, health.Checks{}, nil); !cmp.Equal(same.Health, o.Health) {
		t.Error("what was not read changes nothing")
	}
}
