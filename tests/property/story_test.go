// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package property_test

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The tools that write, of every role and some of nobody's catalogue.
var (
	humans      = []string{"kubectl-edit", "kubectl-patch", "kubectl-client-side-apply", "k9s", "Lens", "Mozilla", "kubectl-create", "Terraform"}
	deployers   = []string{"helm", "kustomize-controller", "argocd-controller", "Go-http-client", "kapp-controller"}
	controllers = []string{"some-operator", "cainjector", "vpa-updater", "kube-controller-manager", "reflector"}
)

const us = "drift-controller"

// act is one write by one tool.
type act struct {
	verb    string // update, merge, apply, scale, wipe, whole
	manager string
	pulled  []string // levers that the act is about
	to      content  // what the tool wants the object to be
}

func (a act) String() string { return fmt.Sprintf("%s by %s %v", a.verb, a.manager, a.pulled) }

// story is what happens to the object of one seed.
type story struct {
	seed      uint64
	kind      kind
	namespace string
	made      act // the creation
	acts      []act
	before    content // what Git says at first
	git       content // and what it says at last
	baseline  bool    // the object was judged before the acts
	scaled    bool    // an autoscaler aims at it
	earlier   bool    // a deployer is proven to have applied what Git said
}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func anybody(r *rand.Rand) string {
	return pick(r, [][]string{humans, humans, deployers, controllers}[r.IntN(4)])
}

// tell makes the story of a seed.
func tell(seed uint64, kinds []kind, namespaces []string) story {
	r := rand.New(rand.NewPCG(seed, 7))
	s := story{seed: seed, kind: kinds[seed%uint64(len(kinds))], namespace: pick(r, namespaces)}
	s.before = randomContent(r, s.kind)
	live := s.before
	s.made = act{verb: "create", manager: pick(r, [][]string{deployers, deployers, humans, controllers, {us}}[r.IntN(5)]), to: live}
	if s.made.manager == us || r.IntN(4) == 0 {
		s.made.verb = "whole"
	}
	for range r.IntN(4) {
		a := act{verb: pick(r, []string{"update", "update", "merge", "apply", "scale", "wipe", "whole"}), manager: anybody(r)}
		a.to, a.pulled = live.changed(r, s.kind)
		if a.verb == "whole" {
			a.manager = pick(r, []string{us, "kustomize-controller", "kubectl"})
		}
		if a.verb != "wipe" && a.verb != "scale" {
			live = a.to
		}
		s.acts = append(s.acts, a)
	}
	s.git = s.before
	switch r.IntN(6) {
	case 0, 1:
		s.git, _ = s.before.changed(r, s.kind)
	case 2:
		s.git = live // the edits became a commit
	}
	s.baseline, s.scaled, s.earlier = r.IntN(2) == 0, s.kind.Scale && r.IntN(4) == 0, r.IntN(6) == 0
	return s
}

func (s story) name() string { return fmt.Sprintf("p-%d", s.seed) }

func (s story) object(c content) *unstructured.Unstructured {
	return s.kind.object(c, s.namespace, s.name())
}

// String tells the story to the reader of a failure.
func (s story) String() string {
	text := fmt.Sprintf("seed %d (again: make property SEEDS=1 FIRST=%d)\n%s in %s: %s by %s of %v\n",
		s.seed, s.seed, s.kind.name, s.namespace, s.made.verb, s.made.manager, s.before)
	for _, a := range s.acts {
		text += fmt.Sprintf("then %s of %v\n", a, a.to)
	}
	return text + fmt.Sprintf("Git says %v; baseline %t, autoscaler %t, earlier render %t\n", s.git, s.baseline, s.scaled, s.earlier)
}
