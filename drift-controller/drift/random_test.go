// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
)

// content is what a random object holds: free maps, a keyed list with another
// one in it, an atomic list, an atomic map and a plain field.
type content struct {
	kind       string
	labels     map[string]string
	data       map[string]string            // of a ConfigMap; the selector of a Service
	containers map[string]map[string]string // name to environment
	args       []string
	replicas   int
}

var (
	kinds   = []string{"ConfigMap", "Deployment", "Service", "Thing"}
	editors = []string{"kubectl-edit", "kubectl-patch", "k9s", "some-operator", "other-controller", "helm", "argocd-controller"}
	makers  = []string{"helm", "kubectl-client-side-apply", "kustomize-controller", "some-operator"}
)

func randomMap(r *rand.Rand, names string) map[string]string {
	m := map[string]string{}
	for _, name := range names {
		if r.IntN(2) == 0 {
			m[string(name)+"1"] = fmt.Sprint("v", r.IntN(3))
		}
	}
	return m
}

func randomContent(r *rand.Rand) content {
	c := content{
		kind: kinds[r.IntN(len(kinds))], labels: randomMap(r, "abc"), data: randomMap(r, "de"),
		containers: map[string]map[string]string{"main": randomMap(r, "fg")}, replicas: r.IntN(3),
	}
	c.data["base"] = "v" // an object without any content is no case of its own
	if r.IntN(2) == 0 {
		c.containers["side"] = randomMap(r, "fg")
	}
	for range r.IntN(3) {
		c.args = append(c.args, fmt.Sprint("-", r.IntN(3)))
	}
	return c
}

// changed is the content with one to three of its parts as in another one.
func (c content) changed(r *rand.Rand) content {
	out, other := c.clone(), randomContent(r)
	for range 1 + r.IntN(3) {
		switch r.IntN(6) {
		case 0:
			out.labels = other.labels
		case 1:
			out.data = other.data
		case 2:
			out.containers["main"] = other.containers["main"]
		case 3:
			out.containers = other.containers
		case 4:
			out.args = other.args
		case 5:
			out.replicas = other.replicas
		}
	}
	return out.clone()
}

func (c content) clone() content {
	c.labels, c.data, c.args = maps.Clone(c.labels), maps.Clone(c.data), slices.Clone(c.args)
	containers := map[string]map[string]string{}
	for name, env := range c.containers {
		containers[name] = maps.Clone(env)
	}
	c.containers = containers
	return c
}

