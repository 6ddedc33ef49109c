// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// surplus is what live has beyond Git by the hand of people, deployers or us,
// and keys that nobody owns and no schema default explains. A restored form
// that was computed from live must not have it.
type surplus struct {
	certain *fieldpath.Set
	// doubtful fields may be defaults: whoever creates an object by an update
	// owns what the server filled in as well.
	doubtful *fieldpath.Set
	// filled are what the server fills in, whoever owns it.
	filled *fieldpath.Set
}

// surplusOf looks for it. declared is what Git declares, and silent what it
// declares as null: not set, and yet no surplus.
func surplusOf(in Input, have *typed.TypedValue, managers []live.Manager, declared, silent *fieldpath.Set) surplus {
	s := surplus{certain: &fieldpath.Set{}, doubtful: &fieldpath.Set{}, filled: &fieldpath.Set{}}
	owned, knows := &fieldpath.Set{}, fillerFor(in, have)
	for _, m := range managers {
		role := in.Writers.RoleOf(m.Name)
		if role != writers.Unrecorded { // a name for writers that are not known any more
			owned = owned.Union(m.Fields)
		}
		switch role {
		case writers.Human, writers.Deployer, writers.Holdfast:
			found := &fieldpath.Set{}
			removable(m.Fields, nil, declared.Union(silent), found)
			if in.Writers.RoleOf(m.Name) == writers.Deployer {
				found = withoutControllers(in, found, managers, declared)
			}
			s.sort(in, m, found, sorting{knows, declared})
			s.doubtSilent(m, have, silent.Difference(declared))
		case writers.Controller, writers.Unrecorded:
		}
	}
	s.addUnowned(in, have, owned, declared)
	s.doubtful = s.doubtful.RecursiveDifference(s.certain)
	s.certain = s.promote(knows, declared, owned)
	return s
}

// withoutControllers leaves out what a deployer put into something that a
// controller made: the whole is the controller's, and explained.
func withoutControllers(in Input, found *fieldpath.Set, managers []live.Manager, declared *fieldpath.Set) *fieldpath.Set {
	rest := &fieldpath.Set{}
	found.Iterate(func(p fieldpath.Path) {
		top := 1
		for top < len(p) && keyedpath.Covers(declared, p[:top]) {
			top++
		}
		owners := live.OwnersOf(managers, p[:top])
		if !slices.ContainsFunc(owners, func(m live.Manager) bool { return in.Writers.RoleOf(m.Name) == writers.Controller }) {
			rest.Insert(p.Copy())
		}
	})
	return rest
}

// sorting is what surplus is sorted by.
type sorting struct {
	knows    filler
	declared *fieldpath.Set
}

// asStored is where the server keeps what a manager owns: a key that came in as
// stringData is owned there, and stands under data.
func asStored(in Input, p fieldpath.Path) fieldpath.Path {
	if in.Observation.ID.Kind == "Secret" && len(p) == 2 && p[0].FieldName != nil && *p[0].FieldName == "stringData" {
		return append(keyedpath.FieldPath("data"), p[1])
	}
	return p
}

// sort tells what a manager set from what the server may have filled in: who
// wrote a default, or was the first to write after the bookkeeping was wiped,
// owns what Git would restore as well.
func (s surplus) sort(in Input, m live.Manager, found *fieldpath.Set, by sorting) {
	knows, declared := by.knows, by.declared
	known, said := statements(in.Observation, m)
	found.Iterate(func(p fieldpath.Path) {
		p = asStored(in, p.Copy())
		v, there := keyedpath.Get(knows.root, p)
		switch {
		case keyedpath.Covers(declared, p):
		case neverDefaulted(p):
			s.certain.Insert(p)
		case there && (!known || saidAt(said, p)):
			s.place(knows, p, v)
		}
	})
}

