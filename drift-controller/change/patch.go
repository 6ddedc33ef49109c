// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// Edit sets one path to a value, or removes it.
type Edit struct {
	Path   fieldpath.Path
	Remove bool
	Value  any // as Git or the server's own default has it
}

// Op is one operation of a JSON patch.
type Op struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Patch changes exactly the given paths of this very object: it tests UID and
// resourceVersion first, so that an index of a list item cannot mean another
// one. An edit that is already so makes no operation; no edit left makes no
// patch at all.
func Patch(current *unstructured.Unstructured, edits []Edit) ([]Op, error) {
	ops := []Op{
		{Op: "test", Path: "/metadata/uid", Value: string(current.GetUID())},
		{Op: "test", Path: "/metadata/resourceVersion", Value: current.GetResourceVersion()},
	}
	tests := len(ops)
	var root any = current.DeepCopy().Object
	for _, e := range edits {
		op, err := operation(root, e)
		if err != nil {
			return nil, fmt.Errorf("%s %s at %s: %w", current.GetKind(), current.GetName(), keyedpath.Pointer(e.Path), err)
		}
		if op == nil {
			continue
		}
		ops = append(ops, *op)
		// The next edit meets the object as this one leaves it.
		if root, err = after(root, e); err != nil {
			return nil, fmt.Errorf("%s %s at %s: %w", current.GetKind(), current.GetName(), keyedpath.Pointer(e.Path), err)
		}
	}
	if len(ops) == tests {
		return nil, nil
	}
	return ops, nil
}

func after(root any, e Edit) (any, error) {
	if e.Remove {
		return keyedpath.Remove(root, e.Path), nil
	}
	return keyedpath.Set(root, e.Path, deepCopy(e.Value))
}

// operation is one edit in the words of RFC 6902; nil if there is nothing to do.
func operation(root any, e Edit) (*Op, error) {
	there := keyedpath.Present(root, e.Path)
	if e.Remove {
		if len(there) < len(e.Path) {
			return nil, nil
		}
		at, err := keyedpath.Locate(root, e.Path)
		return &Op{Op: "remove", Path: at}, err
	}
	if len(there) == len(e.Path) {
		at, err := keyedpath.Locate(root, e.Path)
		return &Op{Op: "replace", Path: at, Value: deepCopy(e.Value)}, err
	}
	// Whatever is missing on the way comes with the value.
	next := e.Path[:len(there)+1]
	at, err := keyedpath.Locate(root, next)
	if err != nil {
		return nil, err
	}
	whole, err := keyedpath.Set(nil, e.Path[len(there):], deepCopy(e.Value))
	if err != nil {
		return nil, err
	}
	value, ok := keyedpath.Get(whole, next[len(there):])
	if !ok {
		return nil, keyedpath.ErrNoPlace
	}
	return &Op{Op: "add", Path: at, Value: value}, nil
}
