// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/rollouts"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
)

type artifact = fluxmeta.Artifact

// sourceIndex finds Applications by the source they name.
const sourceIndex = "spec.sourceRef"

// projectIndex finds Applications by their Project.
const projectIndex = "spec.project"

// Changes carries news of live objects from the watches to the queue.
type Changes chan event.TypedGenericEvent[watch.Change]

// Notify is what the watch hub calls; it must not block for long.
func (c Changes) Notify(change watch.Change) {
	c <- event.TypedGenericEvent[watch.Change]{Object: change}
}

// SetupWithManager wires the reconciler: which news wakes which application.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager, changes Changes, concurrent int) error {
	indexer := mgr.GetFieldIndexer()
	if err := indexer.IndexField(ctx, &api.Application{}, sourceIndex, sourceOf); err != nil {
		return err
	}
	if err := indexer.IndexField(ctx, &api.Application{}, projectIndex, projectOf); err != nil {
		return err
	}
	if err := (&rollouts.Reconciler{Client: r.Client}).SetupWithManager(ctx, mgr); err != nil {
		return err
	}
	onlyDeleted := predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(event.UpdateEvent) bool { return false },
	}
	b := ctrl.NewControllerManagedBy(mgr).
		For(&api.Application{}, builder.WithPredicates(predicate.Or(
			predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&sourcev1.GitRepository{}, r.bySource(sourcev1.GitRepositoryKind), builder.WithPredicates(artifactChanged)).
		Watches(&sourcev1.OCIRepository{}, r.bySource(sourcev1.OCIRepositoryKind), builder.WithPredicates(artifactChanged)).
		Watches(&sourcev1.GitRepository{}, r.byAnswer(sourcev1.GitRepositoryKind), builder.WithPredicates(handledChanged)).
		Watches(&sourcev1.OCIRepository{}, r.byAnswer(sourcev1.OCIRepositoryKind), builder.WithPredicates(handledChanged)).
		Watches(&api.Approval{}, handler.EnqueueRequestsFromMapFunc(byApplication)).
		Watches(&api.BreakGlass{}, handler.EnqueueRequestsFromMapFunc(byApplication), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&api.Project{}, handler.EnqueueRequestsFromMapFunc(r.byProject), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&api.StageRollout{}, handler.EnqueueRequestsFromMapFunc(r.byRollout), builder.WithPredicates(rollouts.Changed)).
		Watches(&secrets.SecretReport{}, handler.EnqueueRequestsFromMapFunc(byLabel)).
		WatchesMetadata(&api.DriftReport{}, handler.EnqueueRequestsFromMapFunc(r.rewrite), builder.WithPredicates(onlyDeleted)).
		WatchesMetadata(&api.Inventory{}, handler.EnqueueRequestsFromMapFunc(r.rewrite), builder.WithPredicates(onlyDeleted)).
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, handler.EnqueueRequestsFromMapFunc(r.redefined), changedMeta).
		WatchesRawSource(source.TypedChannel(changes, r.byChange())).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent})
	admissions, err := servedAdmissions(mgr.GetRESTMapper())
	if err != nil {
		return err
	}
	for _, configuration := range admissions {
		b = b.WatchesMetadata(configuration, handler.EnqueueRequestsFromMapFunc(r.relearn), changedMeta)
	}
	return b.Complete(r)
}

// servedAdmissions are the kinds of configuration that stand between a request
// and the store, in the version that this server prefers. Older servers have
// not all of them.
func servedAdmissions(mapper meta.RESTMapper) ([]client.Object, error) {
	var served []client.Object
	for _, kind := range []string{
		"MutatingWebhookConfiguration", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	} {
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: admissionregistration.GroupName, Kind: kind})
		if meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("asking the API server for %s: %w", kind, err)
		}
		o := &metav1.PartialObjectMetadata{}
		o.SetGroupVersionKind(mapping.GroupVersionKind)
		served = append(served, o)
	}
	return served, nil
}

func sourceOf(o client.Object) []string {
	app, ok := o.(*api.Application)
	if !ok {
		return nil
	}
	namespace := app.Spec.SourceRef.Namespace
	if namespace == "" {
		namespace = app.Namespace
	}
	return []string{app.Spec.SourceRef.Kind + "/" + namespace + "/" + app.Spec.SourceRef.Name}
}

func projectOf(o client.Object) []string {
	if app, ok := o.(*api.Application); ok && app.Spec.Project != "" {
		return []string{app.Spec.Project}
	}
	return nil
}

// fluxSource is what both kinds of source have.
type fluxSource interface {
	GetArtifact() *artifact
	GetConditions() []metav1.Condition
}

// artifactChanged lets through what can change a run: another artifact, or
// another word about readiness.
var artifactChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok := e.ObjectOld.(fluxSource)
		after, also := e.ObjectNew.(fluxSource)
		if !ok || !also {
			return true
		}
		return digestOf(before.GetArtifact()) != digestOf(after.GetArtifact()) || readiness(before) != readiness(after)
	},
}

func digestOf(a *artifact) string {
	if a == nil {
		return ""
	}
	return a.Revision + " " + a.Digest
}

func readiness(s fluxSource) string {
	for _, c := range s.GetConditions() {
		if c.Type == contract.ReadyCondition {
			return string(c.Status) + c.Reason + c.Message
		}
	}
	return ""
}