// doubtSilent: where Git says null, {} or [] and a manager has something, that
// may be the default, written out, or may not.
func (s surplus) doubtSilent(m live.Manager, have *typed.TypedValue, silent *fieldpath.Set) {
	root, _ := have.AsValue().Unstructured().(map[string]any)
	silent.Leaves().Iterate(func(p fieldpath.Path) {
		if v, ok := keyedpath.Get(root, p); ok && !(Value{raw: v, present: true}).Empty() && keyedpath.Covers(m.Fields, p) {
			s.doubtful.Insert(p.Copy())
		}
	})
}

// place puts a value where it belongs, a struct field by field. What has items
// of its own is judged by who owns these.
func (s surplus) place(knows filler, p fieldpath.Path, v any) {
	shape := knows.shape(p)
	fields, isMap := v.(map[string]any)
	switch {
	case hollow(v), !composite(v), shape == single:
	case shape == items:
		return
	case isMap:
		for name, field := range fields {
			s.place(knows, append(p.Copy(), fieldpath.FieldNameElement(name)), field)
		}
		return
	}
	switch knows.like(p, nil, v) {
	case setting:
		s.certain.Insert(p)
	case perhaps:
		s.doubtful.Insert(p)
	case filling:
		s.filled.Insert(p)
	}
}

// neverDefaulted: the server fills in fields, but no items of keyed lists and
// no keys of maps that hold people's own words.
func neverDefaulted(p fieldpath.Path) bool {
	last := p[len(p)-1]
	return last.Key != nil || last.Value != nil || len(p) > 1 && ownedByKey(p[:len(p)-1])
}

// statements are manifests in which a manager is recorded to have said what it
// wants: kubectl keeps its last one on the object, Helm its releases.
func statements(o live.Observation, m live.Manager) (known bool, said []map[string]any) {
	const kubectl = "kubectl.kubernetes.io/last-applied-configuration"
	if m.Name == "kubectl-client-side-apply" {
		var last map[string]any
		if json.Unmarshal([]byte(o.Live.GetAnnotations()[kubectl]), &last) != nil {
			return false, nil
		}
		return true, []map[string]any{last}
	}
	for _, earlier := range o.Evidence.Earlier {
		said = append(said, earlier.Object)
	}
	return len(said) > 0 && strings.EqualFold(m.Name, "helm"), said
}

func saidAt(said []map[string]any, p fieldpath.Path) bool {
	return slices.ContainsFunc(said, func(root map[string]any) bool {
		_, ok := keyedpath.Get(root, p)
		return ok
	})
}

// addUnowned adds what belongs to nobody and is no default: keys of free maps,
// and the two fields of which a write can leave no owner.
func (s surplus) addUnowned(in Input, have *typed.TypedValue, owned, declared *fieldpath.Set) {
	root, _ := have.AsValue().Unstructured().(map[string]any)
	for _, p := range ownerless(in.Observation.ID.Kind, root) {
		if !keyedpath.Covers(owned, p) && !keyedpath.Covers(declared, p) {
			s.certain.Insert(p)
		}
	}
	for _, parent := range freeMaps {
		keys, _ := keyedpath.Get(root, parent)
		fields, _ := keys.(map[string]any)
		for key := range fields {
			p := append(parent.Copy(), fieldpath.FieldNameElement(key))
			if !keyedpath.Covers(owned, p) && !keyedpath.Covers(declared, p) && !serverSet(in, p, owned) {
				s.certain.Insert(p)
			}
		}
	}
}

// ownerless: a number of replicas set through the scale subresource while
// nobody owns it, and the address None after its owner let go. Neither value
// is ever a default.
func ownerless(kind string, root map[string]any) []fieldpath.Path {
	spec, _ := root["spec"].(map[string]any)
	switch kind {
	case "Deployment", "StatefulSet", "ReplicaSet", "ReplicationController":
		if n, set := spec["replicas"]; set && n != int64(1) {
			return []fieldpath.Path{keyedpath.FieldPath("spec", "replicas")}
		}
	case "Service":
		if spec["clusterIP"] == "None" {
			return []fieldpath.Path{keyedpath.FieldPath("spec", "clusterIP")}
		}
	}
	return nil
}

