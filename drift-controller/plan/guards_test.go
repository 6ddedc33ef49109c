// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

// guard is one thing that keeps a plan from a wrong write.
type guard struct {
	// refuses is how the code says it: the words, or the expression, that become
	// a refusal. TestEveryGuardHasARow finds them.
	refuses []string
	// remove takes it away, by hiding from the plan what it looks at.
	remove func(*plan.Input)
}

func eachRemoved(change func(*plan.Removed)) func(*plan.Input) {
	return func(in *plan.Input) {
		for i := range in.Removed {
			change(&in.Removed[i])
		}
	}
}

func eachObject(change func(*drift.Object)) func(*plan.Input) {
	return func(in *plan.Input) {
		for i := range in.Objects {
			change(&in.Objects[i])
		}
	}
}

// guards is every guard that a plan has.
var guards = map[string]guard{
	"the stage": {
		[]string{"the stage is %s; %s needs %s"},
		func(in *plan.Input) { in.Policy.Stage = api.StagePrune },
	},
	"an emergency": {
		[]string{"in.Policy.Holds.of(a.ID, a.Verb, a.Needs)", "h.All"},
		func(in *plan.Input) { in.Policy.Holds.All = "" },
	},
	"a hold on one object": {[]string{"h.Objects[id]"}, func(in *plan.Input) { in.Policy.Holds.Objects = nil }},
	"a hold on applying":   {[]string{"h.Sync"}, func(in *plan.Input) { in.Policy.Holds.Sync = "" }},
	"an empty render":      {[]string{"p.input.Policy.Prune.keeps(r)", "p.Refused"}, func(in *plan.Input) { in.Policy.Prune.Refused = "" }},
	"the budget":           {[]string{"the budget is spent: %d of %s deletions in 24 hours"}, func(in *plan.Input) { in.Policy.Prune.Max = intstr.FromString("100%") }},
	"the quarantine":       {[]string{"in quarantine until "}, func(in *plan.Input) { in.Policy.Prune.Quarantine = -time.Hour }},
	"the UID": {
		[]string{"its UID was never recorded, so nothing proves that it is ours"},
		eachRemoved(func(r *plan.Removed) { r.UID = "taken from a label" }),
	},
	"the proof":     {[]string{"r.Unproven"}, eachRemoved(func(r *plan.Removed) { r.Unproven = "" })},
	"the hand-over": {[]string{"r.Keeps"}, eachRemoved(func(r *plan.Removed) { r.Keeps = "" })},
	"protected kinds": {
		[]string{" is protected: delete it by hand"},
		eachRemoved(func(r *plan.Removed) { r.ID.Kind, r.ID.Group = "Secret", "" }),
	},
	"what the Application protects": {
		[]string{"it is protected by the Application or its Project"},
		func(in *plan.Input) { in.Policy.Prune.Protect = nil },
	},
	"approval of what was": {
		[]string{"it was there before Holdfast", ": approve the prune plan "},
		eachRemoved(func(r *plan.Removed) { r.Origin = api.OriginApplied }),
	},
	"approval of other changes": {[]string{" changed, so its removal may not be meant"}, eachRemoved(func(r *plan.Removed) { r.Beside = "" })},
	"what was asked back":       {[]string{"somebody asked it back"}, eachRemoved(func(r *plan.Removed) { r.Restored = false })},
	"the backlog": {
		[]string{"it is older than the step to SelfHeal: approve the heal plan ", "it is older than the step to SelfHeal, and spec.heal.backlog keeps it"},
		func(in *plan.Input) { in.Policy.Old = nil },
	},
	"unknown is never healed": {nil, eachObject(func(o *drift.Object) {
		if o.Verdict == api.VerdictUnknown {
			o.Verdict = api.VerdictDrifted
		}
	})},
	"classes that are never written": {
		[]string{"Holdfast never changes a field that is "},
		eachObject(func(o *drift.Object) {
			o.Judgements = slices.Clone(o.Judgements)
			for i := range o.Judgements {
				o.Judgements[i].Class, o.Judgements[i].Heal = api.ClassManual, true
			}
		}),
	},
	"what is not to be healed": {[]string{"j.Explanation"}, eachObject(func(o *drift.Object) {
		o.Judgements = slices.Clone(o.Judgements)
		for i := range o.Judgements {
			o.Judgements[i].Heal = true
		}
	})},
	"the breaker":            {[]string{"in.Policy.Contested[a.key()]"}, func(in *plan.Input) { in.Policy.Contested = nil }},
	"what terminates":        {[]string{"the object is being deleted"}, eachObject(func(o *drift.Object) { o.Health.Status = "Current" })},
	"marks of another tool":  {[]string{"it carries the mark of "}, func(in *plan.Input) { in.Policy.Takeover = true }},
	"what was not compared":  {[]string{"other paths of the object could not be compared, and an apply carries all of them: let the observer dry-run"}, eachObject(func(o *drift.Object) { o.Undecided = false })},
	"the step to Sync":       {[]string{"the object enters Sync: its baseline is being recorded"}, func(in *plan.Input) { in.Policy.Unsettled = nil }},
	"what a person deleted":  {nil, eachObject(func(o *drift.Object) { o.Known = false })},
	"what waits for its own": {[]string{"o.Message"}, eachObject(func(o *drift.Object) { o.Reason = "" })},
	"what the server refuses": {
		[]string{"the API server would not take it: "},
		eachObject(func(o *drift.Object) { o.Findings = nil }),
	},
	"waves": {[]string{"waits for "}, func(in *plan.Input) { in.Policy.Waves = nil }},
	"an undo is asked for": {
		[]string{"it is brought back when somebody approves the undo plan "},
		func(in *plan.Input) { in.Policy.Prune.AskedBack = func(manifest.ID) bool { return true } },
	},
	"what cannot be brought back": {[]string{"u.Refused"}, func(in *plan.Input) {
		in.Pruned = slices.Clone(in.Pruned)
		for i := range in.Pruned {
			in.Pruned[i].Refused = ""
		}
	}},
}

