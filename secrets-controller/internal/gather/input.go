// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// LiveReader reads what is live in some namespaces.
type LiveReader func(ctx context.Context, namespaces []string) rule.Live

// Gatherer brings declarations and the live state together.
type Gatherer struct {
	Declarations *Declarations
	Sources      *Sources
	Live         LiveReader
}

// Around is what stands around the Application that is judged.
type Around struct {
	Applications  []driftv1.Application
	Policies      []secretsv1.SecretPolicy
	Now           time.Time
	NoStatusAfter time.Duration
	// Leaked is what the report of the Application remembers: the memory of
	// this process began when it started.
	Leaked []finding.Finding
}

// Input gathers everything for one Application. The error is that of its own
// artifact; what else cannot be read is part of the input.
func (g Gatherer) Input(ctx context.Context, app *driftv1.Application, around Around) (rule.Input, error) {
	set, err := g.Declarations.Load(ctx, app)
	if err != nil {
		return rule.Input{}, err
	}
	in := rule.Input{
		Declared: set,
		Policy:   rule.NewPolicy(around.Policies, around.Now),
		Scope:    rule.Scope{Now: around.Now, NoStatusAfter: around.NoStatusAfter, Decrypts: decrypts(app)},
	}
	in.Source = g.Sources.Load(ctx, app, in.Policy.Asks(rule.LeakInSource))
	if app.Spec.Destination.KubeConfig != nil {
		in.Live = rule.NotRead("the objects go to another cluster, which the secrets-controller does not read")
	} else {
		in.Live = g.Live(ctx, g.Declarations.namespacesOf(app))
	}
	in.Previous, in.Leaked = g.Declarations.before(app)
	in.Leaked = rule.Unrotated(in, around.Leaked)
	in.Neighbours = g.Declarations.Neighbours(ctx, app, around.Applications, in.Live.Namespaces.Items)
	return in, nil
}

// before is what a loaded declaration is compared with.
func (d *Declarations) before(app *driftv1.Application) (*declaration.Set, []finding.Finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.entries[types.NamespacedName{Namespace: app.Namespace, Name: app.Name}]; e != nil {
		return e.previous, e.leaked
	}
	return nil, nil
}

// namespacesOf lists the namespaces that a loaded declaration looks at.
func (d *Declarations) namespacesOf(app *driftv1.Application) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.entries[types.NamespacedName{Namespace: app.Namespace, Name: app.Name}]; e != nil {
		return e.namespaces
	}
	return []string{}
}

// decrypts says whether SOPS files of an Application are decrypted before they
// are rendered.
func decrypts(app *driftv1.Application) bool {
	return app.Spec.Render != nil && app.Spec.Render.Decryption != nil
}
