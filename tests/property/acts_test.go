// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package property_test

import (
	"context"
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// hand writes objects as tools do.
type hand struct {
	client dynamic.Interface
	mapper meta.RESTMapper
}

func (h hand) of(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := o.GroupVersionKind()
	mapping, err := h.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return h.client.Resource(mapping.Resource), nil
	}
	return h.client.Resource(mapping.Resource).Namespace(o.GetNamespace()), nil
}

// refused says whether the server did not take a write, for what was in it.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsConflict(err) ||
		apierrors.IsInternalError(err) || apierrors.IsForbidden(err) || apierrors.IsNotFound(err)
}

// make creates the object of a story.
func (h hand) make(ctx context.Context, s story) error {
	o := s.object(s.made.to)
	at, err := h.of(o)
	if err != nil {
		return err
	}
	if s.made.verb == "whole" {
		_, err = at.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: s.made.manager, Force: true})
		return err
	}
	if s.made.manager == "kubectl-client-side-apply" {
		if err := remembered(o); err != nil {
			return err
		}
	}
	_, err = at.Create(ctx, o, metav1.CreateOptions{FieldManager: s.made.manager})
	return err
}

// remembered puts on what kubectl apply remembers.
func remembered(o *unstructured.Unstructured) error {
	text, err := json.Marshal(o.Object)
	if err != nil {
		return err
	}
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["kubectl.kubernetes.io/last-applied-configuration"] = string(text)
	o.SetAnnotations(annotations)
	return nil
}

// do carries out one act.
func (h hand) do(ctx context.Context, s story, a act) error {
	o := s.object(s.before)
	at, err := h.of(o)
	if err != nil {
		return err
	}
	switch a.verb {
	case "whole":
		_, err = at.Apply(ctx, s.name(), s.object(a.to), metav1.ApplyOptions{FieldManager: a.manager, Force: true})
		return err
	case "apply":
		_, err = at.Apply(ctx, s.name(), s.part(a), metav1.ApplyOptions{FieldManager: a.manager, Force: true})
		return err
	case "wipe":
		_, err = at.Patch(ctx, s.name(), types.MergePatchType, []byte(`{"metadata":{"managedFields":[{}]}}`), metav1.PatchOptions{FieldManager: a.manager})
		return err
	case "scale":
		return h.scale(ctx, at, s, a)
	}
	have, err := at.Get(ctx, s.name(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	next := have.DeepCopy()
	pull(next.Object, a)
	if a.verb == "update" {
		_, err = at.Update(ctx, next, metav1.UpdateOptions{FieldManager: a.manager})
		return err
	}
	patch, err := difference(have, next)
	if err != nil {
		return err
	}
	_, err = at.Patch(ctx, s.name(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: a.manager})
	return err
}

func difference(have, next *unstructured.Unstructured) ([]byte, error) {
	before, err := json.Marshal(have.Object)
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(next.Object)
	if err != nil {
		return nil, err
	}
	return jsonpatch.CreateMergePatch(before, after)
}

// pull sets the levers of an act, and no other.
func pull(root map[string]any, a act) {
	for _, path := range a.pulled {
		v := a.to[path]
		if _, gone := v.(away); gone {
			remove(root, path)
			continue
		}
		put(root, path, copied(v))
	}
}

// part is what a tool applies that cares for some fields only. List items that
// are on the way need their keys.
func (s story) part(a act) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(s.object(s.before).GroupVersionKind())
	o.SetName(s.name())
	if !s.kind.ClusterScoped {
		o.SetNamespace(s.namespace)
	}
	for _, path := range a.pulled {
		if _, gone := a.to[path].(away); gone {
			continue
		}
		put(o.Object, path, copied(a.to[path]))
		keys(o.Object, keyedpath.Tokens(path))
	}
	return o
}

// keys gives the items on a path, which are single there, their names.
func keys(at any, tokens []string) {
	for _, token := range tokens {
		switch t := at.(type) {
		case map[string]any:
			at = t[token]
		case []any:
			last, _ := t[len(t)-1].(map[string]any)
			if last == nil {
				return
			}
			if name, ok := nameIn(token); ok {
				last["name"] = name
			}
			at = last
		}
	}
}

func nameIn(token string) (string, bool) {
	var name string
	n, _ := fmt.Sscanf(token, "[name=%s", &name)
	if n == 0 {
		return "", false
	}
	return name[:len(name)-1], true
}

func (h hand) scale(ctx context.Context, at dynamic.ResourceInterface, s story, a act) error {
	if !s.kind.Scale {
		return nil
	}
	patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, 2+s.seed%5)
	_, err := at.Patch(ctx, s.name(), types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: a.manager}, "scale")
	return err
}

// drop deletes the object of a story, whatever holds it.
func (h hand) drop(ctx context.Context, o *unstructured.Unstructured) error {
	at, err := h.of(o)
	if err != nil {
		return err
	}
	_, err = at.Patch(ctx, o.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = at.Delete(ctx, o.GetName(), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
