// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/yamledit"
)

// valuesFile is a file of values, the weakest first: the chart's own.
type valuesFile struct {
	key
	values any
	chart  bool
}

// inChart proposes a change of every value that could give the rendered one.
// It is a wide guess on purpose: the render after it decides.
func (m *maker) inChart(c Change, object manifest.Object) ([]proposal, string, error) {
	files, err := m.valuesFiles()
	if err != nil {
		return nil, "", err
	}
	wanted, present := keyedpath.Get(object.Object, c.Path)
	var candidates []candidate
	switch {
	case c.Remove:
		candidates = withName(files, c.Path)
	case present:
		candidates = giving(files, wanted, c.Value)
	default:
		parent, _ := keyedpath.Get(object.Object, c.Path[:len(c.Path)-1])
		candidates = growing(files, parent, c)
	}
	var proposals []proposal
	for _, wish := range candidates {
		proposals = append(proposals, m.inValues(files, wish)...)
	}
	return proposals, "no single key of " + namesOf(files) + " gives this value of " + object.Source.File +
		", as rendering again with each has shown: change the chart or its values by hand", nil
}

func namesOf(files []valuesFile) string {
	var names []string
	for _, f := range files {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

// valuesFiles reads those that the chart is rendered with.
func (m *maker) valuesFiles() ([]valuesFile, error) {
	files := m.subchartValues()
	own := valuesFile{key: key{name: path.Join(m.source.Dir, "values.yaml")}, chart: true}
	if _, err := fs.Stat(m.source.Files, own.name); err == nil {
		files = append(files, own)
	}
	for _, name := range m.source.Options.Helm.ValuesFiles {
		f := valuesFile{key: key{name: path.Join(m.source.Dir, name)}}
		if m.source.Options.Helm.ValuesFS != nil {
			f.key = key{inValues: true, name: path.Clean(name)}
		}
		files = append(files, f)
	}
	for i := range files {
		if files[i].values != nil {
			continue // of a subchart
		}
		data, err := m.read(m.edited, files[i].key)
		if err != nil {
			return nil, err
		}
		if files[i].values, err = yamledit.Read(data); err != nil {
			return nil, fmt.Errorf("%s: %w", files[i].name, err)
		}
	}
	return files, nil
}

// candidate is a value of the values that might be the one.
type candidate struct {
	path   fieldpath.Path
	value  any
	remove bool
}

// inValues writes a candidate where its key is set last. What only the chart
// sets goes into the last values file, since other environments have the
// chart's values too.
func (m *maker) inValues(files []valuesFile, wish candidate) []proposal {
	holder := slices.IndexFunc(reversed(files), func(f valuesFile) bool {
		_, set := keyedpath.Get(f.values, wish.path)
		return set
	})
	f := files[len(files)-1]
	if holder >= 0 && (!reversed(files)[holder].chart || len(files) == 1) {
		f = reversed(files)[holder]
	}
	edit := yamledit.Edit{Path: wish.path, Value: wish.value}
	if _, set := keyedpath.Get(f.values, wish.path); wish.remove && set {
		edit.Remove = true // else null, by which Helm takes a default away
	}
	data, err := m.read(m.edited, f.key)
	if err != nil {
		return nil
	}
	after, err := yamledit.Apply(data, 0, edit)
	if err != nil {
		return nil
	}
	return []proposal{{place: f.name + ": " + dotted(wish.path), edits: m.edited.with(f.key, after)}}
}

func reversed(files []valuesFile) []valuesFile {
	out := slices.Clone(files)
	slices.Reverse(out)
	return out
}

// dotted is a path in Helm's words: env.DB_HOST, hosts[0].
func dotted(p fieldpath.Path) string {
	var b strings.Builder
	for _, step := range p {
		switch {
		case step.FieldName != nil && b.Len() > 0:
			b.WriteString("." + *step.FieldName)
		case step.FieldName != nil:
			b.WriteString(*step.FieldName)
		case step.Index != nil:
			fmt.Fprintf(&b, "[%d]", *step.Index)
		default:
			b.WriteString(step.String())
		}
	}
	return b.String()
}

// giving are values that are, or are a part of, the rendered value.
func giving(files []valuesFile, wanted, live any) []candidate {
	var found []candidate
	seen := map[string]bool{}
	for _, f := range reversed(files) {
		each(f.values, nil, func(p fieldpath.Path, v any) {
			if seen[p.String()] || len(p) == 0 {
				return // a stronger file sets it
			}
			seen[p.String()] = true
			for _, value := range instead(v, wanted, live) {
				found = append(found, candidate{path: p.Copy(), value: value})
			}
		})
	}
	return found
}

// instead is what a value has to become so that the rendered one becomes live.
func instead(value, wanted, live any) []any {
	if composite(value) || composite(wanted) {
		if reflect.DeepEqual(normal(value), normal(wanted)) {
			return []any{live}
		}
		return nil
	}
	have, was, is := fmt.Sprint(value), fmt.Sprint(wanted), fmt.Sprint(live)
	if have == was {
		return typedLike(value, live, is)
	}
	const shortest = 2 // a single letter is in everything
	before, after, within := strings.Cut(was, have)
	if !within || len(have) < shortest || !strings.HasPrefix(is, before) || !strings.HasSuffix(is, after) || len(is) < len(before)+len(after) {
		return nil
	}
	part := is[len(before) : len(is)-len(after)]
	return typedLike(value, part, part)
}

// typedLike keeps a number a number where the template quotes it.
func typedLike(value, live any, text string) []any {
	if _, isText := value.(string); isText {
		return []any{text}
	}
	if read, err := yamledit.Read([]byte(text)); err == nil && reflect.TypeOf(normal(read)) == reflect.TypeOf(normal(value)) {
		return []any{read}
	}
	return []any{live}
}

func composite(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// each visits a value and all below it.
func each(v any, p fieldpath.Path, visit func(fieldpath.Path, any)) {
	visit(p, v)
	switch t := v.(type) {
	case map[string]any:
		for _, name := range sortedKeys(t) {
			each(t[name], append(p.Copy(), keyedpath.FieldPath(name)...), visit)
		}
	case []any:
		for i := range t {
			each(t[i], append(p.Copy(), fieldpath.MakePathOrDie(i)...), visit)
		}
	}
}
