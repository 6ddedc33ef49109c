// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// Estimate stands in for the restored form where no dry run is possible: live,
// without what tools put there that Git does not declare, with what Git
// declares on top. It can miss a difference inside an atomic list and says so
// in uncertain; it shows none that the server's own answer would not show.
func Estimate(in Input, liveObj *unstructured.Unstructured, managers []live.Manager) (pair, error) {
	desired, err := canonical(in.Desired, in.Types.Scheme)
	if err != nil {
		return pair{}, err
	}
	fitted := Fit(desired, in.Types.Schema)
	desired = comparable(fitted.Object)
	delete(desired.Object, "status")
	delete(liveObj.Object, "status")
	wanted, err := in.Types.Schema.ObjectToTyped(desired)
	if err != nil {
		return pair{}, fmt.Errorf("%s does not fit the server's schema: %w", in.Observation.ID, unquoted(err))
	}
	declared, err := wanted.ToFieldSet()
	if err != nil {
		return pair{}, fmt.Errorf("fields of %s: %w", in.Observation.ID, err)
	}
	have, err := in.Types.Schema.ObjectToTyped(liveObj, typed.AllowDuplicates)
	if err != nil {
		return pair{}, fmt.Errorf("live %s does not fit the server's schema: %w", in.Observation.ID, unquoted(err))
	}
	named := silentIn(in, comparable(in.Desired))
	beyond := surplusOf(in, have, managers, declared, named)
	restored, raw, err := laidOver(in, have.RemoveItems(beyond.certain), wanted, fitted)
	if err != nil {
		return pair{}, err
	}
	p := pair{
		restored: restored, live: have, restoredRaw: raw, liveRaw: liveObj.Object, declared: declared,
		zeroes: zeroesIn(in, named, func(at fieldpath.Path) bool { return keyedpath.Covers(declared, at) }),
	}
	p.uncertain = append(beyond.doubts(), p.doubtfulZeroes(in)...)
	if len(managers) == 0 {
		p.uncertain = append(p.uncertain, "live has no managedFields: fields that Git does not declare cannot be told from defaults")
	}
	return p, nil
}

// zeroesIn are fields that Git declares as "", 0 or false, and that are not kept
// as such: the server leaves them out, or puts its default there.
func zeroesIn(in Input, named *fieldpath.Set, kept func(fieldpath.Path) bool) *fieldpath.Set {
	zeroes := &fieldpath.Set{}
	named.Leaves().Iterate(func(p fieldpath.Path) {
		said, ok := keyedpath.Get(in.Desired.Object, p)
		if ok && said != nil && !composite(said) && p[0].FieldName != nil && *p[0].FieldName != "status" && !kept(p) {
			zeroes.Insert(p.Copy())
		}
	})
	return zeroes
}

// doubtfulZeroes: which of the two the server does only it can tell.
func (p pair) doubtfulZeroes(in Input) []string {
	var doubts []string
	p.zeroes.Iterate(func(path fieldpath.Path) {
		said, _ := keyedpath.Get(in.Desired.Object, path)
		if have, ok := keyedpath.Get(p.liveRaw, path); ok && !equal(have, said) {
			doubts = append(doubts, keyedpath.Pointer(path)+" is declared empty, and without a dry run its default is not known")
		}
	})
	return doubts
}

// laidOver puts what Git declares over what live has, doubles of list keys as
// the server keeps them.
func laidOver(in Input, live, wanted *typed.TypedValue, fitted Fitted) (*typed.TypedValue, map[string]any, error) {
	restored, err := live.Merge(wanted)
	if err != nil {
		return nil, nil, fmt.Errorf("laying the declaration of %s over live: %w", in.Observation.ID, unquoted(err))
	}
	raw, ok := restored.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, nil, fmt.Errorf("the estimated form of %s is no object", in.Observation.ID)
	}
	if len(fitted.doubles) == 0 {
		return restored, raw, nil
	}
	form := (&unstructured.Unstructured{Object: raw}).DeepCopy()
	fitted.Complete(form)
	restored, err = in.Types.Schema.ObjectToTyped(form, typed.AllowDuplicates)
	if err != nil {
		return nil, nil, fmt.Errorf("the estimated form of %s does not fit the server's schema: %w", in.Observation.ID, unquoted(err))
	}
	return restored, form.Object, nil
}

// excused says whether a declared atomic list or map differs from live only by
// what the server may have filled in while it was deployed. If anybody else
// wrote it, that cannot be told, and the path is uncertain instead of equal.
func (r *Result) excused(in Input, sides pair, p fieldpath.Path) bool {
	wanted, _ := keyedpath.Get(sides.restoredRaw, p)
	have, _ := keyedpath.Get(sides.liveRaw, p)
	if !composite(wanted) || !subsumes(have, wanted) || sides.freeMap(p) {
		return false
	}
	for _, m := range live.OwnersOf(r.Managers, p) {
		switch in.Writers.RoleOf(m.Name) {
		case writers.Human, writers.Controller:
			r.Uncertain = append(r.Uncertain, keyedpath.Pointer(p)+" was written by "+m.Name+" and holds more than Git declares")
			return true
		case writers.Deployer, writers.Holdfast, writers.Unrecorded:
		}
	}
	return true
}

// freeMap says whether the schema lets people choose the keys there, as in a
// Service's selector: the server fills in none.
func (p pair) freeMap(path fieldpath.Path) bool {
	ref := p.live.TypeRef()
	for _, element := range path {
		atom, _ := p.live.Schema().Resolve(ref)
		switch {
		case element.FieldName == nil && atom.List != nil:
			ref = atom.List.ElementType
		case element.FieldName != nil && atom.Map != nil:
			ref = atom.Map.ElementType
			if field, ok := atom.FindField(*element.FieldName); ok {
				ref = field.Type
			}
		default:
			return false
		}
	}
	atom, ok := p.live.Schema().Resolve(ref)
	return ok && atom.Map != nil && len(atom.Fields) == 0
}

func composite(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// subsumes says whether have holds at least what is wanted.
func subsumes(have, wanted any) bool {
	switch w := wanted.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		return ok && subsumesMap(h, w) || len(w) == 0 && have == nil
	case []any:
		h, ok := have.([]any)
		return ok && subsumesList(h, w) || len(w) == 0 && have == nil
	}
	return value.Equals(value.NewValueInterface(have), value.NewValueInterface(wanted))
}

func subsumesMap(have, wanted map[string]any) bool {
	for name, field := range wanted {
		if !subsumes(have[name], field) {
			return false
		}
	}
	return true
}

func subsumesList(have, wanted []any) bool {
	if len(have) != len(wanted) {
		return false
	}
	for i := range wanted {
		if !subsumes(have[i], wanted[i]) {
			return false
		}
	}
	return true
}