// text is the content as a manifest.
func (c content) text(t *testing.T) string {
	t.Helper()
	metadata := map[string]any{"name": "a", "namespace": "shop"}
	if len(c.labels) > 0 {
		metadata["labels"] = c.labels
	}
	o := map[string]any{"kind": c.kind, "metadata": metadata}
	switch c.kind {
	case "ConfigMap":
		o["apiVersion"], o["data"] = "v1", c.data
	case "Service":
		o["apiVersion"], o["spec"] = "v1", map[string]any{"selector": c.data, "type": fmt.Sprint("T", c.replicas)}
	case "Deployment":
		o["apiVersion"], o["spec"] = "apps/v1", map[string]any{"minReadySeconds": c.replicas, "template": map[string]any{"spec": map[string]any{"containers": c.pods()}}}
	case "Thing":
		o["apiVersion"], o["spec"] = "example.com/v1", map[string]any{"size": c.replicas, "list": append([]string{"x"}, c.args...), "map": c.data}
	}
	text, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (c content) pods() []any {
	var pods []any
	for _, name := range slices.Sorted(maps.Keys(c.containers)) {
		pod := map[string]any{"name": name, "image": "i:1"}
		if len(c.args) > 0 {
			pod["args"] = c.args
		}
		var env []any
		for _, key := range slices.Sorted(maps.Keys(c.containers[name])) {
			env = append(env, map[string]any{"name": key, "value": c.containers[name][key]})
		}
		if len(env) > 0 {
			pod["env"] = env
		}
		pods = append(pods, pod)
	}
	return pods
}

// story is what happened to one random object.
type story struct {
	git, before, live content
	writes            []write
	sample            sample
}

func randomStory(t *testing.T, seed uint64) story {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	s := story{before: randomContent(r)}
	maker := makers[r.IntN(len(makers))]
	s.writes = []write{{manager: maker, object: s.before.text(t)}}
	if r.IntN(3) == 0 {
		s.writes = []write{ours(s.before.text(t))}
	}
	s.live, s.git = s.before, s.before
	for range r.IntN(4) {
		s.live = s.live.changed(r)
		s.writes = append(s.writes, write{manager: editors[r.IntN(len(editors))], object: s.live.text(t)})
	}
	if r.IntN(2) == 0 {
		s.git = s.git.changed(r)
	}
	s.sample = sample{types: s.types(), desired: s.git.text(t), writes: s.writes}
	switch r.IntN(6) {
	case 0:
		s.sample.overLive = "metadata: {managedFields: null}"
	case 1:
		s.sample.overLive = "metadata: {annotations: {injected: yes please}}"
	case 2:
		s.sample.evidence.Mutators = []string{"MutatingWebhookConfiguration inject"}
	case 3:
		s.sample.evidence = live.Evidence{Tracked: []string{"Helm release a"}, Earlier: earlierRender(t, s.before.text(t)).Earlier}
	}
	if r.IntN(2) == 0 {
		s.sample.baseline = s.agreedBefore(t)
	}
	return s
}

func (s story) types() compare.Types {
	if s.before.kind == "Thing" {
		return custom
	}
	return builtIn
}

// agreedBefore is the baseline of a run right after the object was made.
func (s story) agreedBefore(t *testing.T) Baseline {
	t.Helper()
	first := sample{types: s.types(), desired: s.before.text(t), writes: s.writes[:1]}
	return Judge(first.input(t)).Agreed
}

// stories is how many random objects each property is tried on.
var stories = flag.Uint64("stories", 250, "how many random objects each property is tried on")

// told describes a judgement for comparison and for the reader of a failure.
func told(o Object) []string {
	out := []string{string(o.Verdict) + " " + o.Reason}
	for _, j := range o.Judgements {
		out = append(out, fmt.Sprintf("%s %s %s drift=%t heal=%t: %s", j.Kind, j.Pointer, j.Class, j.Drift, j.Heal, j.Explanation))
	}
	return out
}

var classes = []api.Class{
	api.ClassPending, api.ClassController, api.ClassManual, api.ClassContested, api.ClassDefault, api.ClassRemoved,
	api.ClassWebhook, api.ClassUnowned, api.ClassUnknown,
}

var explained = []api.Class{api.ClassController, api.ClassDefault, api.ClassWebhook, api.ClassUnknown}

// TestEveryDifferenceHasOneClass: the table is exhaustive, and its classes
// part the differences: no path twice, none below another, and whether it
// counts follows from the class.
func TestEveryDifferenceHasOneClass(t *testing.T) {
	for seed := range *stories {
		o := Judge(randomStory(t, seed).sample.input(t))
		drifts := 0
		for i, j := range o.Judgements {
			if j.Drift {
				drifts++
			}
			if !slices.Contains(classes, j.Class) || j.Explanation == "" || j.Drift == slices.Contains(explained, j.Class) || j.Heal && !j.Drift {
				t.Fatalf("seed %d: %s is no judgement:\n%s", seed, j.Pointer, strings.Join(told(o), "\n"))
			}
			for _, other := range o.Judgements[:i] {
				if other.Pointer == j.Pointer || strings.HasPrefix(j.Pointer, other.Pointer+"/") {
					t.Fatalf("seed %d: %s is judged twice:\n%s", seed, j.Pointer, strings.Join(told(o), "\n"))
				}
			}
		}
		if (o.Verdict == api.VerdictDrifted) != (drifts > 0) {
			t.Fatalf("seed %d: %d entries count, and yet:\n%s", seed, drifts, strings.Join(told(o), "\n"))
		}
	}
}

// TestSecondRunSaysTheSame: without a change nothing flips, neither with the
// same baseline nor with the one that the first run leaves. It once did: a
// label removed by hand before it was first seen read as news from Git.
func TestSecondRunSaysTheSame(t *testing.T) {
	for seed := range *stories {
		in := randomStory(t, seed).sample.input(t)
		first := Judge(in)
		again := Judge(in)
		if !slices.Equal(told(first), told(again)) || !maps.Equal(first.Agreed, again.Agreed) {
			t.Fatalf("seed %d: the same input:\n%s\nthen\n%s", seed, strings.Join(told(first), "\n"), strings.Join(told(again), "\n"))
		}
		for run := range 3 {
			if first.Agreed == nil {
				t.Fatalf("seed %d: a judged object leaves no baseline", seed)
			}
			in.Baseline = first.Agreed
			next := Judge(in)
			if !slices.Equal(told(first), told(next)) || !maps.Equal(first.Agreed, next.Agreed) {
				t.Fatalf("seed %d, run %d with its own baseline:\n%s\nthen\n%s", seed, run+2, strings.Join(told(first), "\n"), strings.Join(told(next), "\n"))
			}
		}
	}
}

// TestCommittedMeansInSync: a hand edit that becomes a commit is no drift any
// more, whoever made it.
func TestCommittedMeansInSync(t *testing.T) {
	for seed := range *stories {
		s := randomStory(t, seed)
		s.sample.desired = s.live.text(t)
		for _, precision := range []api.Precision{api.PrecisionRestored, api.PrecisionDeclaredFields} {
			s.sample.precision = precision
			o := Judge(s.sample.input(t))
			for _, j := range o.Judgements {
				if j.Declared || j.Drift && !strings.Contains(j.Pointer, "injected") {
					t.Fatalf("seed %d at %s: live is in Git, and yet:\n%s", seed, precision, strings.Join(told(o), "\n"))
				}
			}
		}
	}
}

// TestWhoMoved: after Git and live have agreed, a commit alone is never taken
// for a hand edit, and a hand edit alone never for a commit.
func TestWhoMoved(t *testing.T) {
	for seed := range *stories {
		s := randomStory(t, seed)
		r := rand.New(rand.NewPCG(seed, 2))
		next := s.before.changed(r).text(t)
		made := []write{{manager: []string{"helm", "argocd-controller"}[r.IntN(2)], object: s.before.text(t)}}
		if r.IntN(2) == 0 {
			made = []write{ours(s.before.text(t))}
		}
		agreed := Judge(sample{types: s.types(), desired: s.before.text(t), writes: made}.input(t)).Agreed
		for who, tc := range map[string]struct {
			sample
			want []api.Class
		}{
			"a commit": {sample{types: s.types(), desired: next, writes: made, baseline: agreed}, []api.Class{api.ClassPending, api.ClassRemoved}},
			"a hand":   {sample{types: s.types(), desired: s.before.text(t), writes: append(made, edit(next)), baseline: agreed}, []api.Class{api.ClassManual}},
		} {
			o := Judge(tc.input(t))
			for _, j := range o.Judgements {
				if !slices.Contains(tc.want, j.Class) {
					t.Fatalf("seed %d: only %s moved, and %s is %s:\n%s", seed, who, j.Pointer, j.Class, strings.Join(told(o), "\n"))
				}
			}
		}
	}
}

// TestLowerRungsShowNoMore: at a lower precision less may be seen, never
// something else; and a declared difference is never green.
func TestLowerRungsShowNoMore(t *testing.T) {
	for seed := range *stories {
		s := randomStory(t, seed).sample
		restored := Judge(s.input(t))
		for _, s.precision = range []api.Precision{api.PrecisionInPlace, api.PrecisionDeclaredFields} {
			lower := Judge(s.input(t))
			both := fmt.Sprintf("seed %d:\n%s\nat %s\n%s", seed, strings.Join(told(restored), "\n"), s.precision, strings.Join(told(lower), "\n"))
			for _, j := range lower.Judgements {
				if j.Drift && !slices.ContainsFunc(restored.Judgements, j.near) {
					t.Fatalf("only the lower rung shows %s: %s", j.Pointer, both)
				}
			}
			declared := slices.ContainsFunc(restored.Judgements, func(j Judgement) bool { return j.Declared && j.Drift })
			if declared && lower.Verdict == api.VerdictInSync {
				t.Fatalf("a declared difference is green: %s", both)
			}
		}
	}
}

// near says whether the other judgement counts, too, and is about the same.
func (j Judgement) near(other Judgement) bool {
	return other.Drift && (keyedpath.Within(other.Pointer, j.Pointer) || keyedpath.Within(j.Pointer, other.Pointer))
}
