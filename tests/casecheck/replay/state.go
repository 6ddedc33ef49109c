// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// State makes the live objects of a case as they were recorded.
func (s *Stage) State(ctx context.Context, c casefile.Case) error {
	if err := s.setUp(ctx, c); err != nil {
		return err
	}
	uids := map[types.UID]types.UID{}
	for _, recorded := range inOrder(c.Live) {
		created, err := s.recreate(ctx, recorded.Unstructured, uids)
		if err != nil {
			return fmt.Errorf("live.yaml: %w", err)
		}
		uids[recorded.GetUID()] = created.GetUID()
		if err := s.awaitServed(ctx, []*unstructured.Unstructured{recorded.Unstructured}); err != nil {
			return fmt.Errorf("live.yaml: %w", err)
		}
	}
	return s.later(ctx, c)
}

// inOrder puts first what others need: namespaces, then definitions.
func inOrder(objects []manifest.Object) []manifest.Object {
	rank := func(o manifest.Object) int {
		return slices.Index([]string{"CustomResourceDefinition", "Namespace"}, o.GetKind())
	}
	ordered := slices.Clone(objects)
	slices.SortStableFunc(ordered, func(a, b manifest.Object) int { return rank(b) - rank(a) })
	return ordered
}

// recreate makes one object with its content, and then sets who owns what:
// the API server keeps managedFields that come in a request which changes
// nothing else.
func (s *Stage) recreate(ctx context.Context, recorded *unstructured.Unstructured, uids map[types.UID]types.UID) (*unstructured.Unstructured, error) {
	resource, err := s.resource(recorded)
	if err != nil {
		return nil, err
	}
	sent := newborn(recorded, uids)
	created, err := createOrReplace(ctx, resource, sent)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place(recorded), err)
	}
	if err := setBack(ctx, resource, sent, created); err != nil {
		return nil, fmt.Errorf("%s: %w", place(recorded), err)
	}
	if err := withStatus(ctx, resource, recorded); err != nil {
		return nil, fmt.Errorf("%s: status: %w", place(recorded), err)
	}
	owned, err := setOwners(ctx, resource, recorded)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place(recorded), err)
	}
	if recorded.GetDeletionTimestamp() == nil {
		return owned, nil
	}
	// Its finalizers keep it, as they did when it was recorded.
	return owned, resource.Delete(ctx, recorded.GetName(), metav1.DeleteOptions{})
}

// newborn is the recorded object as somebody would send it: without what the
// server gives, and with the owners that exist here.
func newborn(recorded *unstructured.Unstructured, uids map[types.UID]types.UID) *unstructured.Unstructured {
	out := recorded.DeepCopy()
	for _, field := range []string{
		"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink",
		"deletionTimestamp", "deletionGracePeriodSeconds",
	} {
		unstructured.RemoveNestedField(out.Object, "metadata", field)
	}
	delete(out.Object, "status")
	owners := out.GetOwnerReferences()
	for i, owner := range owners {
		if here, known := uids[owner.UID]; known {
			owners[i].UID = here
		}
	}
	if len(owners) > 0 {
		out.SetOwnerReferences(owners)
	}
	return withoutGenerated(out)
}

// withoutGenerated leaves out what the server insists on making up itself.
func withoutGenerated(o *unstructured.Unstructured) *unstructured.Unstructured {
	manual, _, _ := unstructured.NestedBool(o.Object, "spec", "manualSelector")
	if o.GetKind() != "Job" || manual {
		return o
	}
	unstructured.RemoveNestedField(o.Object, "spec", "selector")
	for _, label := range []string{
		"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
	} {
		unstructured.RemoveNestedField(o.Object, "metadata", "labels", label)
		unstructured.RemoveNestedField(o.Object, "spec", "template", "metadata", "labels", label)
	}
	return o
}

