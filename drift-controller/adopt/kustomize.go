// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/yamledit"
)

// kustomization is what matters of the file at the application's path.
type kustomization struct {
	file                  string
	NamePrefix            string   `json:"namePrefix"`
	NameSuffix            string   `json:"nameSuffix"`
	PatchesStrategicMerge []string `json:"patchesStrategicMerge"`
	Patches               []struct {
		Path string `json:"path"`
	} `json:"patches"`
	ConfigMapGenerator []struct {
		Name     string   `json:"name"`
		Literals []string `json:"literals"`
	} `json:"configMapGenerator"`
}

// inKustomization proposes, in this order: the patch of this folder that sets
// the field already, the manifest if it stands in this folder, a literal of a
// generator, and a patch of our own.
func (m *maker) inKustomization(c Change, object manifest.Object) ([]proposal, string, error) {
	k, err := m.kustomization()
	if err != nil {
		return nil, "", err
	}
	var proposals []proposal
	for _, file := range k.patchFiles() {
		proposals = append(proposals, m.inFile(file, c, object, true)...)
	}
	if own(k.file, object.Source.File) {
		proposals = append(proposals, m.inFile(object.Source.File, c, object, false)...)
	}
	proposals = append(proposals, m.inLiterals(k, c, object)...)
	for _, name := range k.names(object.GetName(), m.source.Options.Kustomize.NamePrefix, m.source.Options.Kustomize.NameSuffix) {
		proposals = append(proposals, m.byPatch(k, c, object, name)...)
	}
	reason := "no edit in the kustomization's folder gives this value: edit " + object.Source.File + " by hand"
	if hash.MatchString(object.GetName()) && object.Source.File == k.file {
		reason = "a generator of " + k.file + " makes the object, whose name changes with its content: change the generator, and live follows under a new name"
	}
	return proposals, reason, nil
}

// own: the file stands in the kustomization's own folder or below, so that no
// other overlay is expected to use it.
func own(kustomization, file string) bool {
	return file != kustomization && (path.Dir(kustomization) == "." || strings.HasPrefix(file, path.Dir(kustomization)+"/"))
}

func (m *maker) kustomization() (kustomization, error) {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		k := kustomization{file: path.Join(path.Clean(m.source.Dir), name)}
		data, err := m.read(m.edited, key{name: k.file})
		if err != nil {
			continue
		}
		if err := yaml.Unmarshal(data, &k); err != nil {
			return k, fmt.Errorf("%s cannot be read", k.file)
		}
		return k, nil
	}
	return kustomization{}, fmt.Errorf("%s has no kustomization.yaml", m.source.Dir)
}

func (k kustomization) patchFiles() []string {
	var files []string
	for _, name := range k.PatchesStrategicMerge {
		files = append(files, path.Join(path.Dir(k.file), name))
	}
	for _, p := range k.Patches {
		if p.Path != "" {
			files = append(files, path.Join(path.Dir(k.file), p.Path))
		}
	}
	slices.Reverse(files) // the last one wins
	return files
}

var hash = regexp.MustCompile(`-[a-z0-9]{10}$`)

// names that the object may have before this kustomization gives it its own.
func (k kustomization) names(rendered, prefix, suffix string) []string {
	inner := strings.TrimSuffix(strings.TrimPrefix(rendered, prefix+k.NamePrefix), k.NameSuffix+suffix)
	names := []string{inner, rendered, hash.ReplaceAllString(inner, "")}
	slices.Sort(names[1:])
	return slices.Compact(names)
}

// inFile edits the documents of a file that are about the object; with present
// only those that set the field already.
func (m *maker) inFile(file string, c Change, object manifest.Object, present bool) []proposal {
	data, err := m.read(m.edited, key{name: file})
	if err != nil {
		return nil
	}
	written, err := manifest.Decode(file, data)
	if err != nil {
		return nil // a list of operations is no object
	}
	var proposals []proposal
	for _, o := range written {
		if o.GetKind() != object.GetKind() || !strings.Contains(object.GetName(), o.GetName()) {
			continue
		}
		if _, set := keyedpath.Get(o.Object, c.Path); present && !set {
			continue
		}
		after, err := yamledit.Apply(data, o.Source.Line, c.edit())
		if err != nil {
			continue
		}
		proposals = append(proposals, proposal{place: file + ": " + keyedpath.Pointer(c.Path), edits: m.edited.with(key{name: file}, after)})
	}
	return proposals
}

// inLiterals edits KEY=value of a configMapGenerator.
func (m *maker) inLiterals(k kustomization, c Change, object manifest.Object) []proposal {
	tokens := keyedpath.Tokens(keyedpath.Pointer(c.Path))
	value, isText := c.Value.(string)
	if object.GetKind() != "ConfigMap" || len(tokens) != 2 || tokens[0] != "data" || !isText {
		return nil
	}
	var proposals []proposal
	for g, generator := range k.ConfigMapGenerator {
		i := slices.IndexFunc(generator.Literals, func(l string) bool { return strings.HasPrefix(l, tokens[1]+"=") })
		if i < 0 || !strings.Contains(object.GetName(), generator.Name) {
			continue
		}
		at := fieldpath.MakePathOrDie("configMapGenerator", g, "literals", i)
		proposals = append(proposals, m.inKustomizationFile(k, k.file+": literal "+tokens[1], yamledit.Edit{Path: at, Value: tokens[1] + "=" + value})...)
	}
	return proposals
}