// freeMaps never get keys from schema defaults.
var freeMaps = []fieldpath.Path{
	keyedpath.FieldPath("metadata", "labels"),
	keyedpath.FieldPath("metadata", "annotations"),
	keyedpath.FieldPath("data"),
	keyedpath.FieldPath("binaryData"),
}

// serverSet: what the API server itself writes without owning it, and data of
// a Secret that was applied as stringData.
func serverSet(in Input, p fieldpath.Path, owned *fieldpath.Set) bool {
	if in.Observation.ID.Kind == "Namespace" && p[len(p)-1].FieldName != nil && *p[len(p)-1].FieldName == "kubernetes.io/metadata.name" {
		return true
	}
	text := append(keyedpath.FieldPath("stringData"), p[1:]...)
	return in.Observation.ID.Kind == "Secret" && *p[0].FieldName == "data" && keyedpath.Covers(owned, text)
}

// removable walks what a manager owns and inserts what is not declared: whole
// list items and leaves, never an ancestor of something declared.
func removable(set *fieldpath.Set, prefix fieldpath.Path, declared, into *fieldpath.Set) {
	set.Members.Iterate(func(e fieldpath.PathElement) {
		p := append(prefix.Copy(), e)
		_, hasBelow := set.Children.Get(e)
		isItem := e.Key != nil || e.Value != nil
		if (isItem || !hasBelow) && !keyedpath.Covers(declared, p) {
			into.Insert(p)
		}
	})
	set.Children.Iterate(func(e fieldpath.PathElement) {
		below, _ := set.Children.Get(e)
		p := append(prefix.Copy(), e)
		if !into.Has(p) {
			removable(below, p, declared, into)
		}
	})
}

// promote turns a struct that only surplus made into one path, as it is one
// difference: the server would not have it either. What the server fills into
// such a struct goes with it. Only of one that came with its fields, and is
// owned as such, can that be said.
func (s surplus) promote(knows filler, declared, owned *fieldpath.Set) *fieldpath.Set {
	all, err := knows.types.ToFieldSet()
	if err != nil {
		return s.certain
	}
	rest := all.Leaves().RecursiveDifference(s.certain).RecursiveDifference(s.filled)
	out := s.certain
	s.certain.Iterate(func(p fieldpath.Path) {
		top := p.Copy()
		for len(top) > 2 {
			parent := top[:len(top)-1]
			if !owned.Has(parent) || keyedpath.Covers(rest, parent) || keyedpath.Covers(declared, parent) || ownedByKey(parent) || knows.made(parent) {
				break
			}
			top = parent
		}
		if len(top) < len(p) {
			out = out.Union(fieldpath.NewSet(top.Copy()))
		}
	})
	return out
}

// silentIn are the places that a declaration names and leaves null. Other
// faults of it are found where it is typed in full.
func silentIn(in Input, desired *unstructured.Unstructured) *fieldpath.Set {
	named, err := in.Types.Schema.ObjectToTyped(desired, typed.AllowDuplicates)
	if err != nil {
		return &fieldpath.Set{}
	}
	all, err := named.ToFieldSet()
	if err != nil {
		return &fieldpath.Set{}
	}
	return all
}

// doubts are the fields that cannot be told from defaults.
func (s surplus) doubts() []Doubt {
	var doubts []Doubt
	s.doubtful.Leaves().Iterate(func(p fieldpath.Path) {
		doubts = append(doubts, Doubt{keyedpath.Pointer(p), "is not in Git; who owns it may have been the first to write, " +
			"and without a dry run under another name a default cannot be told from a setting"})
	})
	slices.SortFunc(doubts, func(a, b Doubt) int { return strings.Compare(a.Pointer, b.Pointer) })
	return doubts
}
