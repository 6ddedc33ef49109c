// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// retryUnread is how long a neighbour that could not be read is left alone. Its
// own reconciliation tries again with backoff; this only keeps every other one
// from waiting for the same dead server.
const retryUnread = 30 * time.Second

// Fetch gives the manifests of a rendered artifact.
type Fetch func(context.Context, driftv1.Rendered) ([]byte, error)

// Declarations keeps the declaration of every Application, by the digest of
// its rendered artifact. It is safe for use by several workers.
type Declarations struct {
	fetch Fetch
	now   func() time.Time
	// wake is told which Applications have to be judged again because a
	// neighbour changed something that they look at.
	wake func([]types.NamespacedName)

	mu      sync.Mutex
	entries map[types.NamespacedName]*entry
	loading map[types.NamespacedName]*sync.Mutex
}

// entry is what is known about one Application.
type entry struct {
	digest string
	set    declaration.Set
	// previous is what the revision before declared; leaked what stood in the
	// open in any revision that was read since the controller started.
	previous *declaration.Set
	leaked   []finding.Finding
	// failure is why the artifact with this digest could not be read.
	failure error
	tried   time.Time
	// destination is where its objects go.
	destination destination
	provides    map[string]string
	needs       map[string]bool
	namespaces  []string
	productions map[string][]declaration.Production
}

// NewDeclarations makes an empty store. The clock is only for retries.
func NewDeclarations(fetch Fetch, now func() time.Time, wake func([]types.NamespacedName)) *Declarations {
	return &Declarations{
		fetch: fetch, now: now, wake: wake,
		entries: map[types.NamespacedName]*entry{},
		loading: map[types.NamespacedName]*sync.Mutex{},
	}
}

// Load gives the declaration of an Application, from memory if its artifact is
// the one that was read last.
func (d *Declarations) Load(ctx context.Context, app *driftv1.Application) (declaration.Set, error) {
	e := d.load(ctx, app, 0)
	return e.set, e.failure
}

// Forget drops an Application that is gone. What it provided is missed by
// those that need it.
func (d *Declarations) Forget(name types.NamespacedName) {
	d.mu.Lock()
	old := d.entries[name]
	delete(d.entries, name)
	delete(d.loading, name)
	var woken []types.NamespacedName
	if old != nil {
		woken = d.touched(name, old, &entry{})
	}
	d.mu.Unlock()
	d.tell(woken)
}

// Touching lists the Applications that look at a namespace; those that look at
// cluster-scoped objects too when it is empty.
func (d *Declarations) Touching(namespace string) []types.NamespacedName {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []types.NamespacedName
	for name, e := range d.entries {
		if namespace == "" || slices.Contains(e.namespaces, namespace) {
			names = append(names, name)
		}
	}
	return sorted(names)
}

// load reads an artifact unless it was read, or was tried less than patience
// ago. One Application is read once at a time; different ones side by side.
func (d *Declarations) load(ctx context.Context, app *driftv1.Application, patience time.Duration) *entry {
	name := types.NamespacedName{Namespace: app.Namespace, Name: app.Name}
	d.mu.Lock()
	turn := d.loading[name]
	if turn == nil {
		turn = &sync.Mutex{}
		d.loading[name] = turn
	}
	d.mu.Unlock()
	turn.Lock()
	defer turn.Unlock()

	target := destinationOf(app)
	d.mu.Lock()
	have := d.entries[name]
	d.mu.Unlock()
	if have != nil && have.digest == app.Status.Rendered.Digest && have.destination == target {
		if have.failure == nil || d.now().Sub(have.tried) < patience {
			return have
		}
	}
	next := d.read(ctx, app, target)
	next.remember(have)
	d.put(name, have, next)
	return next
}

func (d *Declarations) read(ctx context.Context, app *driftv1.Application, target destination) *entry {
	manifests, err := d.fetch(ctx, *app.Status.Rendered)
	var objects []declaration.Object
	if err == nil {
		objects, err = declaration.Parse(manifestsFile, manifests)
	}
	if err != nil {
		e := unknown(target, err.Error())
		e.digest, e.failure, e.tried = app.Status.Rendered.Digest, err, d.now()
		return e
	}
	e := &entry{digest: app.Status.Rendered.Digest, destination: target}
	e.set = declaration.Read(objects, declaration.Options{Namespace: target.namespace})
	e.summarise()
	return e
}

// remember takes over what the rules compare with. A revision that could not
// be read is none; what leaked stays until somebody says that it was rotated.
func (e *entry) remember(have *entry) {
	if have == nil || have.destination != e.destination {
		return
	}
	e.previous, e.leaked = have.previous, have.leaked
	if have.failure == nil && have.digest != e.digest {
		set := have.set
		e.previous = &set
	}
	known := map[string]bool{}
	for _, leak := range e.leaked {
		known[leak.Fingerprint()] = true
	}
	for _, leak := range rule.Leaks(have.set) {
		if !known[leak.Fingerprint()] && len(e.leaked) < mostLeaks {
			e.leaked = append(e.leaked, leak)
		}
	}
}

// mostLeaks bounds the memory of one Application.
const mostLeaks = 200

func (d *Declarations) put(name types.NamespacedName, old, next *entry) {
	d.mu.Lock()
	d.entries[name] = next
	woken := d.touched(name, old, next)
	d.mu.Unlock()
	d.tell(woken)
}

func (d *Declarations) tell(names []types.NamespacedName) {
	if len(names) > 0 {
		d.wake(names)
	}
}

// touched lists the Applications that need something which differs between two
// states of a neighbour. The caller holds the lock.
func (d *Declarations) touched(changed types.NamespacedName, old, next *entry) []types.NamespacedName {
	if old == nil {
		// Until now it had nothing to read, and those in its namespace were
		// judged with that doubt.
		old = unknown(next.destination, "")
	}
	differs := map[string]bool{}
	for key, value := range next.provides {
		if old.provides[key] != value {
			differs[key] = true
		}
	}
	for key := range old.provides {
		if _, still := next.provides[key]; !still {
			differs[key] = true
		}
	}
	var names []types.NamespacedName
	for name, e := range d.entries {
		if name != changed && intersects(e.needs, differs) {
			names = append(names, name)
		}
	}
	return sorted(names)
}

func intersects(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for key := range maps.Keys(a) {
		if b[key] {
			return true
		}
	}
	return false
}

func sorted(names []types.NamespacedName) []types.NamespacedName {
	slices.SortFunc(names, func(a, b types.NamespacedName) int {
		return compareText(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return names
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
