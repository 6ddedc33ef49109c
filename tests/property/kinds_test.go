// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package property_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// kind is one file of testdata/kinds.
type kind struct {
	name          string
	Object        map[string]any
	Levers        []lever
	Scale         bool
	ClusterScoped bool
}

// lever is a place that somebody may set to one of its values, or take away.
type lever struct {
	Path   string
	Values []any
}

// common are levers of every kind: labels and annotations.
var common = []lever{
	{"/metadata/labels/team", []any{"shop", "platform"}},
	{"/metadata/labels/app.kubernetes.io~1managed-by", []any{"Helm"}},
	{"/metadata/annotations/note", []any{"a", "two\nlines"}},
	{"/metadata/annotations/meta.helm.sh~1release-name", []any{"shop"}},
	{"/metadata/finalizers", []any{[]any{"property.example.com/keep"}}},
}

func loadKinds(t *testing.T) []kind {
	t.Helper()
	files, err := filepath.Glob("testdata/kinds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no kinds: %v", err)
	}
	kinds := make([]kind, 0, len(files))
	for _, file := range files {
		k := kind{name: strings.TrimSuffix(filepath.Base(file), ".yaml")}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Numbers have to stay the integers that they are: by way of JSON.
		if text, err = yaml.YAMLToJSON(text); err == nil {
			err = decode(text, &k)
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		k.Levers = append(k.Levers, common...)
		kinds = append(kinds, k)
	}
	return kinds
}

func decode(text []byte, k *kind) error {
	var fields map[string]any
	if err := utiljson.Unmarshal(text, &fields); err != nil {
		return err
	}
	k.Object, _ = fields["object"].(map[string]any)
	k.Scale, _ = fields["scale"].(bool)
	k.ClusterScoped, _ = fields["clusterScoped"].(bool)
	levers, _ := fields["levers"].([]any)
	for _, l := range levers {
		fields, _ := l.(map[string]any)
		path, _ := fields["path"].(string)
		values, _ := fields["values"].([]any)
		k.Levers = append(k.Levers, lever{Path: path, Values: values})
	}
	return nil
}

// content says what each lever of a kind is set to; a lever that is not in it
// leaves the kind's own object alone.
type content map[string]any

// away stands for a lever that was taken away.
type away struct{}

func randomContent(r *rand.Rand, k kind) content {
	c := content{}
	for _, l := range k.Levers {
		if strings.HasPrefix(l.Path, "/metadata/finalizers") || r.IntN(3) > 0 {
			continue
		}
		c[l.Path] = l.Values[r.IntN(len(l.Values))]
	}
	return c
}

// changed is the content with some levers pulled, and which.
func (c content) changed(r *rand.Rand, k kind) (next content, pulled []string) {
	next = content{}
	for path, v := range c {
		next[path] = v
	}
	for range 1 + r.IntN(3) {
		l := k.Levers[r.IntN(len(k.Levers))]
		next[l.Path] = l.Values[r.IntN(len(l.Values))]
		if r.IntN(4) == 0 {
			next[l.Path] = away{}
		}
		pulled = append(pulled, l.Path)
	}
	return next, pulled
}

// object is the kind's object with the levers as the content has them, in the
// order of the kind's file, since one may lie in another.
func (k kind) object(c content, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: copied(k.Object).(map[string]any)}
	o.SetName(name)
	if !k.ClusterScoped {
		o.SetNamespace(namespace)
	}
	for _, l := range k.Levers {
		v, set := c[l.Path]
		if !set {
			continue
		}
		if _, gone := v.(away); gone {
			remove(o.Object, l.Path)
			continue
		}
		put(o.Object, l.Path, copied(v))
	}
	return o
}

// copied is a deep copy as JSON has it, integers kept.
func copied(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a value of a YAML file always encodes
	}
	var out any
	if err := utiljson.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}