// TestEachGuardIsNeeded takes one guard away at a time, and wants some world to
// go wrong.
func TestEachGuardIsNeeded(t *testing.T) {
	for name, g := range guards {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4000) {
				w := imagine(seed)
				told := w.input
				told.Removed = append([]plan.Removed{}, w.input.Removed...)
				told.Objects = append([]drift.Object{}, w.input.Objects...)
				g.remove(&told)
				for i, r := range told.Removed { // what is true is told by the name alone
					w.truths[r.ID] = w.truths[w.input.Removed[i].ID]
				}
				if w.wrong(plan.Make(told)) != "" {
					return
				}
			}
			t.Error("no world needs it: either it guards nothing or these worlds are too kind")
		})
	}
}

// TestEveryGuardHasARow: whoever adds a refusal to the plan shows a world that
// needs it.
func TestEveryGuardHasARow(t *testing.T) {
	var rows []string
	for _, g := range guards {
		rows = append(rows, g.refuses...)
	}
	found := refusals(t)
	for _, words := range found {
		if !slices.Contains(rows, words) {
			t.Errorf("%q refuses something, and no guard of this table is about it: add a row, and what the worlds lack for it", words)
		}
	}
	for _, words := range rows {
		if !slices.Contains(found, words) {
			t.Errorf("%q refuses nothing any more: take it out of its row", words)
		}
	}
}

// refusals are the words of the package that become a refusal: what is assigned
// to a field Refusal, and what the functions return that such a field is filled
// from. An expression without words of its own stands for itself.
func refusals(t *testing.T) []string {
	t.Helper()
	returning := []string{"keeps", "asks", "of"}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				found = append(found, assigned(n)...)
			case *ast.FuncDecl:
				if slices.Contains(returning, n.Name.Name) {
					found = append(found, returned(n)...)
				}
			}
			return true
		})
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func assigned(n *ast.AssignStmt) (words []string) {
	for i, left := range n.Lhs {
		field, ok := left.(*ast.SelectorExpr)
		if !ok || field.Sel.Name != "Refusal" || len(n.Rhs) != len(n.Lhs) {
			continue
		}
		words = append(words, wordsOf(n.Rhs[i])...)
	}
	return words
}

func returned(f *ast.FuncDecl) (words []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			words = append(words, wordsOf(r.Results[0])...)
		}
		_, within := n.(*ast.FuncLit) // what it returns is not ours
		return !within
	})
	return words
}

// wordsOf is the first literal of an expression that says something, or the
// expression if it has none.
func wordsOf(e ast.Expr) (words []string) {
	empty := false
	ast.Inspect(e, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(lit.Value); err == nil && len(text) > len("2006-01-02") || strings.HasPrefix(text, "waits") {
			words = append(words, text)
		} else if text == "" {
			empty = true
		}
		return true
	})
	if len(words) == 0 && !empty {
		words = append(words, types.ExprString(e))
	}
	return words[:min(len(words), 1)]
}
