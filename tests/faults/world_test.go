// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

const (
	app     = "maps"
	adopted = "m-adopted" // it was there before Holdfast
	stays   = "m-stays"   // so that no render is empty unless that is meant
	long    = time.Hour   // a quarantine that no run outlives
	plenty  = 100000      // deletions a day
)

// world is one seed: an application, its repository, and what people do.
type world struct {
	*lab.Space
	seed  uint64
	rand  *rand.Rand
	fault *fault

	stage      api.Stage
	quarantine time.Duration
	budget     int

	truth
}

// truth is what is right, whatever anybody says. Objects are named alone: all
// are ConfigMaps of the world's namespace.
type truth struct {
	declared map[string]string // by the last commit that was meant, with their values
	before   map[string]bool   // by the commit that the world began with
	changed  map[string]bool   // by the commit: new, or of another value
	dropped  map[string]bool   // by the commit, and meant so
	byHand   map[string]bool   // a person has edited or deleted it
	made     map[string]types.UID
	began    time.Time
	stops    []stop
	blind    bool // nobody could look for a while: what was edited then is backlog
}

// imagine draws a world.
func imagine(seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 23)) //nolint:gosec // worlds, not secrets
	stages := []api.Stage{
		api.StagePrune, api.StagePrune, api.StagePrune, api.StagePrune, api.StagePrune,
		api.StageSelfHeal, api.StageSync, api.StageObserve,
	}
	w := &world{seed: seed, rand: r, budget: plenty, truth: truth{
		declared: map[string]string{stays: "0", adopted: "0"}, before: map[string]bool{}, changed: map[string]bool{},
		dropped: map[string]bool{}, byHand: map[string]bool{}, made: map[string]types.UID{},
	}}
	w.stage = stages[r.IntN(len(stages))]
	w.fault = &faults[r.IntN(len(faults))]
	if r.IntN(4) == 0 {
		w.quarantine = long
	}
	if r.IntN(4) == 0 {
		w.budget = 1 + r.IntN(2)
	}
	for i := range 8 {
		if r.IntN(3) > 0 {
			w.declared[fmt.Sprint("m-", i)] = "0"
		}
	}
	for name := range w.declared {
		w.before[name] = true
	}
	return w
}

func (w *world) String() string {
	return fmt.Sprintf("seed %d (%s at %s, quarantine %s, budget %d, in %s)", w.seed, w.fault.name, w.stage, w.quarantine, w.budget, w.Namespace)
}

// begin brings the world to rest at its stage.
func (w *world) begin(ctx context.Context, t *testing.T) {
	t.Helper()
	w.Space = lab.Get(t).Space(t, "")
	must(t, w.Project(ctx, nil))
	there := []string{adopted}
	if w.stage == api.StageObserve {
		there = slices.Sorted(maps.Keys(w.declared)) // nobody else creates them
	}
	for _, name := range there {
		must(t, w.make(ctx, name, w.declared[name]))
	}
	must(t, w.commit(ctx, "first", w.content()))
	must(t, w.declare(ctx, w.stage, "maps"))
}

func (w *world) declare(ctx context.Context, s api.Stage, path string) error {
	spec := fmt.Sprintf(`
project: %s
stage: %s
identity: {apply: deployer, prune: pruner}
prune: {quarantine: %s, maxDeletions: %d}
sync: {retry: {backoff: {duration: 1s, maxDuration: 5s}}}`, w.Namespace, s, w.quarantine, w.budget)
	return w.Declare(ctx, app, path, []byte(spec))
}

// rests waits until the world is what its first commit says.
func (w *world) rests(ctx context.Context) error {
	return lab.Poll(ctx, func(ctx context.Context) error {
		a, err := w.Application(ctx, app)
		if err != nil {
			return err
		}
		sum, c := a.Status.Summary, a.Status.Compared
		if a.Status.Stage.Effective != w.stage || a.Status.ObservedGeneration != a.Generation || c == nil || sum == nil ||
			!strings.HasSuffix(c.Revision, w.Commit) || sum.Drifted+sum.Missing+sum.Unknown > 0 {
			return fmt.Errorf("%s has not begun:\n%s", w, w.StatusText(a))
		}
		return nil
	})
}

func (w *world) content() map[string]string {
	files := map[string]string{"other/m-other.yaml": manifest("m-other", "0")}
	for name, value := range w.declared {
		files["maps/"+name+".yaml"] = manifest(name, value)
	}
	return files
}

func manifest(name, value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {KEY: %q}}\n", name, value)
}

// commit makes the repository hold exactly these files.
func (w *world) commit(ctx context.Context, message string, files map[string]string) error {
	dir, err := os.MkdirTemp("", "holdfast-world-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return w.Push(ctx, message, dir)
}

// move is the commit that is meant: it adds, changes and drops.
func (w *world) move(ctx context.Context) error {
	for i := range 8 {
		name := fmt.Sprint("m-", i)
		_, there := w.declared[name]
		switch {
		case there && w.rand.IntN(2) == 0:
			delete(w.declared, name)
			w.dropped[name] = true
		case w.rand.IntN(2) == 0 && w.made[name] == "":
			w.declared[name], w.changed[name] = fmt.Sprint(w.seed), true
		}
	}
	if w.rand.IntN(3) == 0 {
		delete(w.declared, adopted) // which waits for an Approval
		w.dropped[adopted] = true
	}
	return w.commit(ctx, fmt.Sprint("seed ", w.seed), w.content())
}

// people are those who do not know of Git: some edit, some delete, some make
// anew what is declared.
func (w *world) people(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(w.declared)) {
		var err error
		switch w.rand.IntN(8) {
		case 0:
			w.byHand[name] = true
			o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
			err = w.Client.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(`{"data":{"KEY":"by hand"}}`)), client.FieldOwner("kubectl-edit"))
		case 1:
			w.byHand[name] = true
			delete(w.made, name)
			err = w.Client.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}})
		case 2:
			err = w.make(ctx, name, w.declared[name])
		}
		if err = client.IgnoreNotFound(err); err != nil {
			return fmt.Errorf("a person and %s: %w", name, err)
		}
	}
	return nil
}

// usurp is a person who makes an object of their own under a name that Git has
// just dropped.
func (w *world) usurp(ctx context.Context) error {
	names := slices.Sorted(maps.Keys(w.dropped))
	if len(names) == 0 || w.rand.IntN(2) == 0 {
		return nil
	}
	return w.make(ctx, names[w.rand.IntN(len(names))], "a person's")
}

// make creates an object as a person, in the place of what may be there.
func (w *world) make(ctx context.Context, name, value string) error {
	return lab.Poll(ctx, func(ctx context.Context) error {
		o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}, Data: map[string]string{"KEY": value}}
		err := w.Client.Delete(ctx, o.DeepCopy())
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		if err := w.Client.Create(ctx, o, client.FieldOwner("kubectl-create")); err != nil {
			return err // it was created in between
		}
		w.made[name] = o.UID
		return nil
	})
}
