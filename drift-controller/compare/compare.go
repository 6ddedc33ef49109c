// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/holdfast-gitops/holdfast/api/contract"
	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// Types is what the server says about its kinds.
type Types struct {
	// Schema types objects by the server's OpenAPI document.
	Schema managedfields.TypeConverter
	// Scheme has the built-in Go types; only Estimate needs it.
	Scheme *runtime.Scheme
	// Quantities of custom resources, by their schema.
	Quantities Quantities
}

// Input is one object to compare.
type Input struct {
	Desired     *unstructured.Unstructured
	Observation live.Observation
	Types       Types
	Writers     writers.Catalogue
	Mask        mask.Scope
}

// Difference is one place where live and restored part.
type Difference struct {
	Path     fieldpath.Path
	Pointer  string
	Kind     drift.DifferenceKind
	Declared bool // Git declares the path, or something at it
	Wanted   Value
	Live     Value
	// Restored is the keyed digest of what Git wants as the server would store
	// it: what a baseline is held against. Empty if Git wants nothing there.
	Restored string
	// Filled: what live should have there is what the server fills in by
	// itself, so no admission changes it now.
	Filled bool
	// Leaves are the declared leaves at or below the path.
	Leaves []string
}

// Doubt is a place that could not be decided; the empty pointer is the object.
type Doubt struct{ Pointer, Words string }

// String names the place and says why.
func (d Doubt) String() string { return strings.TrimPrefix(d.Pointer+" "+d.Words, " ") }

// Result is what a comparison found.
type Result struct {
	Differences []Difference
	// Uncertain paths could not be decided at this precision: they make the
	// object Unknown unless a difference decides it.
	Uncertain []Doubt
	// Managers of the live object.
	Managers []live.Manager
	// Declared holds the keyed digest of each declared leaf of the restored
	// form, by pointer: the baseline that the inventory remembers.
	Declared map[string]string
}

// Fields compares live with restored. The observation must have both the live
// object and, above DeclaredFields, the restored one. An error means that the
// object could not be typed: its verdict is Unknown.
func Fields(in Input) (Result, error) {
	managers, err := live.Managers(in.Observation.Live)
	if err != nil {
		return Result{}, err
	}
	sides, err := restoredForm(in, managers)
	if err != nil {
		return Result{}, err
	}
	comparison, err := sides.restored.Compare(sides.live)
	if err != nil {
		return Result{}, fmt.Errorf("comparing %s: %w", in.Observation.ID, err)
	}
	r := Result{Managers: managers, Uncertain: sides.uncertain}
	r.collect(in, sides, comparison)
	r.Declared = declaredDigests(in, sides)
	return r, nil
}

// pair is the two sides, typed, and what Git declares.
type pair struct {
	restored, live       *typed.TypedValue
	restoredRaw, liveRaw map[string]any
	declared             *fieldpath.Set
	// zeroes are what Git declares as "", 0 or false and the server leaves out.
	zeroes    *fieldpath.Set
	uncertain []Doubt
}

func restoredForm(in Input, managers []live.Manager) (pair, error) {
	liveObj := comparable(in.Observation.Live)
	if in.Observation.Precision == drift.PrecisionDeclaredFields {
		return Estimate(in, liveObj, managers)
	}
	declared, err := declaredBy(in.Observation.Restored)
	if err != nil {
		return pair{}, err
	}
	restored := comparable(in.Observation.Restored)
	if !keyedpath.Covers(declared, keyedpath.FieldPath("status")) {
		delete(restored.Object, "status")
		delete(liveObj.Object, "status")
	}
	named := silentIn(in, comparable(in.Desired))
	p, err := typedPair(in, restored, liveObj, declared)
	p.zeroes = zeroesIn(in, named, func(at fieldpath.Path) bool {
		_, stored := keyedpath.Get(restored.Object, at)
		return stored
	})
	if err != nil || in.Observation.Precision != drift.PrecisionInPlace || in.Observation.Replaced {
		return p, err
	}
	// An apply over the live object keeps what others put there; what tools
	// of people and deployers put there is not what Git would restore.
	beyond := surplusOf(in, p.restored, managers, declared, named)
	p.uncertain = beyond.doubts()
	return p.without(beyond.certain)
}

