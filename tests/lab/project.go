// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Accounts that write for an application.
const (
	Deployer = "deployer"
	Pruner   = "pruner"
)

//go:embed writers.yaml
var writersYAML string

// Project declares the Project of a Space, named like its namespace, and the
// accounts that write there. The YAML of spec, which may be empty, is merged
// over one that allows every stage in the one namespace.
func (s *Space) Project(ctx context.Context, spec []byte) error {
	objects, err := Decode([]byte(strings.ReplaceAll(writersYAML, "${NS}", s.Namespace)))
	if err != nil {
		return err
	}
	text, err := json.Marshal(api.ProjectSpec{
		ApplicationNamespaces: []string{s.Namespace}, MaxStage: api.StagePrune,
		Destinations: []api.ProjectDestination{{Namespace: s.Namespace}},
	})
	if err != nil {
		return fmt.Errorf("encoding Project %s: %w", s.Namespace, err)
	}
	if len(spec) > 0 {
		patch, err := yaml.YAMLToJSON(spec)
		if err != nil {
			return fmt.Errorf("spec of Project %s: %w", s.Namespace, err)
		}
		if text, err = jsonpatch.MergePatch(text, patch); err != nil {
			return fmt.Errorf("spec of Project %s: %w", s.Namespace, err)
		}
	}
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		return fmt.Errorf("spec of Project %s: %w", s.Namespace, err)
	}
	o := &unstructured.Unstructured{Object: map[string]any{"spec": content}}
	o.SetGroupVersionKind(api.GroupVersion.WithKind("Project"))
	o.SetName(s.Namespace)
	return s.Apply(ctx, "platform-engineer", append(objects, o))
}

// AtStage waits until a stage is in effect, for the present declaration.
func (s *Space) AtStage(ctx context.Context, name string, want api.Stage) error {
	return Poll(ctx, func(ctx context.Context) error {
		app, err := s.Application(ctx, name)
		if err == nil && (app.Status.Stage.Effective != want || app.Status.ObservedGeneration != app.Generation) {
			err = fmt.Errorf("want stage %s, have:\n%s", want, s.StatusText(app))
		}
		return err
	})
}

// Approve approves a plan of an application (heal, prune or undo), once it
// waits for that.
func (s *Space) Approve(ctx context.Context, name, which string) error {
	return Poll(ctx, func(ctx context.Context) error {
		app, err := s.Application(ctx, name)
		if err != nil {
			return err
		}
		var plan *api.PlanStatus
		if plans := app.Status.Plans; plans != nil {
			plan = map[string]*api.PlanStatus{"heal": plans.Heal, "prune": plans.Prune, "undo": plans.Undo}[which]
		}
		if plan == nil || plan.State != api.PlanAwaitingApproval {
			return fmt.Errorf("no %s plan of %s waits:\n%s", which, name, s.PlansText(app))
		}
		return s.Client.Create(ctx, &api.Approval{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, GenerateName: name + "-"},
			Spec: api.ApprovalSpec{
				Application: name, Digest: plan.Digest, By: "anna", Reason: "read and understood",
				Until: metav1.NewTime(time.Now().Add(time.Hour)),
			},
		})
	})
}
