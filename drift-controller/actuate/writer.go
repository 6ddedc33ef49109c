// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package actuate

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/refusal"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// Kinds finds how the server serves a kind.
type Kinds func(context.Context, schema.GroupVersionKind) (resource schema.GroupVersionResource, namespaced bool, err error)

// Options of a writer; zero values stand for the defaults.
type Options struct {
	// Writes that run at once for one application. Default 8.
	Writes int
	// Timeout of a single request. Default 30s.
	Timeout time.Duration
}

// Writer writes managed objects, as the accounts that a grant names.
type Writer struct {
	config  *rest.Config
	kinds   Kinds
	options Options

	mu       sync.Mutex
	accounts map[string]*account
}

// New prepares to write. It sends no request.
func New(cfg *rest.Config, kinds Kinds, o Options) *Writer {
	if o.Writes == 0 {
		o.Writes = 8
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	config := rest.CopyConfig(cfg)
	config.QPS = -1 // the server's priority and fairness is the rate limit
	config.WarningHandler = rest.NoWarnings{}
	return &Writer{config: config, kinds: kinds, options: o, accounts: map[string]*account{}}
}

// Grant is what may be done now, as the declarations say that were read for it.
type Grant struct {
	Stage api.Stage
	// Apply and Prune are the users to act as; empty: nobody may.
	Apply, Prune string
	// Refuses says why an object may not be written, by the Project's limits
	// or an emergency; empty if it may.
	Refuses func(manifest.ID) string
}

// check holds a step against the grant. What the plan allowed by what it knew
// is not enough: declarations change while a plan is carried out.
func (g Grant) check(s plan.Step) (user, refused string) {
	user = g.Apply
	if s.Verb == plan.Delete {
		user = g.Prune
	}
	switch {
	case s.Needs == "" || !stage.Includes(g.Stage, s.Needs):
		return "", fmt.Sprintf("the stage is %s now, and %s needs %s", g.Stage, s.Verb, s.Needs)
	case !stage.Includes(s.Needs, leastOf(s.Verb)):
		return "", fmt.Sprintf("%s is no right of %s", s.Verb, s.Needs)
	case user == "":
		return "", fmt.Sprintf("no account is named for it: set spec.identity.%s", accountOf(s.Verb))
	}
	return user, g.Refuses(s.ID)
}

// leastOf is the lowest stage that grants a verb.
func leastOf(v plan.Verb) api.Stage {
	switch v {
	case plan.Create, plan.Apply, plan.Restore:
		return api.StageSync
	case plan.Revert:
		return api.StageSelfHeal
	case plan.Delete, plan.Leave:
	}
	return api.StagePrune
}

func accountOf(v plan.Verb) string {
	if v == plan.Delete {
		return "prune"
	}
	return "apply"
}

// Order is one step with what it is about.
type Order struct {
	Step plan.Step
	// Declared is what Git says; nil for a deletion.
	Declared *unstructured.Unstructured
	// Made hears what the server made of the declaration, if this write created
	// the object. It may be nil, and is called from several goroutines.
	Made func(*unstructured.Unstructured)
	// Mask hides values in what the server says.
	Mask mask.Scope
}

// hide is what must not be shown of the object.
func (o Order) hide() refusal.Hide {
	if o.Declared != nil {
		return refusal.NewHide(o.Declared, o.Mask)
	}
	return refusal.Hide{Name: o.Step.ID.Name, RealName: o.Step.ID.Name, Scope: o.Mask}
}

// Result is how a step ended.
type Result string

// The results.
const (
	Done    Result = "Done"
	Moved   Result = "Moved"   // it is not what was judged: judge again
	Refused Result = "Refused" // by the grant, the server, admission or a webhook
	Failed  Result = "Failed"  // no answer that means anything
)

// Outcome is a step and how it ended.
type Outcome struct {
	Step   plan.Step
	Result Result
	// Message says what stood against it, with values masked.
	Message string
	// UID of the object as written; Created says that this write made it.
	UID     string
	Created bool
	// Writes that persisted.
	Writes int
}

// Do carries out orders in their order: those of one rank together, and the
// next rank only after them. A step that fails stops no other.
func (w *Writer) Do(ctx context.Context, g Grant, orders []Order) []Outcome {
	outcomes := make([]Outcome, len(orders))
	for from := 0; from < len(orders); {
		to := from + 1
		for to < len(orders) && orders[to].Step.Rank == orders[from].Step.Rank {
			to++
		}
		w.together(ctx, g, orders[from:to], outcomes[from:to])
		from = to
	}
	return outcomes
}

func (w *Writer) together(ctx context.Context, g Grant, orders []Order, outcomes []Outcome) {
	var group errgroup.Group
	group.SetLimit(w.options.Writes)
	for i, o := range orders {
		group.Go(func() error {
			outcomes[i] = w.one(ctx, g, o)
			return nil
		})
	}
	_ = group.Wait() // no step ends another
}

func (w *Writer) one(ctx context.Context, g Grant, o Order) Outcome {
	out := Outcome{Step: o.Step}
	user, refused := g.check(o.Step)
	if refused != "" {
		out.Result, out.Message = Refused, refused
		return out
	}
	acting, err := w.as(user)
	if err != nil {
		out.Result, out.Message = Failed, err.Error()
		return out
	}
	kind := schema.GroupVersionKind{Group: o.Step.ID.Group, Version: o.Step.Version, Kind: o.Step.ID.Kind}
	resource, namespaced, err := w.kinds(ctx, kind)
	if err != nil {
		out.Result, out.Message = Failed, o.hide().Mask(err.Error())
		return out
	}
	e := errand{account: acting, order: o, path: pathOf(resource, namespaced, o.Step.ID), out: out, timeout: w.options.Timeout}
	e.run(ctx)
	return e.out
}

// as gives the client of a user, the same one each time.
func (w *Writer) as(user string) (*account, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if known := w.accounts[user]; known != nil {
		return known, nil
	}
	made, err := newAccount(w.config, user)
	if err != nil {
		return nil, err
	}
	w.accounts[user] = made
	return made, nil
}

// Any says whether some step ended so.
func Any(outcomes []Outcome, r Result) bool {
	return slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Result == r })
}
