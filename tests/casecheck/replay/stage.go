// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/hook"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// setupManager is who puts the objects of others there.
const setupManager = "platform-team"

// Stage is a cluster on which cases are played.
type Stage struct {
	cluster *cluster.Cluster
	client  dynamic.Interface
	disco   discovery.DiscoveryInterface
	mapper  meta.ResettableRESTMapper
	hook    *hook.Server
}

// Close stops what the stage has started.
func (s *Stage) Close() { s.hook.Close() }

// On prepares a cluster for cases: what they take for granted is installed.
func On(ctx context.Context, c *cluster.Cluster) (*Stage, error) {
	config := c.AdminConfig()
	// Old kinds are recorded like all others; nobody is to be told each time.
	config.WarningHandler = rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("client for the cases: %w", err)
	}
	disco, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("client for the cases: %w", err)
	}
	s := &Stage{
		cluster: c, client: client, disco: disco,
		mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco)),
	}
	given, err := givenObjects()
	if err != nil {
		return nil, err
	}
	if err := c.Apply(ctx, setupManager, given...); err != nil {
		return nil, fmt.Errorf("what all cases take for granted: %w", err)
	}
	if err := s.awaitServed(ctx, given); err != nil {
		return nil, fmt.Errorf("what all cases take for granted: %w", err)
	}
	s.hook = hook.Start()
	return s, nil
}

// setUp puts there what stands before anything happens: namespaces, objects of
// others, and the records of Helm.
func (s *Stage) setUp(ctx context.Context, c casefile.Case) error {
	for _, namespace := range c.Namespaces() {
		if err := s.namespace(ctx, namespace); err != nil {
			return err
		}
	}
	if len(c.Setup) > 0 {
		if err := s.install(ctx, c.Setup); err != nil {
			return fmt.Errorf("setup.yaml: %w", err)
		}
	}
	if hasPods(c.Live) || hasPods(c.Desired) {
		if err := s.serviceAccounts(ctx, c.Namespaces()); err != nil {
			return err
		}
	}
	for _, release := range c.Releases {
		if err := s.release(ctx, c, release); err != nil {
			return err
		}
	}
	return nil
}

// later puts there what others add when all else has happened.
func (s *Stage) later(ctx context.Context, c casefile.Case) error {
	if len(c.Later) == 0 {
		return nil
	}
	if err := s.install(ctx, c.Later); err != nil {
		return fmt.Errorf("later.yaml: %w", err)
	}
	return nil
}

// namespace makes a namespace unless it is there. Deleted and terminating ones
// do not come up: every case has namespaces of its own.
func (s *Stage) namespace(ctx context.Context, name string) error {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	resource, err := s.resource(object)
	if err != nil {
		return err
	}
	_, err = resource.Create(ctx, object, metav1.CreateOptions{FieldManager: setupManager})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("namespace %s: %w", name, err)
	}
	return nil
}

// serviceAccounts stands in for the controller that gives every namespace its
// account: without one no pod is admitted.
func (s *Stage) serviceAccounts(ctx context.Context, namespaces []string) error {
	for _, namespace := range namespaces {
		account := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ServiceAccount",
			"metadata": map[string]any{"name": "default", "namespace": namespace},
		}}
		resource, err := s.resource(account)
		if err != nil {
			return err
		}
		_, err = resource.Create(ctx, account, metav1.CreateOptions{FieldManager: "kube-controller-manager"})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("service account of %s: %w", namespace, err)
		}
	}
	return nil
}

// resource finds the endpoint of an object; a kind that is not known yet is
// asked for once more, as its definition may be new.
func (s *Stage) resource(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := s.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		s.mapper.Reset()
		mapping, err = s.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind.Kind, object.GetName(), err)
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return s.client.Resource(mapping.Resource).Namespace(object.GetNamespace()), nil
	}
	return s.client.Resource(mapping.Resource), nil
}

func contents(objects []manifest.Object) []*unstructured.Unstructured {
	out := make([]*unstructured.Unstructured, 0, len(objects))
	for _, object := range objects {
		out = append(out, object.DeepCopy())
	}
	return out
}

func hasPods(objects []manifest.Object) bool {
	return slices.ContainsFunc(objects, func(o manifest.Object) bool { return o.GetKind() == "Pod" })
}

// place says in an error which object it is about.
func place(o *unstructured.Unstructured) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", o.GetKind(), o.GetNamespace(), o.GetName()))
}
