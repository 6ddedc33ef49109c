// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/yamledit"
)

// held is a proposal whose render was looked at.
type held struct {
	proposal
	rendered render.Result
	with     []Change // others that it settles too
	follows  []string
}

// near is a proposal that gives the value and something else beside it, which
// a reader who looks for the key wants to know.
type near struct{ place, also string }

func (n near) or(reason string) string {
	if n.place == "" {
		return reason
	}
	return n.place + " gives this value and " + n.also + " too, where live has not changed: change both, or neither"
}

func (m *maker) render(with edits) (render.Result, error) {
	options := m.source.Options
	if options.Helm.ValuesFS != nil {
		options.Helm.ValuesFS = overlay{base: options.Helm.ValuesFS, edits: with, inValues: true}
	}
	return render.Render(m.ctx, overlay{base: m.source.Files, edits: with}, m.source.Dir, options)
}

// most is how many proposals are rendered for one difference.
const most = 200

// holding renders proposals until it is clear whether exactly one holds. For a
// kustomization the first one wins: they are ordered by preference, and all say
// the same.
func (m *maker) holding(proposals []proposal, c Change, pending []Change) (found []held, missed near, err error) {
	for _, p := range proposals[:min(len(proposals), most)] {
		after, err := m.render(p.edits)
		if m.ctx.Err() != nil {
			return nil, missed, m.ctx.Err()
		}
		if err != nil {
			continue // a source that does not render is no way
		}
		h := held{proposal: p, rendered: after, with: m.settled(after, pending)}
		also, ok := m.holds(&h, c)
		switch {
		case ok:
			found = append(found, h)
		case also != "" && len(m.settled(after, []Change{c})) > 0 && missed.place == "":
			missed = near{place: p.place, also: also}
		}
		if len(found) > 1 || ok && m.rendered.Kind != render.Helm {
			return found, missed, nil
		}
	}
	return found, missed, nil
}

// holds says whether a render is the one before, with this change and perhaps
// others that wait; also is the first field that changes beside them.
func (m *maker) holds(h *held, c Change) (also string, ok bool) {
	if len(h.rendered.Objects) != len(m.rendered.Objects) {
		return "", false
	}
	changes := append([]Change{c}, h.with...)
	for _, before := range m.rendered.Objects {
		i := slices.IndexFunc(h.rendered.Objects, func(o manifest.Object) bool { return o.ID() == before.ID() })
		if i < 0 {
			return "", false
		}
		want, err := m.expected(before, changes)
		if err != nil {
			return "", false
		}
		d := comparison{object: before.ID().String()}
		if !d.same(want, normal(h.rendered.Objects[i].Object), "") {
			return d.object + " " + d.parts, false
		}
		h.follows = append(h.follows, d.digests...)
	}
	return "", true
}

// expected is an object with the changes that are about it.
func (m *maker) expected(o manifest.Object, changes []Change) (want any, err error) {
	want = o.Object
	for _, change := range changes {
		if m.isOf(o, change) && err == nil {
			want, err = yamledit.Changed(want, change.edit())
		}
	}
	return want, err
}

// settled are waiting changes that a render has too.
func (m *maker) settled(after render.Result, pending []Change) []Change {
	var with []Change
	for _, c := range pending {
		before, _ := m.objectOf(m.rendered, c.ID)
		object, found := m.objectOf(after, c.ID)
		if !found || before.Unstructured == nil {
			continue
		}
		had, was := keyedpath.Get(before.Object, c.Path)
		has, is := keyedpath.Get(object.Object, c.Path)
		moved := was != is || !reflect.DeepEqual(had, has)
		if moved && is == !c.Remove && (c.Remove || reflect.DeepEqual(normal(has), normal(c.Value))) {
			with = append(with, c)
		}
	}
	return with
}

func (m *maker) objectOf(r render.Result, id manifest.ID) (manifest.Object, bool) {
	for _, o := range r.Objects {
		if m.isOf(o, Change{ID: id}) {
			return o, true
		}
	}
	return manifest.Object{}, false
}

// isOf: a manifest may leave its namespace to the destination.
func (m *maker) isOf(o manifest.Object, c Change) bool {
	id := o.ID()
	if id.Namespace == "" && c.ID.Namespace == m.source.Options.Namespace {
		id.Namespace = c.ID.Namespace
	}
	return id == c.ID
}

// comparison of two objects that lets digests follow.
type comparison struct {
	object  string
	digests []string
	parts   string // the first field at which they part
}

// digest is what charts compute of their own configuration.
var digest = regexp.MustCompile(`^[0-9a-f]{32,64}$`)

func (d *comparison) same(want, got any, at string) bool {
	if fields, others := fieldsOf(want), fieldsOf(got); fields != nil && others != nil {
		return d.sameFields(fields, others, at)
	}
	if w, isText := want.(string); isText && digest.MatchString(w) {
		if g, isText := got.(string); isText && w != g && digest.MatchString(g) {
			d.digests = append(d.digests, d.object+" "+at)
			return true
		}
	}
	if reflect.DeepEqual(normal(want), normal(got)) {
		return true
	}
	d.parts = at
	return false
}

func (d *comparison) sameFields(want, got map[string]any, at string) bool {
	for _, name := range sortedKeys(got) {
		if _, known := want[name]; !known {
			d.parts = at + keyedpath.Pointer(keyedpath.FieldPath(name))
			return false
		}
	}
	for _, name := range sortedKeys(want) {
		below := at + keyedpath.Pointer(keyedpath.FieldPath(name))
		item, present := got[name]
		if !present {
			d.parts = below
			return false
		}
		if !d.same(want[name], item, below) {
			return false
		}
	}
	return true
}

// fieldsOf are the parts of a composite value that are compared one by one.
func fieldsOf(v any) map[string]any {
	switch t := v.(type) {
	case map[string]any:
		return t
	case []any:
		if items := named(t); items != nil {
			return items
		}
		items := make(map[string]any, len(t))
		for i, item := range t {
			items[strconv.Itoa(i)] = item
		}
		return items
	}
	return nil
}

// named gives the items of a list by name, if each has one of its own: a patch
// may put a new one in front.
func named(list []any) map[string]any {
	items := make(map[string]any, len(list))
	for _, item := range list {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		if _, twice := items["[name="+name+"]"]; twice || name == "" {
			return nil
		}
		items["[name="+name+"]"] = item
	}
	return items
}

// normal gives numbers one type.
func normal(value any) any {
	out, err := yamledit.Changed(nil, yamledit.Edit{Value: value})
	if err != nil {
		return value
	}
	return out
}

func sortedKeys(fields map[string]any) []string {
	keys := make([]string, 0, len(fields))
	for name := range fields {
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return keys
}