func (r *Reconciler) bySource(kind string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
		return r.indexed(ctx, sourceIndex, kind+"/"+o.GetNamespace()+"/"+o.GetName())
	})
}

func (r *Reconciler) byProject(ctx context.Context, o client.Object) []reconcile.Request {
	return r.indexed(ctx, projectIndex, o.GetName())
}

func (r *Reconciler) byRollout(ctx context.Context, o client.Object) []reconcile.Request {
	return r.indexed(ctx, rollouts.Index, o.GetName())
}

func (r *Reconciler) indexed(ctx context.Context, index, value string) []reconcile.Request {
	var list api.ApplicationList
	if err := r.List(ctx, &list, client.MatchingFields{index: value}); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "finding the applications that news is for", index, value)
		return nil
	}
	return requestsFor(list)
}

// byApplication wakes what a BreakGlass or an Approval is about.
func byApplication(_ context.Context, o client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: applicationOf(o)}}}
}

func byLabel(_ context.Context, o client.Object) []reconcile.Request {
	app, ok := o.GetLabels()[contract.ApplicationLabel]
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: app}}}
}

// rewrite answers the deletion of a page: it is written again.
func (r *Reconciler) rewrite(ctx context.Context, o client.Object) []reconcile.Request {
	requests := byLabel(ctx, o)
	for _, req := range requests {
		r.Pages.Forget(req.NamespacedName)
	}
	return requests
}

// changedMeta leaves out what cannot change a kind, a schema or a webhook: the
// first list at a start, and status. A definition is served some time after it
// is created, which its conditions tell, so its updates all count.
var changedMeta = builder.WithPredicates(predicate.Funcs{
	CreateFunc: func(e event.CreateEvent) bool { return !e.IsInInitialList },
})

// redefined answers a definition that came, went or changed.
func (r *Reconciler) redefined(ctx context.Context, o client.Object) []reconcile.Request {
	r.Cluster.Redefined(o.GetName(), o.GetGeneration())
	return r.relearn(ctx, o)
}

// relearn answers a new kind, schema or webhook: what was asked before about
// them is asked again, and every application is walked.
func (r *Reconciler) relearn(ctx context.Context, _ client.Object) []reconcile.Request {
	r.Cluster.Invalidate()
	var list api.ApplicationList
	if err := r.List(ctx, &list); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "finding the applications to compare under a new schema")
		return nil
	}
	return requestsFor(list)
}

func requestsFor(list api.ApplicationList) []reconcile.Request {
	requests := make([]reconcile.Request, 0, len(list.Items))
	for i := range list.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return requests
}

// gathering is how long the news after the first of a burst waits, so that a
// hundred edits cost a few status writes and not a hundred.
const gathering = time.Second

// byChange wakes the applications that declare the object.
func (r *Reconciler) byChange() handler.TypedEventHandler[watch.Change, reconcile.Request] {
	return handler.TypedFuncs[watch.Change, reconcile.Request]{
		GenericFunc: func(_ context.Context, e event.TypedGenericEvent[watch.Change], q queue) {
			for _, user := range r.Hub.Users(e.Object.Key) {
				namespace, name, _ := strings.Cut(user, "/")
				req := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
				if wait := r.gatherFor(req.NamespacedName); wait > 0 {
					q.AddAfter(req, wait)
					continue
				}
				q.Add(req)
			}
		},
	}
}

// gatherFor is how long news of an application waits now. What comes during a
// run is the rest of the burst that the run answers: let through at once, it
// would make the second status write right after the first.
func (r *Reconciler) gatherFor(name types.NamespacedName) time.Duration {
	if _, busy := r.apps.busy.Load(name); busy {
		return gathering
	}
	last, ok := r.apps.lastWrite.Load(name)
	if !ok {
		return 0
	}
	return gathering - r.Clock.Since(last.(time.Time)) //nolint:forcetypeassert // nothing else is stored
}

// watchObjects asks for a metadata watch on each kind and namespace that the
// application declares, and no others.
func (r *Reconciler) watchObjects(app *api.Application, in inputs, set desired.Set) []watch.Key {
	user := client.ObjectKeyFromObject(app).String()
	if in.denied != "" {
		r.Hub.Release(user)
		return nil
	}
	var keys []watch.Key
	add := func(kind schema.GroupVersionKind, namespace string) {
		key, served := r.keyOf(in, kind)
		if key.Namespace = namespace; served && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, o := range set.Objects {
		if !o.UnknownKind && o.Refusal == "" {
			add(o.GroupVersionKind(), o.ID().Namespace)
		}
	}
	for _, o := range in.checked() {
		add(o.GroupVersionKind(), o.GetNamespace())
	}
	r.Hub.Set(user, in.observer.Metadata(), keys)
	return keys
}

// keyOf is the watch of a kind, but for its namespace.
func (r *Reconciler) keyOf(in inputs, kind schema.GroupVersionKind) (key watch.Key, served bool) {
	if key, known := in.keys[kind.GroupKind()]; known {
		return key, true
	}
	resource, err := r.Cluster.Resource(context.Background(), kind)
	if err != nil {
		return key, false // observing the object says why
	}
	key = watch.Key{Account: in.observer.Identity().String(), Resource: resource.Path}
	in.keys[kind.GroupKind()] = key
	return key, true
}
