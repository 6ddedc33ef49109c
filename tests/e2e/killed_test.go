// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// kills is how often the controller is killed; FAULTS_KILLS says more, and
// FAULTS_FIRST with which seed to begin.
func kills(t *testing.T) (first, count uint64) {
	t.Helper()
	number := func(name string, otherwise uint64) uint64 {
		said := os.Getenv(name)
		if said == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(said, 10, 32)
		if err != nil {
			t.Fatalf("%s=%s is no number: %v", name, said, err)
		}
		return n
	}
	const few = 2
	return number("FAULTS_FIRST", 1), number("FAULTS_KILLS", few)
}

// ground is an application at Prune that commits are made to.
type ground struct {
	*lab.Space
	kube kubernetes.Interface
	// declared are the maps in Git with their values, foreign those that a
	// person made under a name that Git had dropped.
	declared map[string]string
	foreign  map[string]types.UID
}

// TestKilledWhilePruning: a commit adds, changes and drops objects, a person
// makes others of the same name, and the controller is killed somewhere on its
// way. Whatever was sent before and after, the audit log has no deletion of what
// Git declares or a person made, and in the end the cluster is what Git says.
func TestKilledWhilePruning(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	if !readsAuditLog(t, s) {
		return
	}
	kube, err := kubernetes.NewForConfig(s.Cluster.AdminConfig())
	must(t, err)
	g := &ground{Space: s, kube: kube, declared: map[string]string{"m-stays": "0"}, foreign: map[string]types.UID{}}
	must(t, s.Project(t.Context(), nil))
	g.commit(t, "first")
	spec := "{project: " + s.Namespace + ", stage: Prune, identity: {apply: deployer, prune: pruner}, prune: {quarantine: 0s, maxDeletions: 100000}}"
	must(t, s.Declare(t.Context(), "maps", "maps", []byte(spec)))
	must(t, s.AtStage(t.Context(), "maps", api.StagePrune))
	must(t, s.Await(t.Context(), "maps", lab.Condition{Type: "Synced", Status: "True"}))
	first, count := kills(t)
	for seed := first; seed < first+count; seed++ {
		if err := g.round(t, seed); err != nil {
			t.Fatalf("seed %d (FAULTS_FIRST=%d FAULTS_KILLS=1 shows it again): %v", seed, seed, err)
		}
	}
}

func (g *ground) commit(t *testing.T, message string) {
	t.Helper()
	content := files{}
	for name, value := range g.declared {
		content["maps/"+name+".yaml"] = configMap(name, strconv.Quote(value))
	}
	push(t, g.Space, message, content)
}

// round is one commit, one death and one look at what came of it.
func (g *ground) round(t *testing.T, seed uint64) error {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 23)) //nolint:gosec // worlds, not secrets
	if r.IntN(3) == 0 {
		if err := g.leave(t.Context()); err != nil {
			return err
		}
	}
	before, began := maps.Clone(g.declared), time.Now()
	for i := range 8 {
		name := fmt.Sprint("m-", i)
		switch _, there := g.declared[name]; {
		case g.foreign[name] != "":
		case there && r.IntN(2) == 0:
			delete(g.declared, name)
		case r.IntN(2) == 0:
			g.declared[name] = fmt.Sprint(seed)
		}
	}
	g.commit(t, fmt.Sprint("seed ", seed))
	dropped := slices.Sorted(maps.Keys(before))
	dropped = slices.DeleteFunc(dropped, func(name string) bool { _, stays := g.declared[name]; return stays })
	if len(dropped) > 0 && r.IntN(2) == 0 {
		if err := g.usurp(t.Context(), dropped[r.IntN(len(dropped))]); err != nil {
			return err
		}
	}
	if err := g.deathAfter(t.Context(), began, r.IntN(12)); err != nil {
		return err
	}
	if err := lab.Poll(t.Context(), g.done); err != nil {
		return err
	}
	if err := g.judge(t.Context(), began, dropped); err != nil {
		return err
	}
	return lab.Poll(t.Context(), g.stands)
}

