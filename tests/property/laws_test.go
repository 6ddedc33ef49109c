// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package property_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// law is something that holds for every object; it gives what is wrong.
type law func(in drift.Input, o drift.Object) string

var laws = map[string]law{
	"drifted if and only if something counts": counts,
	"every difference has one class":          classed,
	"the differences part the whole":          parted,
	"unknown has a cause":                     caused,
	"nothing newly red without a dry run":     notNewlyRed,
	"nothing newly green without a dry run":   notNewlyGreen,
	"a second judgement is the same":          same,
	"a secret stays one":                      masked,
}

// broken gives what laws a verdict breaks.
func broken(in drift.Input, o drift.Object) []string {
	var all []string
	for name, holds := range laws {
		if wrong := holds(in, o); wrong != "" {
			all = append(all, name+": "+wrong)
		}
	}
	slices.Sort(all)
	return all
}

func counts(_ drift.Input, o drift.Object) string {
	n := 0
	for _, j := range o.Judgements {
		if j.Drift {
			n++
		}
	}
	if (o.Verdict == api.VerdictDrifted) != (n > 0) {
		return fmt.Sprintf("%d differences count, and the verdict is %s", n, o.Verdict)
	}
	return ""
}

// explained classes do not count, all others do.
var explained = map[api.Class]bool{api.ClassController: true, api.ClassDefault: true, api.ClassWebhook: true, api.ClassUnknown: true}

var counted = map[api.Class]bool{
	api.ClassPending: true, api.ClassManual: true, api.ClassContested: true, api.ClassRemoved: true, api.ClassUnowned: true,
}

func classed(_ drift.Input, o drift.Object) string {
	for i, j := range o.Judgements {
		switch {
		case explained[j.Class] == counted[j.Class]:
			return j.Pointer + " has the class " + string(j.Class)
		case j.Drift != counted[j.Class]:
			return fmt.Sprintf("%s is %s and drift=%t", j.Pointer, j.Class, j.Drift)
		case j.Explanation == "", j.Heal && !j.Drift, j.Pointer == "":
			return j.Pointer + " is not explained"
		}
		for _, other := range o.Judgements[:i] {
			if keyedpath.Within(j.Pointer, other.Pointer) || keyedpath.Within(other.Pointer, j.Pointer) {
				return j.Pointer + " is judged twice, also at " + other.Pointer
			}
		}
	}
	return ""
}

// parted lays the restored values of all differences over live: it has to give
// the restored form, so nothing is left out; and each of them changes something.
// Where the dry run went over the live object the restored form is another.
func parted(in drift.Input, o drift.Object) string {
	seen := in.Observation
	if seen.Precision != api.PrecisionRestored || seen.Failure != nil || seen.Live == nil || o.Reason == "NotComparable" {
		return ""
	}
	over := seen.Live.DeepCopy()
	for _, j := range o.Judgements {
		wanted, inGit := keyedpath.Get(seen.Restored.Object, j.Path)
		have, there := keyedpath.Get(seen.Live.Object, j.Path)
		if inGit == there && reflect.DeepEqual(wanted, have) {
			return j.Pointer + " is no difference"
		}
		lay(over.Object, j.Path, wanted, inGit)
	}
	if got, want := essence(over), essence(seen.Restored); got != want {
		return fmt.Sprintf("the differences do not make live into restored\ngot  %s\nwant %s", got, want)
	}
	return ""
}

// lay sets what is at a path, or takes it away.
func lay(at any, p fieldpath.Path, v any, set bool) any {
	if len(p) == 0 {
		return v
	}
	if p[0].FieldName != nil {
		fields, _ := at.(map[string]any)
		if fields == nil {
			fields = map[string]any{}
		}
		if len(p) == 1 && !set {
			delete(fields, *p[0].FieldName)
			return fields
		}
		fields[*p[0].FieldName] = lay(fields[*p[0].FieldName], p[1:], copied(v), set)
		return fields
	}
	list, _ := at.([]any)
	i := slices.IndexFunc(list, func(item any) bool {
		_, found := keyedpath.Get([]any{item}, fieldpath.Path{p[0]})
		return found
	})
	switch {
	case len(p) == 1 && !set && i >= 0:
		return slices.Delete(list, i, i+1)
	case i < 0:
		return append(list, lay(nil, p[1:], copied(v), set))
	}
	list[i] = lay(list[i], p[1:], copied(v), set)
	return list
}

// caused: Unknown says why. What the server restored for us leaves no doubt.
func caused(in drift.Input, o drift.Object) string {
	switch {
	case o.Verdict != api.VerdictUnknown:
		return ""
	case o.Reason == "" || o.Message == "":
		return "no reason"
	case in.Observation.Precision == api.PrecisionRestored && in.Observation.Failure == nil:
		return "the server gave the restored form, and yet: " + o.Reason + " " + o.Message
	}
	return ""
}

func compared(in drift.Input) bool {
	return in.Observation.Failure == nil && in.Observation.Live != nil && in.Observation.Precision == api.PrecisionRestored
}

func notNewlyRed(in drift.Input, o drift.Object) string {
	if !compared(in) {
		return ""
	}
	blind := drift.Judge(without(in))
	for _, j := range blind.Judgements {
		if j.Drift && !slices.ContainsFunc(o.Judgements, func(other drift.Judgement) bool { return other.Drift && near(other, j) }) {
			return "only without it: " + j.Pointer + "\n" + told(blind)
		}
	}
	return ""
}

func near(a, b drift.Judgement) bool {
	return keyedpath.Within(a.Pointer, b.Pointer) || keyedpath.Within(b.Pointer, a.Pointer)
}

// notNewlyGreen: what Git declares, and what a person wrote, is seen without a
// dry run, too, or at least not called in sync.
func notNewlyGreen(in drift.Input, o drift.Object) string {
	if !compared(in) {
		return ""
	}
	blind := drift.Judge(without(in))
	if blind.Verdict != api.VerdictInSync {
		return ""
	}
	for _, j := range o.Judgements {
		human := slices.ContainsFunc(j.Owners, func(w drift.Owner) bool { return w.Role == writers.Human })
		if j.Drift && (j.Declared || human) {
			return "green without it: " + j.Pointer + "\n" + told(blind)
		}
	}
	return ""
}

// same: neither the same input nor the baseline that a run leaves changes what
// is said.
func same(in drift.Input, o drift.Object) string {
	if in.Observation.Failure != nil || in.Observation.Live == nil || o.Reason == "NotComparable" {
		return ""
	}
	for run := range 3 {
		in.Known = true
		if run > 0 {
			in.Baseline = o.Agreed
		}
		again := drift.Judge(in)
		if told(again) != told(o) || !maps.Equal(again.Agreed, o.Agreed) {
			return fmt.Sprintf("run %d says\n%s", run+2, told(again))
		}
	}
	return ""
}

// masked: whatever the values of a Secret are, none is in what is told.
func masked(in drift.Input, o drift.Object) string {
	if in.Desired.GetKind() != "Secret" {
		return ""
	}
	text := told(o)
	for _, side := range []*unstructured.Unstructured{in.Observation.Live, in.Desired.Unstructured} {
		if side == nil {
			continue
		}
		for _, field := range []string{"data", "stringData"} {
			values, _, _ := unstructured.NestedStringMap(side.Object, field)
			for _, v := range values {
				if v != "" && strings.Contains(text, v) {
					return "a value of " + field + " is told"
				}
			}
		}
	}
	return ""
}
