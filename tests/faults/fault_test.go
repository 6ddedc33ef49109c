// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// fault is what goes wrong in a world while the controller is killed.
type fault struct {
	name string
	// first: before the commit that is meant, instead of after it.
	first bool
	begin func(context.Context, *world) error
	end   func(context.Context, *world) error
	// open: people have to decide how it goes on, so that the end is not judged
	// by what Git says.
	open bool
	// asks: the Application itself drops all and declares it again. What a commit
	// drops meanwhile waits for an Approval, and what is not there when it is
	// declared again is created as if it were new.
	asks bool
}

func nothing(context.Context, *world) error { return nil }

// faults are drawn by a seed, each as likely as the next.
var faults = []fault{
	{name: "none", begin: nothing, end: nothing},
	{name: "empty render", begin: emptied, end: mended},
	{name: "partial render", begin: broken, end: mended},
	{name: "wrong path", begin: astray, end: found, asks: true},
	{name: "damaged artifact", first: true, begin: damagedArtifact, end: healedArtifact},
	{name: "forbidden", first: true, begin: forbid, end: allow},
	{name: "copied labels", begin: copied, end: nothing},
	{name: "recreated", begin: recreate, end: nothing},
	{name: "emergency", first: true, begin: breakGlass, end: closeGlass, open: true},
	{name: "lowered", begin: lower, end: raise, open: true},
}

// emptied is a commit in which nothing is left of the path, and which nobody
// means.
func emptied(ctx context.Context, w *world) error {
	return w.commit(ctx, "oops", map[string]string{"maps/README.md": "nothing here\n", "other/m-other.yaml": manifest("m-other", "0")})
}

// broken is a commit with half of the files, one of which is no YAML.
func broken(ctx context.Context, w *world) error {
	files := map[string]string{"maps/m-broken.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: m-bro\n"}
	for name, text := range w.content() {
		if w.rand.IntN(2) == 0 {
			files[name] = text
		}
	}
	return w.commit(ctx, "half of it", files)
}

func mended(ctx context.Context, w *world) error { return w.commit(ctx, "mended", w.content()) }

// astray points the application at another folder, which has one map of its own.
func astray(ctx context.Context, w *world) error {
	w.changed["m-other"] = true
	return w.declare(ctx, w.stage, "other")
}

func found(ctx context.Context, w *world) error { return w.declare(ctx, w.stage, "maps") }

func damagedArtifact(_ context.Context, w *world) error {
	between.damage(w.Namespace, damages[w.rand.IntN(len(damages))])
	return nil
}

func healedArtifact(_ context.Context, w *world) error {
	between.damage(w.Namespace, "")
	return nil
}

// accounts are the bindings that a platform team may take away.
var accounts = []string{lab.Observer, lab.Deployer, lab.Pruner}

func binding(w *world, name string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: w.Namespace, Name: name}},
	}
}

func forbid(ctx context.Context, w *world) error {
	name := accounts[w.rand.IntN(len(accounts))]
	w.blind = name == lab.Observer
	return w.Client.Delete(ctx, binding(w, name))
}

func allow(ctx context.Context, w *world) error {
	for _, name := range accounts {
		err := w.Client.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: name}, &rbacv1.RoleBinding{})
		if client.IgnoreNotFound(err) == nil && err != nil {
			err = w.Client.Create(ctx, binding(w, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copied is an operator that copies an object with all that is on it.
func copied(ctx context.Context, w *world) error {
	for _, name := range []string{stays, adopted} {
		o := &corev1.ConfigMap{}
		err := w.Client.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: name}, o)
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		o.ObjectMeta = metav1.ObjectMeta{Namespace: w.Namespace, Name: name + "-copy", Labels: o.Labels, Annotations: o.Annotations}
		if err := w.Client.Create(ctx, o, client.FieldOwner("an-operator")); err != nil {
			return err
		}
		w.made[o.Name] = o.UID
	}
	return nil
}

// recreate makes all anew that the commit has dropped, whether it is gone or not.
func recreate(ctx context.Context, w *world) error {
	for name := range maps.Clone(w.dropped) {
		if err := w.make(ctx, name, "a person's"); err != nil {
			return err
		}
	}
	return nil
}

// stop is a moment from which a reader of a resource knows that nothing may be
// written, until another.
type stop struct {
	resource   string
	from, till time.Time
}

func breakGlass(ctx context.Context, w *world) error {
	glass := &api.BreakGlass{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "now"},
		Spec: api.BreakGlassSpec{
			Application: app, Reason: "an incident", RequestedBy: "anna", Until: metav1.NewTime(time.Now().Add(time.Hour)),
		},
	}
	if err := w.Client.Create(ctx, glass); err != nil {
		return err
	}
	w.stops = append(w.stops, stop{resource: "breakglasses", from: time.Now()})
	return nil
}

// closeGlass ends it. What was edited meanwhile holds, until people decide.
func closeGlass(ctx context.Context, w *world) error {
	w.stops[0].till = time.Now()
	return w.Client.Delete(ctx, &api.BreakGlass{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "now"}})
}

// lower takes every right away, and raise gives it back: what was changed in
// between is backlog then.
func lower(ctx context.Context, w *world) error {
	if err := w.declare(ctx, api.StageObserve, "maps"); err != nil {
		return err
	}
	w.stops = append(w.stops, stop{resource: "applications", from: time.Now()})
	return nil
}

func raise(ctx context.Context, w *world) error {
	w.stops[0].till = time.Now()
	if err := w.declare(ctx, w.stage, "maps"); err != nil {
		return fmt.Errorf("raising the stage: %w", err)
	}
	return nil
}