// done: there is nothing left to do but what waits for a person. An object that
// was made anew while Git still declared it is adopted, and not deleted unasked.
func (g *ground) done(ctx context.Context) error {
	if err := g.stands(ctx); err != nil {
		return err
	}
	app, err := g.Application(ctx, "maps")
	if err != nil {
		return err
	}
	c, sum := app.Status.Compared, app.Status.Summary
	if c == nil || sum == nil || !strings.HasSuffix(c.Revision, g.Commit) ||
		sum.Drifted+sum.Missing+sum.Unknown > 0 || int(sum.Removed) > len(g.foreign) {
		return fmt.Errorf("not done:\n%s", g.StatusText(app))
	}
	return nil
}

// usurp is a person who makes an object of their own under a name that Git has
// just dropped.
func (g *ground) usurp(ctx context.Context, name string) error {
	maps := g.kube.CoreV1().ConfigMaps(g.Namespace)
	return lab.Poll(ctx, func(ctx context.Context) error {
		_ = maps.Delete(ctx, name, metav1.DeleteOptions{}) // it may be gone already
		made, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if err == nil {
			g.foreign[name] = made.UID
		}
		return err
	})
}

// leave is that person, who takes away what they made.
func (g *ground) leave(ctx context.Context) error {
	for name := range g.foreign {
		if err := g.kube.CoreV1().ConfigMaps(g.Namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	clear(g.foreign)
	return nil
}

// deathAfter kills the controller once it has sent so many writes, or has no
// more to send, and starts it again.
func (g *ground) deathAfter(ctx context.Context, began time.Time, writes int) error {
	idle := time.Now().Add(4 * time.Second)
	err := lab.Poll(ctx, func(ctx context.Context) error {
		events, err := g.Cluster.Audit(ctx)
		if err != nil {
			return err
		}
		sent := audit.Select(events, audit.Since(began), audit.InNamespace(g.Namespace), audit.ByUser(holdfast.Account(holdfast.Drift)))
		sent = slices.DeleteFunc(sent, func(e audit.Event) bool { return !e.IsPersisting() })
		if len(sent) <= writes && time.Now().Before(idle) {
			return fmt.Errorf("%d writes so far", len(sent))
		}
		return nil
	})
	if err != nil {
		return err
	}
	g.Controllers.Kill(holdfast.Drift)
	return g.Controllers.Start(ctx, holdfast.Drift)
}

// judge reads the audit log, and nothing that the controller says.
func (g *ground) judge(ctx context.Context, began time.Time, dropped []string) error {
	sent, err := g.Sent(ctx, audit.InNamespace(g.Namespace), audit.Since(began))
	if err != nil {
		return err
	}
	if len(sent.Foreign) > 0 {
		return fmt.Errorf("writes that no stage grants: %v", sent.Foreign)
	}
	for _, e := range sent.Pruned {
		if e.Code < 300 && !slices.Contains(dropped, e.Object.Name) {
			return fmt.Errorf("deleted %s, which the commit did not drop (it dropped %v)", e.Object.Name, dropped)
		}
	}
	return nil
}

// stands holds the cluster against Git and what the person made.
func (g *ground) stands(ctx context.Context) error {
	list, err := g.kube.CoreV1().ConfigMaps(g.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	found := map[string]corev1.ConfigMap{}
	for _, o := range list.Items {
		if strings.HasPrefix(o.Name, "m-") {
			found[o.Name] = o
		}
	}
	for name, value := range g.declared {
		if found[name].Data["KEY"] != value {
			return fmt.Errorf("%s is %q, Git says %q", name, found[name].Data["KEY"], value)
		}
		delete(found, name)
	}
	for name, uid := range g.foreign {
		if found[name].UID != uid {
			return fmt.Errorf("%s was made by a person as %s, and is %q now", name, uid, found[name].UID)
		}
		delete(found, name)
	}
	if len(found) > 0 {
		return fmt.Errorf("left behind: %v", slices.Sorted(maps.Keys(found)))
	}
	return nil
}
