// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// patience bounds each wait. It is long: an overloaded machine is late, and
// only a test that fails ever waits to the end.
const patience = 90 * time.Second

// Poll calls the probe until it is content, or says what was wrong last.
func Poll(ctx context.Context, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		err := probe(ctx)
		if err == nil {
			return nil
		}
		// What the end of the wait cut short says nothing about the wait.
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(last, ctx.Err())
		}
	}
}

func openFolder(folder string) (fs.FS, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", folder, err)
	}
	return root.FS(), nil
}

// ours is what a Space itself puts into its namespace.
var ours = []api.KeptStray{
	{KindSelector: api.KindSelector{Kind: "ServiceAccount", Name: Observer}, Reason: "who looks"},
	{KindSelector: api.KindSelector{Group: "rbac.authorization.k8s.io", Kind: "*", Name: "*" + Observer}, Reason: "how it may look"},
	{KindSelector: api.KindSelector{Group: "rbac.authorization.k8s.io", Kind: "*", Name: Observer + "*"}, Reason: "how it may look"},
	{KindSelector: api.KindSelector{Group: "*", Kind: "*", Name: "*" + Deployer}, Reason: "who applies"},
	{KindSelector: api.KindSelector{Group: "*", Kind: "*", Name: Pruner}, Reason: "who deletes"},
}

// Declare creates an Application for a path of the repository, or changes it.
// The YAML of spec, which may be empty, is merged over the least that an
// Application needs.
func (s *Space) Declare(ctx context.Context, name, path string, spec []byte) error {
	app := api.ApplicationSpec{
		SourceRef: api.SourceReference{Kind: "GitRepository", Name: Source}, Path: path,
		Identity: api.Identity{Observe: Observer},
		Strays:   &api.StrayPolicy{Keep: ours},
	}
	text, err := json.Marshal(app)
	if err != nil {
		return fmt.Errorf("encoding Application %s: %w", name, err)
	}
	if len(spec) > 0 {
		patch, err := yaml.YAMLToJSON(spec)
		if err != nil {
			return fmt.Errorf("spec of Application %s: %w", name, err)
		}
		if text, err = jsonpatch.MergePatch(text, patch); err != nil {
			return fmt.Errorf("spec of Application %s: %w", name, err)
		}
	}
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(api.GroupVersion.WithKind("Application"))
	o.SetNamespace(s.Namespace)
	o.SetName(name)
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		return fmt.Errorf("spec of Application %s: %w", name, err)
	}
	o.Object["spec"] = content
	return s.Cluster.Apply(ctx, "platform-engineer", o)
}

// Application reads one.
func (s *Space) Application(ctx context.Context, name string) (*api.Application, error) {
	app := &api.Application{}
	return app, s.Client.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: name}, app)
}

// Condition is what a condition is waited to be; an empty reason is any.
type Condition struct{ Type, Status, Reason string }

// Await waits until an Application's condition is as wanted, and is about the
// last commit. Ready=False is also an answer to it: then nothing was compared.
func (s *Space) Await(ctx context.Context, name string, want Condition) error {
	return Poll(ctx, func(ctx context.Context) error {
		app, err := s.Application(ctx, name)
		if err != nil {
			return err
		}
		c := meta.FindStatusCondition(app.Status.Conditions, want.Type)
		reached := c != nil && string(c.Status) == want.Status && (want.Reason == "" || c.Reason == want.Reason) &&
			c.ObservedGeneration == app.Generation
		if !reached || !s.answers(app) {
			return fmt.Errorf("want %s=%s %s at %s, have:\n%s", want.Type, want.Status, want.Reason, s.Commit, s.StatusText(app))
		}
		return nil
	})
}

// Answered waits until a status is about the last commit.
func (s *Space) Answered(ctx context.Context, name string) error {
	return Poll(ctx, func(ctx context.Context) error {
		app, err := s.Application(ctx, name)
		if err == nil && !s.answers(app) {
			err = fmt.Errorf("no verdict on %s yet, have:\n%s", s.Commit, s.StatusText(app))
		}
		return err
	})
}

// answers says whether a status is about the last commit.
func (s *Space) answers(app *api.Application) bool {
	if meta.IsStatusConditionFalse(app.Status.Conditions, contract.ReadyCondition) {
		return true
	}
	c := app.Status.Compared
	return c != nil && strings.HasSuffix(c.Revision, s.Commit)
}

// Entries gives all entries of an Application's report.
func (s *Space) Entries(ctx context.Context, name string) ([]api.DriftEntry, error) {
	var list api.DriftReportList
	err := s.Client.List(ctx, &list, client.InNamespace(s.Namespace), client.MatchingLabels{contract.ApplicationLabel: name})
	if err != nil {
		return nil, fmt.Errorf("reading the report of %s: %w", name, err)
	}
	var entries []api.DriftEntry
	for _, page := range list.Items {
		entries = append(entries, page.Status.Entries...)
	}
	slices.SortFunc(entries, func(a, b api.DriftEntry) int {
		return cmp.Or(strings.Compare(s.name(a.Object), s.name(b.Object)), strings.Compare(a.Path, b.Path))
	})
	return entries, nil
}

// FirstSeen gives when each entry was first seen, by object and path.
func (s *Space) FirstSeen(entries []api.DriftEntry) map[string]metav1.Time {
	seen := map[string]metav1.Time{}
	for _, e := range entries {
		seen[s.name(e.Object)+" "+e.Path] = e.FirstSeen
	}
	return seen
}
