// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/yamledit"
)

// Change is one difference that Git is to have as live has it.
type Change struct {
	// ID is the identity in the cluster.
	ID   manifest.ID
	Path fieldpath.Path
	// Value is the live one. Remove: live has none.
	Value  any
	Remove bool
}

// String names the difference for readers.
func (c Change) String() string { return c.ID.String() + " " + keyedpath.Pointer(c.Path) }

func (c Change) edit() yamledit.Edit {
	return yamledit.Edit{Path: c.Path, Value: c.Value, Remove: c.Remove}
}

// Source is what is rendered, and how.
type Source struct {
	Files   fs.FS
	Dir     string
	Options render.Options
}

// Result is the changed source.
type Result struct {
	Files   []File
	Adopted []Adopted
	Left    []Left
}

// File is a changed file; Before is nil if it is new.
type File struct {
	// InValues: it stands in the second source, which holds the values files.
	InValues      bool
	Name          string
	Before, After []byte
}

// Adopted says where a difference went.
type Adopted struct {
	Change
	Place string
	// Follows are other fields that change with it, such as a checksum in a
	// pod template, by which pods will restart.
	Follows []string
}

// Left says why a difference could not be written.
type Left struct {
	Change
	Reason string
}

// Make finds the changes, one difference after the other.
func Make(ctx context.Context, source Source, changes []Change) (Result, error) {
	m := &maker{ctx: ctx, source: source, edited: edits{}}
	var err error
	if m.rendered, err = m.render(m.edited); err != nil {
		return Result{}, err
	}
	done := map[string]bool{}
	for i, c := range changes {
		if done[c.String()] {
			continue // it came with another one
		}
		if err := m.adopt(c, changes[i+1:], done); err != nil {
			return Result{}, err
		}
	}
	m.result.Files, err = m.files()
	return m.result, err
}

// maker holds the source as changed so far.
type maker struct {
	ctx      context.Context // of one call of Make
	source   Source
	edited   edits
	rendered render.Result
	result   Result
}

// proposal is a way to change the source.
type proposal struct {
	place string
	edits edits
}

func (m *maker) adopt(c Change, pending []Change, done map[string]bool) error {
	object, found := m.objectOf(m.rendered, c.ID)
	if !found {
		m.leave(c, "the source does not declare this object")
		return nil
	}
	proposals, reason, err := m.propose(c, object)
	if err != nil {
		return err
	}
	held, missed, err := m.holding(proposals, c, pending)
	switch {
	case err != nil:
		return err
	case len(held) == 0:
		m.leave(c, missed.or(reason))
		return nil
	case len(held) > 1:
		m.leave(c, fmt.Sprintf("%s and %s both give this value: change the one that is meant", held[0].place, held[1].place))
		return nil
	}
	p := held[0]
	m.edited, m.rendered = p.edits, p.rendered
	for _, other := range p.with {
		done[other.String()] = true
		m.result.Adopted = append(m.result.Adopted, Adopted{Change: other, Place: p.place})
	}
	m.result.Adopted = append(m.result.Adopted, Adopted{Change: c, Place: p.place, Follows: p.follows})
	return nil
}

func (m *maker) leave(c Change, reason string) {
	m.result.Left = append(m.result.Left, Left{Change: c, Reason: reason})
}

// propose lists ways by what the source is. The reason is what to say if none
// of them holds.
func (m *maker) propose(c Change, object manifest.Object) ([]proposal, string, error) {
	switch m.rendered.Kind {
	case render.Helm:
		return m.inChart(c, object)
	case render.Kustomize:
		return m.inKustomization(c, object)
	case render.Plain, render.Detect:
	}
	return m.inManifest(c, object)
}

// inManifest changes the file that declares the object. Below a folder of plain
// manifests, a kustomization may stand for its folder.
func (m *maker) inManifest(c Change, object manifest.Object) ([]proposal, string, error) {
	if object.Source.Line == 0 {
		return nil, "the object comes from a kustomization further down: give that folder an Application of its own, or edit " +
			object.Source.File, nil
	}
	data, err := m.read(m.edited, key{name: object.Source.File})
	if err != nil {
		return nil, "", err
	}
	if declared, _ := keyedpath.Get(m.asWritten(data, object), c.Path); m.source.Options.Substitute != nil {
		if text, isText := declared.(string); isText && strings.Contains(text, "${") {
			return nil, object.Source.String() + " takes it from a variable: change render.substitute of the Application", nil
		}
	}
	after, err := yamledit.Apply(data, object.Source.Line, c.edit())
	if err != nil {
		return nil, fmt.Sprintf("%s cannot be edited for certain (%v): edit it by hand", object.Source, err), nil
	}
	place := object.Source.File + ": " + keyedpath.Pointer(c.Path)
	return []proposal{{place: place, edits: m.edited.with(key{name: object.Source.File}, after)}},
		object.Source.String() + " was edited, and its render still differs: edit it by hand", nil
}

// asWritten is the object before variables were replaced.
func (m *maker) asWritten(data []byte, object manifest.Object) any {
	written, err := manifest.Decode(object.Source.File, data)
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(written, func(o manifest.Object) bool { return o.Source == object.Source })
	if i < 0 {
		return nil
	}
	return written[i].Object
}