// createOrReplace: a Namespace may be there already, since objects in it or
// objects of others needed it.
func createOrReplace(ctx context.Context, resource dynamic.ResourceInterface, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	created, err := resource.Create(ctx, o, metav1.CreateOptions{FieldManager: setupManager})
	if apierrors.IsInvalid(err) && withoutAllocations(o) {
		created, err = resource.Create(ctx, o, metav1.CreateOptions{FieldManager: setupManager})
	}
	if !apierrors.IsAlreadyExists(err) {
		return created, err
	}
	present, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	o.SetResourceVersion(present.GetResourceVersion())
	return resource.Update(ctx, o, metav1.UpdateOptions{FieldManager: setupManager})
}

// setBack undoes what admission made of an object at its birth: it was changed
// after that, when it was recorded.
func setBack(ctx context.Context, resource dynamic.ResourceInterface, sent, created *unstructured.Unstructured) error {
	if kept(created.Object, sent.Object) {
		return nil
	}
	again := sent.DeepCopy()
	again.SetResourceVersion(created.GetResourceVersion())
	_, err := resource.Update(ctx, again, metav1.UpdateOptions{FieldManager: setupManager})
	return err
}

// kept says whether a value still has all that was sent.
func kept(have, sent any) bool {
	switch s := sent.(type) {
	case map[string]any:
		fields, ok := have.(map[string]any)
		for name, field := range s {
			ok = ok && (name == "resourceVersion" || kept(fields[name], field))
		}
		return ok || len(s) == 0
	case []any:
		items, ok := have.([]any)
		if len(items) < len(s) {
			return len(s) == 0
		}
		for i := range s {
			ok = ok && kept(items[i], s[i])
		}
		return ok
	}
	return reflect.DeepEqual(have, sent)
}

// withoutAllocations drops addresses and ports of a Service that the server it
// was recorded on had allocated, and this one does not have or gave away.
func withoutAllocations(o *unstructured.Unstructured) bool {
	ip, _, _ := unstructured.NestedString(o.Object, "spec", "clusterIP")
	if o.GetKind() != "Service" || ip == "None" {
		return false
	}
	for _, field := range []string{"clusterIP", "clusterIPs", "healthCheckNodePort"} {
		unstructured.RemoveNestedField(o.Object, "spec", field)
	}
	ports, _, _ := unstructured.NestedSlice(o.Object, "spec", "ports")
	for _, port := range ports {
		if fields, ok := port.(map[string]any); ok {
			delete(fields, "nodePort")
		}
	}
	return unstructured.SetNestedSlice(o.Object, ports, "spec", "ports") == nil
}

// withStatus writes the status of the one kind whose status decides whether
// other objects are admitted.
func withStatus(ctx context.Context, resource dynamic.ResourceInterface, recorded *unstructured.Unstructured) error {
	status, recordedStatus := recorded.Object["status"]
	if recorded.GetKind() != "ResourceQuota" || !recordedStatus {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = resource.Patch(ctx, recorded.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// setOwners writes managedFields and makes sure that the server kept them.
func setOwners(ctx context.Context, resource dynamic.ResourceInterface, recorded *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	entries, _, err := unstructured.NestedSlice(recorded.Object, "metadata", "managedFields")
	if err != nil {
		return nil, fmt.Errorf("managedFields: %w", err)
	}
	if len(entries) == 0 {
		// The one form that the server takes for "forget all owners".
		entries = []any{map[string]any{}}
	}
	patch, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/metadata/managedFields", "value": entries}})
	if err != nil {
		return nil, err
	}
	got, err := resource.Patch(ctx, recorded.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: setupManager})
	if err != nil {
		return nil, fmt.Errorf("managedFields: %w", err)
	}
	return got, sameOwners(got.GetManagedFields(), recorded.GetManagedFields())
}

func sameOwners(got, want []metav1.ManagedFieldsEntry) error {
	text := func(entries []metav1.ManagedFieldsEntry) []string {
		var all []string
		for _, e := range entries {
			all = append(all, fmt.Sprintf("%s %s %s %s %v", e.Manager, e.Operation, e.Subresource, e.APIVersion, e.Time))
		}
		slices.Sort(all)
		return all
	}
	if !slices.Equal(text(got), text(want)) {
		return fmt.Errorf("the server did not keep managedFields: has %q, recorded are %q", text(got), text(want))
	}
	return nil
}
