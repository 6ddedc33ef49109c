// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
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
	beyond.certain = outsideNulls(in, beyond.certain, named, declared)
	restored, raw, err := laidOver(in, have.RemoveItems(beyond.certain), wanted, fitted)
	if err != nil {
		return pair{}, err
	}
	p := pair{
		restored: restored, live: have, restoredRaw: raw, liveRaw: liveObj.Object, declared: declared,
		zeroes: zeroesIn(in, named, func(at fieldpath.Path) bool { return keyedpath.Covers(declared, at) }),
	}
	p.uncertain = append(beyond.doubts(), append(p.doubtfulZeroes(in), silences(in, named.Leaves(), declared, fillerFor(in, have))...)...)
	if len(managers) == 0 {
		p.uncertain = append(p.uncertain, Doubt{Words: "live has no managedFields: fields that Git does not declare cannot be told from defaults"})
	}
	return p, nil
}

// outsideNulls leaves out what lies in a field of a custom resource that Git
// declares as null. There the server clears the field, fills in a default or
// refuses the whole object, and which of these only it can tell.
func outsideNulls(in Input, certain, named, declared *fieldpath.Set) *fieldpath.Set {
	if in.Types.Scheme != nil && in.Types.Scheme.Recognizes(in.Observation.Live.GroupVersionKind()) {
		return certain
	}
	var nulls []string
	named.Leaves().Iterate(func(p fieldpath.Path) {
		if said, ok := keyedpath.Get(in.Desired.Object, p); ok && said == nil && !keyedpath.Covers(declared, p) {
			nulls = append(nulls, keyedpath.Pointer(p))
		}
	})
	rest := &fieldpath.Set{}
	certain.Iterate(func(p fieldpath.Path) {
		at := keyedpath.Pointer(p)
		if !slices.ContainsFunc(nulls, func(null string) bool { return keyedpath.Within(at, null) }) {
			rest.Insert(p.Copy())
		}
	})
	return rest
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
func (p pair) doubtfulZeroes(in Input) []Doubt {
	var doubts []Doubt
	p.zeroes.Iterate(func(path fieldpath.Path) {
		said, _ := keyedpath.Get(in.Desired.Object, path)
		if have, ok := keyedpath.Get(p.liveRaw, path); ok && !equal(have, said) {
			doubts = append(doubts, Doubt{keyedpath.Pointer(path), "is declared empty, and without a dry run its default is not known"})
		}
	})
	return doubts
}

// silences are fields that Git declares as null or as an empty list, where live
// has something: who put it there cannot be told.
func silences(in Input, named, declared *fieldpath.Set, knows filler) []Doubt {
	var doubts []Doubt
	named.Iterate(func(p fieldpath.Path) {
		said, ok := keyedpath.Get(in.Desired.Object, p)
		switch {
		case !ok, keyedpath.Covers(declared, p):
			return
		case said == nil:
			// Left out, or null where the schema of a custom resource takes
			// null. Left out, it is what the server fills in.
			have, set := keyedpath.Get(knows.root, p)
			if set && have != nil && (!knows.builtIn || knows.likeAll(p, nil, have) != filling) {
				doubts = append(doubts, Doubt{keyedpath.Pointer(p), "is declared null, and without a dry run it cannot be told who set it"})
			}
			return
		case !composite(said), !hollow(said), knows.shape(p) == struc:
			return
		}
		if have, ok := keyedpath.Get(knows.root, p); ok && !equal(have, said) {
			doubts = append(doubts, Doubt{keyedpath.Pointer(p), "is declared empty, and without a dry run its default is not known"})
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
// what the server fills in. Where that cannot be told the path is uncertain,
// whoever wrote it; where it never does, this is a difference.
func (r *Result) excused(in Input, sides pair, p fieldpath.Path) bool {
	wanted, _ := keyedpath.Get(sides.restoredRaw, p)
	have, _ := keyedpath.Get(sides.liveRaw, p)
	if !composite(wanted) || !subsumes(have, wanted) || sides.freeMap(p) {
		return false
	}
	switch fillerFor(in, sides.live).extras(p, nil, have, wanted) {
	case setting:
		return false
	case perhaps:
		r.Uncertain = append(r.Uncertain, Doubt{keyedpath.Pointer(p), "holds more than Git declares, and without a dry run a default cannot be told from a setting"})
	case filling:
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