func (m *maker) inKustomizationFile(k kustomization, place string, e yamledit.Edit) []proposal {
	data, err := m.read(m.edited, key{name: k.file})
	if err != nil {
		return nil
	}
	after, err := yamledit.Apply(data, 0, e)
	if err != nil {
		return nil
	}
	return []proposal{{place: place, edits: m.edited.with(key{name: k.file}, after)}}
}

// byPatch writes a patch file and its entry: merged where the kind's lists have
// keys that kustomize knows, and else as operations.
func (m *maker) byPatch(k kustomization, c Change, object manifest.Object, name string) []proposal {
	stem := "adopted-" + strings.ToLower(object.GetKind()) + "-" + object.GetName()
	target := map[string]any{"kind": object.GetKind(), "name": name}
	if group := object.GroupVersionKind().Group; group != "" {
		target["group"] = group
	}
	var proposals []proposal
	merge, ok := m.mergePatch(path.Join(path.Dir(k.file), stem+".yaml"), c, object, name)
	if ok {
		proposals = append(proposals, m.withEntry(k, merge, stem+".yaml", target)...)
	}
	operations, ok := m.operations(path.Join(path.Dir(k.file), stem+".ops.yaml"), c, object)
	if ok {
		proposals = append(proposals, m.withEntry(k, operations, stem+".ops.yaml", target)...)
	}
	return proposals
}

func (m *maker) withEntry(k kustomization, p proposal, file string, target map[string]any) []proposal {
	if slices.Contains(k.patchFiles(), path.Join(path.Dir(k.file), file)) {
		return []proposal{p}
	}
	entry := yamledit.Edit{
		Path:  fieldpath.MakePathOrDie("patches", len(k.Patches)),
		Value: map[string]any{"path": file, "target": target},
	}
	data, err := m.read(p.edits, key{name: k.file})
	if err != nil {
		return nil
	}
	after, err := yamledit.Apply(data, 0, entry)
	if err != nil {
		return nil
	}
	return []proposal{{place: p.place, edits: p.edits.with(key{name: k.file}, after)}}
}

// mergePatch is the object with this one field; what is to go is null, or an
// item marked for deletion.
func (m *maker) mergePatch(file string, c Change, object manifest.Object, name string) (proposal, bool) {
	e := c.edit()
	if c.Remove {
		e.Remove = false
		if last := c.Path[len(c.Path)-1]; last.Key != nil {
			e.Value = map[string]any{"$patch": "delete"}
			for _, f := range *last.Key {
				e.Value.(map[string]any)[f.Name] = f.Value.Unstructured()
			}
		}
	}
	data, err := m.read(m.edited, key{name: file})
	if err != nil {
		data, err = yaml.Marshal(map[string]any{
			"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(), "metadata": map[string]any{"name": name},
		})
	}
	if err != nil {
		return proposal{}, false
	}
	after, err := yamledit.Apply(data, 0, e)
	return proposal{place: file + ": " + keyedpath.Pointer(c.Path), edits: m.edited.with(key{name: file}, after)}, err == nil
}

// operations is a JSON patch of the field. It names places in lists, which a
// test before it holds to the item that is meant.
func (m *maker) operations(file string, c Change, object manifest.Object) (proposal, bool) {
	pointer, tests, exists := pointerIn(object.Object, c.Path)
	operation := map[string]any{"op": "replace", "path": pointer, "value": c.Value}
	switch {
	case c.Remove:
		operation = map[string]any{"op": "remove", "path": pointer}
	case !exists:
		operation["op"] = "add"
	}
	list := append(tests, operation)
	data, err := m.read(m.edited, key{name: file})
	if err != nil {
		text, err := yaml.Marshal(list)
		return proposal{place: file + ": " + keyedpath.Pointer(c.Path), edits: m.edited.with(key{name: file}, text)}, err == nil
	}
	var known []any
	if yaml.Unmarshal(data, &known) != nil {
		return proposal{}, false
	}
	for i, item := range list {
		if data, err = yamledit.Apply(data, 0, yamledit.Edit{Path: fieldpath.MakePathOrDie(len(known) + i), Value: item}); err != nil {
			return proposal{}, false
		}
	}
	return proposal{place: file + ": " + keyedpath.Pointer(c.Path), edits: m.edited.with(key{name: file}, data)}, true
}

// pointerIn turns a path into a JSON pointer with places, and tests that hold
// each place to its key.
func pointerIn(object any, p fieldpath.Path) (pointer string, tests []any, exists bool) {
	at := object
	for i, step := range p {
		items, isList := at.([]any)
		if !isList {
			pointer += keyedpath.Pointer(fieldpath.Path{step})
			at, exists = keyedpath.Get(at, fieldpath.Path{step})
			continue
		}
		n := keyedpath.IndexOf(items, step)
		if exists = n >= 0; !exists {
			return pointer + "/-", tests, false
		}
		pointer += "/" + strconv.Itoa(n)
		at = items[n]
		if name, isText := field(at, "name").(string); isText && i < len(p) {
			tests = append(tests, map[string]any{"op": "test", "path": pointer + "/name", "value": name})
		}
	}
	return pointer, tests, exists
}

func field(value any, name string) any {
	fields, _ := value.(map[string]any)
	return fields[name]
}