// without takes paths out of the restored side.
func (p pair) without(extra *fieldpath.Set) (pair, error) {
	p.restored = p.restored.RemoveItems(extra)
	raw, ok := p.restored.AsValue().Unstructured().(map[string]any)
	if !ok {
		return p, errors.New("the restored form is no object")
	}
	p.restoredRaw = raw
	return p, nil
}

func typedPair(in Input, restored, liveObj *unstructured.Unstructured, declared *fieldpath.Set) (pair, error) {
	p := pair{restoredRaw: restored.Object, liveRaw: liveObj.Object, declared: declared}
	var err error
	if p.restored, err = in.Types.Schema.ObjectToTyped(restored, typed.AllowDuplicates); err != nil {
		return p, fmt.Errorf("the restored form of %s does not fit the server's schema: %w", in.Observation.ID, unquoted(err))
	}
	if p.live, err = in.Types.Schema.ObjectToTyped(liveObj, typed.AllowDuplicates); err != nil {
		return p, fmt.Errorf("live %s does not fit the server's schema: %w", in.Observation.ID, unquoted(err))
	}
	return p, nil
}

// comparable leaves out what identifies the stored object and not its content.
func comparable(obj *unstructured.Unstructured) *unstructured.Unstructured {
	out := obj.DeepCopy()
	for _, field := range []string{
		"managedFields", "uid", "resourceVersion", "creationTimestamp", "generation", "selfLink",
		"deletionTimestamp", "deletionGracePeriodSeconds", "generateName",
	} {
		unstructured.RemoveNestedField(out.Object, "metadata", field)
	}
	return out
}

// declaredBy reads from the dry run's own bookkeeping what the declaration
// sets: an empty declared map then declares nothing below it.
func declaredBy(restored *unstructured.Unstructured) (*fieldpath.Set, error) {
	managers, err := live.Managers(restored)
	if err != nil {
		return nil, err
	}
	declared := &fieldpath.Set{}
	for _, m := range managers {
		if m.Name == contract.DriftFieldManager && m.Operation == "Apply" && m.Subresource == "" {
			declared = declared.Union(m.Fields)
		}
	}
	return withSecretData(restored, declared), nil
}

// withSecretData lets stringData declare the keys of data that it becomes: the
// server books it under stringData only.
func withSecretData(obj *unstructured.Unstructured, declared *fieldpath.Set) *fieldpath.Set {
	text := fieldpath.FieldNameElement("stringData")
	keys, ok := declared.Children.Get(text)
	if !ok || obj.GroupVersionKind().GroupKind().String() != "Secret" {
		return declared
	}
	data := &fieldpath.Set{}
	keys.Iterate(func(p fieldpath.Path) {
		data.Insert(append(keyedpath.FieldPath("data"), p...))
	})
	return declared.Union(data)
}

func (r *Result) collect(in Input, sides pair, c *typed.Comparison) {
	estimated := in.Observation.Precision == drift.PrecisionDeclaredFields
	quantities := in.Types.Quantities[in.Observation.Live.GroupVersionKind()]
	for _, p := range topmost(c.Removed, sides.restoredRaw) {
		r.add(in, sides, p, drift.Absent)
	}
	for _, p := range topmost(c.Added, sides.liveRaw) {
		r.add(in, sides, p, drift.Added)
	}
	for _, p := range keyedpath.Topmost(c.Modified) {
		if n := quantities.at(p); n != nil && sides.same(n, p) || estimated && r.excused(in, sides, p) {
			continue
		}
		r.add(in, sides, p, drift.Changed)
	}
	slices.SortFunc(r.Differences, func(a, b Difference) int { return strings.Compare(a.Pointer, b.Pointer) })
}

// same says whether both sides have the same numbers at a path.
func (p pair) same(n *numbers, path fieldpath.Path) bool {
	restored, _ := keyedpath.Get(p.restoredRaw, path)
	live, _ := keyedpath.Get(p.liveRaw, path)
	return n.same(restored, live)
}

// topmost reports an added or absent item once, at its highest path; but the
// keys of labels, annotations and data, and the items of keyed lists, each on
// their own, since each has its own owner.
func topmost(set *fieldpath.Set, side map[string]any) []fieldpath.Path {
	var paths []fieldpath.Path
	for _, p := range keyedpath.Topmost(set) {
		if parts := ownedParts(set, side, p); len(parts) > 0 {
			paths = append(paths, parts...)
			continue
		}
		paths = append(paths, p)
	}
	return paths
}

