// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package consumers

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Reader is one object that reads another.
type Reader struct {
	ID       manifest.ID
	How      string            // env, envFrom, volume, projected, selector, backend, ...
	Selector map[string]string // labels of its pods; empty if it runs none
	// Fields are pointers to what it reads of the object; none is all of it.
	Fields []string
}

// Reads says whether a difference at the pointer touches the reader.
func (r Reader) Reads(pointer string) bool {
	return len(r.Fields) == 0 || slices.ContainsFunc(r.Fields, func(field string) bool {
		return keyedpath.Within(pointer, field) || keyedpath.Within(field, pointer)
	})
}

// RunsPods says whether the reader's pods keep what they read until they start
// again. Mounted files follow by themselves.
func (r Reader) RunsPods() bool { return len(r.Selector) > 0 }

// Index finds readers by the object that they read.
type Index map[manifest.ID][]Reader

// Find builds the index of a desired set.
func Find(objects []manifest.Object) Index {
	index := Index{}
	var workloads []Reader
	for _, o := range objects {
		reader := Reader{ID: o.ID()}
		if spec, labels := podSpec(o.Unstructured); spec != nil {
			reader.Selector = labels
			workloads = append(workloads, reader)
			w := workload{reader: reader, into: index}
			w.podSpec(spec)
			w.annotations(o.Unstructured)
		}
		r := references{from: o.Unstructured, reader: Reader{ID: o.ID()}, into: index}
		r.find()
	}
	for _, o := range objects {
		index.selects(o.Unstructured, Reader{ID: o.ID()}, workloads)
	}
	for id, readers := range index {
		index[id] = merged(readers)
	}
	return index
}

// merged joins what one reader reads in one way; one who reads all of it reads
// every field.
func merged(readers []Reader) []Reader {
	slices.SortStableFunc(readers, func(a, b Reader) int {
		return cmp.Or(a.ID.Compare(b.ID), cmp.Compare(a.How, b.How))
	})
	var out []Reader
	for _, r := range readers {
		last := len(out) - 1
		if last < 0 || out[last].ID != r.ID || out[last].How != r.How {
			out = append(out, r)
			continue
		}
		if len(out[last].Fields) == 0 || len(r.Fields) == 0 {
			out[last].Fields = nil
			continue
		}
		out[last].Fields = slices.Compact(slices.Sorted(slices.Values(slices.Concat(out[last].Fields, r.Fields))))
	}
	return out
}

// add notes that the reader reads an object, or some fields of it.
func (x Index) add(id manifest.ID, r Reader, how string, fields ...string) {
	if id.Name == "" || id == r.ID {
		return
	}
	r.How, r.Fields = how, fields
	x[id] = append(x[id], r)
}

func maps(list any) []map[string]any {
	items, _ := list.([]any)
	found := make([]map[string]any, 0, len(items))
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}

func field(m map[string]any, path ...string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(m, path...)
	return v
}

func text(m map[string]any, path ...string) string {
	s, _ := field(m, path...).(string)
	return s
}
