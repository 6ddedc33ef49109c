// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/hook"
)

// admissionTime bounds the wait until a configuration has its effect.
const admissionTime = 30 * time.Second

// sentinels are configurations that label one object. The API server learns of
// configurations in the order in which they were stored, each kind for itself:
// once it obeys a sentinel it obeys what came before it.
var sentinels = map[string]string{
	"MutatingWebhookConfiguration": `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: NAME}
webhooks:
  - name: sentinel.cases.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: {url: "` + hook.Host + `/annotate"}
    objectSelector: {matchLabels: {cases.example.com/sentinel: NAME}}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
`,
	"MutatingAdmissionPolicy": `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: NAME}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    objectSelector: {matchLabels: {cases.example.com/sentinel: NAME}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration:
        expression: 'Object{metadata: Object.metadata{annotations: {"webhook.example.com/checked": "passed"}}}'
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: NAME}
spec: {policyName: NAME}
`,
}

var sentinelNumber atomic.Int64

// install puts objects of others there and waits until those that change
// admission do.
func (s *Stage) install(ctx context.Context, objects []manifest.Object) error {
	all := s.hook.Point(contents(objects))
	if err := s.cluster.Apply(ctx, setupManager, all...); err != nil {
		return err
	}
	if err := s.awaitServed(ctx, all); err != nil {
		return err
	}
	for kind, text := range sentinels {
		if !slices.ContainsFunc(objects, func(o manifest.Object) bool { return o.GetKind() == kind }) {
			continue
		}
		if err := s.awaitSentinel(ctx, text); err != nil {
			return fmt.Errorf("waiting for a %s to have its effect: %w", kind, err)
		}
	}
	return nil
}

func (s *Stage) awaitSentinel(ctx context.Context, text string) (err error) {
	name := fmt.Sprintf("sentinel-%d", sentinelNumber.Add(1))
	objects, err := manifest.Decode("sentinel", []byte(strings.ReplaceAll(text, "NAME", name)))
	if err != nil {
		return err
	}
	all := s.hook.Point(contents(objects))
	if err := s.cluster.Apply(ctx, setupManager, all...); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.remove(ctx, all)) }()
	wait, cancel := context.WithTimeout(ctx, admissionTime)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if obeyed, err := s.obeys(wait, name); err != nil || obeyed {
			return err
		}
		select {
		case <-wait.Done():
			return wait.Err()
		case <-tick.C:
		}
	}
}

// obeys asks the server what it would store of the object that the sentinel is
// for.
func (s *Stage) obeys(ctx context.Context, name string) (bool, error) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
			"name": name, "namespace": metav1.NamespaceDefault, "labels": map[string]any{"cases.example.com/sentinel": name},
		},
	}}
	resource, err := s.resource(object)
	if err != nil {
		return false, err
	}
	answer, err := resource.Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: setupManager})
	if err != nil {
		return false, err
	}
	return len(answer.GetAnnotations()) > 0, nil
}

func (s *Stage) remove(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		resource, err := s.resource(o)
		if err != nil {
			return err
		}
		if err := resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s: %w", place(o), err)
		}
	}
	return nil
}