// ownedParts are the keys of a map of people's own words, or the items of a
// list that has keys; none where the value is owned as one.
func ownedParts(set *fieldpath.Set, side map[string]any, p fieldpath.Path) []fieldpath.Path {
	var parts []fieldpath.Path
	v, _ := keyedpath.Get(side, p)
	switch t := v.(type) {
	case map[string]any:
		if !ownedByKey(p) {
			return nil
		}
		for key := range t {
			parts = append(parts, append(p.Copy(), fieldpath.FieldNameElement(key)))
		}
	case []any:
		below, ok := keyedpath.Below(set, p)
		if !ok {
			return nil
		}
		for _, e := range keyedpath.Items(below) {
			parts = append(parts, append(p.Copy(), e))
		}
	}
	return parts
}

func ownedByKey(p fieldpath.Path) bool {
	last := p[len(p)-1].FieldName
	if last == nil {
		return false
	}
	switch *last {
	case "labels", "annotations", "data", "stringData", "binaryData":
		return true
	}
	return false
}

func (r *Result) add(in Input, sides pair, p fieldpath.Path, kind drift.DifferenceKind) {
	pointer := keyedpath.Pointer(p)
	tokens := keyedpath.Tokens(pointer)
	scope := in.Mask
	if wanted, ok := keyedpath.Get(sides.restoredRaw, p); ok {
		// Where Git wants a secret, what stands there now is one as well,
		// however plain it looks.
		_, scope.All = scope.Value(tokens, wanted)
	}
	side := func(root map[string]any) Value {
		raw, ok := keyedpath.Get(root, p)
		return Value{raw: raw, present: ok, tokens: tokens, scope: scope}
	}
	d := Difference{
		Path: p, Pointer: pointer, Kind: kind,
		Declared: keyedpath.Covers(sides.declared, p),
		Wanted:   side(sides.restoredRaw), Live: side(sides.liveRaw),
	}
	if kind == drift.Added && sides.zeroes.Has(p) {
		d.Kind, d.Declared, d.Wanted.present = drift.Changed, true, true
	}
	d.Restored = d.Wanted.Digest()
	d.Wanted.raw = inGitsWords(in, d)
	if d.Kind == drift.Changed && !d.Declared {
		filledIn, _ := keyedpath.Get(sides.restoredRaw, p)
		d.Filled = fillerFor(in, sides.restored).likeAll(p, nil, filledIn) == filling
	}
	if kind == drift.Absent && d.Declared {
		sides.declared.Leaves().Iterate(func(leaf fieldpath.Path) {
			if at := keyedpath.Pointer(leaf); keyedpath.Within(at, pointer) {
				d.Leaves = append(d.Leaves, at)
			}
		})
	}
	r.Differences = append(r.Differences, d)
}

// inGitsWords shows a wanted value as Git writes it, not as the server would
// write it back: who looks for 1000m does not find 1. A list or map that
// changed stays in the server's form, so that only the change differs; and so
// does a value that admission changes, where live has the very words of Git.
func inGitsWords(in Input, d Difference) any {
	restored := d.Wanted.raw
	said, ok := keyedpath.Get(in.Desired.Object, d.Path)
	if !ok || said == nil || in.Mask.Secret || equal(said, d.Live.raw) {
		return restored
	}
	if restored != nil && composite(said) != composite(restored) || composite(said) && d.Kind != drift.Absent {
		return restored
	}
	return said
}

// declaredDigests remembers what Git declares, without any value: as live has
// it, since an estimated restored form lacks what the server filled in, and a
// live value is what a baseline is held against later.
func declaredDigests(in Input, sides pair) map[string]string {
	digests := map[string]string{}
	sides.declared.Leaves().Iterate(func(p fieldpath.Path) {
		raw, ok := keyedpath.Get(sides.restoredRaw, p)
		if !ok {
			return
		}
		if stored, there := keyedpath.Get(sides.liveRaw, p); there {
			raw = stored
		}
		digests[keyedpath.Pointer(p)] = in.Mask.Key.Digest(raw)
	})
	sides.zeroes.Iterate(func(p fieldpath.Path) {
		if said, ok := keyedpath.Get(in.Desired.Object, p); ok {
			digests[keyedpath.Pointer(p)] = in.Mask.Key.Digest(said)
		}
	})
	return digests
}
