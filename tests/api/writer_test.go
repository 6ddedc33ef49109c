// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/actuate"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

// TestWriterMadeToTry: with the drift-controller's own token and a grant that
// allows everything, the writer gets no further than RBAC and the policy let
// the account that it acts as.
func TestWriterMadeToTry(t *testing.T) {
	c := installed(t)
	config := withToken(t, c, "holdfast-system", "drift-controller")
	kinds, err := observe.Connect(config, observe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	writer := actuate.New(config, kinds.Served, actuate.Options{})
	eventually(t, "the deployer may be acted as", func(ctx context.Context) (bool, error) {
		_, err := client(t, asController(t, c, "users", "users-deployer")).CoreV1().ConfigMaps("users").Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
		return err == nil, err
	})
	id := func(namespace string) manifest.ID {
		return manifest.ID{Kind: "ConfigMap", Namespace: namespace, Name: "fresh"}
	}
	create := func(namespace string) plan.Step {
		return plan.Step{Verb: plan.Create, Needs: drift.StageSync, ID: id(namespace), Version: "v1"}
	}
	remove := plan.Step{Verb: plan.Delete, Needs: drift.StagePrune, ID: manifest.ID{Kind: "ConfigMap", Namespace: "users", Name: "kube-root-ca.crt"}, Version: "v1", UID: "any", State: "1"}
	user := func(name string) string { return "system:serviceaccount:users:" + name }
	tries := map[string]struct {
		account string
		step    plan.Step
		says    string // in the refusal; empty: it is done
	}{
		"the deployer creates":   {user("users-deployer"), create("users"), ""},
		"the observer creates":   {user("users-observer"), create("users"), "is an observer"},
		"the pruner creates":     {user("users-pruner"), create("users"), "cannot patch"},
		"the deployer deletes":   {user("users-deployer"), remove, "cannot delete"},
		"the observer deletes":   {user("users-observer"), remove, "cannot delete"},
		"an account of nobody":   {user("default"), create("users"), "cannot impersonate"},
		"a person":               {"anna", create("users"), "cannot impersonate"},
		"another namespace":      {user("users-deployer"), create("default"), "cannot patch"},
		"the controller's own":   {"system:serviceaccount:holdfast-system:drift-controller", create("users"), "cannot"},
		"an account of a system": {"system:serviceaccount:kube-system:default", create("users"), "cannot impersonate"},
	}
	for name, try := range tries {
		t.Run(name, func(t *testing.T) {
			declared := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
			declared.SetNamespace(try.step.ID.Namespace)
			declared.SetName(try.step.ID.Name)
			grant := actuate.Grant{Stage: drift.StagePrune, Apply: try.account, Prune: try.account, Refuses: func(manifest.ID) string { return "" }}
			got := writer.Do(t.Context(), grant, []actuate.Order{{Step: try.step, Declared: declared}})[0]
			if try.says == "" {
				if got.Result != actuate.Done || !got.Created {
					t.Errorf("it may: %s %q", got.Result, got.Message)
				}
				return
			}
			if got.Result != actuate.Refused || got.Writes != 0 || !strings.Contains(got.Message, try.says) {
				t.Errorf("want a refusal with %q, got %s %q", try.says, got.Result, got.Message)
			}
		})
	}
}

// TestAsksSourcesOnly: the right to patch a source is one to ask it.
func TestAsksSourcesOnly(t *testing.T) {
	c := installed(t)
	made, err := dynamic.NewForConfig(withToken(t, c, "holdfast-system", "drift-controller"))
	if err != nil {
		t.Fatal(err)
	}
	sources := made.Resource(schema.GroupVersionResource{Group: "source.toolkit.fluxcd.io", Version: "v1", Resource: "gitrepositories"}).Namespace("holdfast-system")
	patch := func(ctx context.Context, text string) error {
		_, err := sources.Patch(ctx, "prod-manifests", types.MergePatchType, []byte(text), metav1.PatchOptions{DryRun: dryRun})
		return err
	}
	refused := func(err error) bool {
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "holdfast-sources")
	}
	eventually(t, "the policy is in force", func(ctx context.Context) (bool, error) {
		err := patch(ctx, `{"spec":{"url":"https://git.example.com/other"}}`)
		return refused(err), err
	})
	if err := patch(t.Context(), `{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":"now"}}}`); err != nil {
		t.Errorf("asking: %v", err)
	}
	for name, text := range map[string]string{
		"suspends it":             `{"spec":{"suspend":true}}`,
		"labels it":               `{"metadata":{"labels":{"a":"b"}}}`,
		"another annotation":      `{"metadata":{"annotations":{"a":"b"}}}`,
		"a finalizer":             `{"metadata":{"finalizers":["a/b"]}}`,
		"an owner":                `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"b"}]}}`,
		"a question with a grain": `{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":"now"}},"spec":{"interval":"1h"}}`,
	} {
		if err := patch(t.Context(), text); !refused(err) {
			t.Errorf("%s: want a refusal by the policy, got %v", name, err)
		}
	}
}

// TestWritesOneFinalizer: the right to patch an Application is one to put on the
// finalizer and to take it off.
func TestWritesOneFinalizer(t *testing.T) {
	c := installed(t)
	made, err := dynamic.NewForConfig(withToken(t, c, "holdfast-system", "drift-controller"))
	if err != nil {
		t.Fatal(err)
	}
	apps := made.Resource(applications).Namespace("users")
	list, err := apps.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("the samples have an Application: %d, %v", len(list.Items), err)
	}
	patch := func(ctx context.Context, text string) error {
		_, err := apps.Patch(ctx, list.Items[0].GetName(), types.MergePatchType, []byte(text), metav1.PatchOptions{DryRun: dryRun})
		return err
	}
	refused := func(err error) bool {
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "holdfast-applications")
	}
	eventually(t, "the policy is in force", func(ctx context.Context) (bool, error) {
		err := patch(ctx, `{"spec":{"stage":"Prune"}}`)
		return refused(err), err
	})
	if err := patch(t.Context(), `{"metadata":{"finalizers":["drift.holdfast.dev/prune"]}}`); err != nil {
		t.Errorf("the finalizer: %v", err)
	}
	for name, text := range map[string]string{
		"another finalizer": `{"metadata":{"finalizers":["a/b"]}}`,
		"an annotation":     `{"metadata":{"annotations":{"a":"b"}}}`,
		"a label":           `{"metadata":{"labels":{"a":"b"}}}`,
		"keeps no longer":   `{"spec":{"deletionPolicy":"Prune"}}`,
	} {
		if err := patch(t.Context(), text); !refused(err) {
			t.Errorf("%s: want a refusal by the policy, got %v", name, err)
		}
	}
}
