// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package writer sends the few writes that verbs make: what the user asked for
// and nothing beside it.
//
// In: a connection with the user's own kubeconfig, and objects. Out: what was
// stored, or a Fault that says what to do next.
//
// It never writes an object that a verb did not name, and never retries over
// somebody else's change.
package writer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
)

// FieldManager owns what the verbs write.
const FieldManager = "holdfast"

// Writer writes to one API server.
type Writer struct {
	client client.Client
	at     *cluster.Cluster
}

// New connects.
func New(c *cluster.Cluster) (*Writer, error) {
	made, err := client.New(c.Config(), client.Options{Scheme: c.Scheme()})
	if err != nil {
		return nil, c.Explain(err, "its API")
	}
	return &Writer{client: made, at: c}, nil
}

// Create stores a new object.
func (w *Writer) Create(ctx context.Context, o client.Object) error {
	return w.Explain(w.client.Create(ctx, o, client.FieldOwner(FieldManager)), "creating", o)
}

// Merge changes fields of an object; a nil value removes one.
func (w *Writer) Merge(ctx context.Context, o client.Object, change map[string]any) error {
	text, err := json.Marshal(change)
	if err != nil {
		return fmt.Errorf("encoding a change: %w", err)
	}
	err = w.client.Patch(ctx, o, client.RawPatch(types.MergePatchType, text), client.FieldOwner(FieldManager))
	return w.Explain(err, "changing", o)
}

// Delete deletes an object; one that is gone already is no error.
func (w *Writer) Delete(ctx context.Context, o client.Object) error {
	return w.Explain(client.IgnoreNotFound(w.client.Delete(ctx, o)), "deleting", o)
}

// Apply applies an object server-side. A field that another manager owns with
// another value is a conflict, unless force is asked.
func (w *Writer) Apply(ctx context.Context, o runtime.ApplyConfiguration, force bool) error {
	opts := []client.ApplyOption{client.FieldOwner(FieldManager)}
	if force {
		opts = append(opts, client.ForceOwnership)
	}
	return w.client.Apply(ctx, o, opts...)
}

// Try asks what the server would say to an apply; nothing is stored.
func (w *Writer) Try(ctx context.Context, u *unstructured.Unstructured) error {
	return w.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), client.FieldOwner(FieldManager), client.ForceOwnership, client.DryRunAll)
}

// Own applies an object, and takes over fields that other verbs of this command
// set by a patch: to the API server that is another owner of the same name. What
// anybody else owns stays a conflict, which is not forced: the second request
// asks that the object is still the one that the first was refused on.
func (w *Writer) Own(ctx context.Context, u *unstructured.Unstructured) error {
	err := w.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), false)
	if !onlyOurs(err) {
		return err
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(u.GroupVersionKind())
	if err := w.client.Get(ctx, client.ObjectKeyFromObject(u), live); err != nil {
		return err
	}
	held := u.DeepCopy()
	held.SetResourceVersion(live.GetResourceVersion())
	if err := w.Apply(ctx, client.ApplyConfigurationFromUnstructured(held.DeepCopy()), false); !onlyOurs(err) {
		return err
	}
	return w.Apply(ctx, client.ApplyConfigurationFromUnstructured(held), true)
}

// onlyOurs says whether an apply was refused because of our own fields alone.
// The API names the manager in a sentence and nowhere else.
func onlyOurs(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsConflict(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return false
	}
	causes := status.Status().Details.Causes
	return len(causes) > 0 && !slices.ContainsFunc(causes, func(c metav1.StatusCause) bool {
		return c.Type != metav1.CauseTypeFieldManagerConflict || !strings.HasPrefix(c.Message, `conflict with "`+FieldManager+`"`)
	})
}

// Explain turns an error of a write into a Fault with the next step.
func (w *Writer) Explain(err error, doing string, o client.Object) error {
	what := fmt.Sprintf("%s %T %s", doing, o, client.ObjectKeyFromObject(o))
	if kind, e := w.client.GroupVersionKindFor(o); e == nil {
		what = fmt.Sprintf("%s %s %s", doing, kind.Kind, client.ObjectKeyFromObject(o))
	}
	switch {
	case err == nil:
		return nil
	case apierrors.IsAlreadyExists(err):
		return &cluster.Fault{Kind: cluster.Refused, Cause: err, What: what + ": it exists already",
			Next: "Name another, or look at the one that is there with kubectl."}
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return &cluster.Fault{Kind: cluster.Refused, Cause: err, What: fmt.Sprintf("%s: the API server refuses it: %v", what, err),
			Next: "Nothing was stored. Correct what it names."}
	case apierrors.IsConflict(err):
		return &cluster.Fault{Kind: cluster.Refused, Cause: err, What: fmt.Sprintf("%s: %v", what, err),
			Next: "Somebody else changed it meanwhile, or owns the field. Look at it, then run the same again."}
	default:
		return w.at.Explain(err, what)
	}
}
