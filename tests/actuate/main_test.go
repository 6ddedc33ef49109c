// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package actuate_test

import (
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/actuate"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

func TestMain(m *testing.M) { cluster.Main(m, cluster.Options{}) }

var scope = mask.Scope{Key: mask.Key("actuate-tests")}

// world is one namespace with a writer and somebody who looks.
type world struct {
	t         *testing.T
	cluster   *cluster.Cluster
	observer  *observe.Cluster
	writer    *actuate.Writer
	live      dynamic.Interface
	namespace string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c := cluster.Get(t)
	observer, err := observe.Connect(c.AdminConfig(), observe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	live, err := dynamic.NewForConfig(c.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, cluster: c, observer: observer, live: live, namespace: cluster.Namespace(t, c)}
	w.writer = actuate.New(c.AdminConfig(), observer.Served, actuate.Options{})
	w.may("deployer", "get", "create", "patch")
	w.may("pruner", "get", "delete")
	return w
}

// may grants an account verbs on everything in the namespace.
func (w *world) may(account string, verbs ...string) {
	w.t.Helper()
	kube, err := kubernetes.NewForConfig(w.cluster.AdminConfig())
	if err != nil {
		w.t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Name: account, Namespace: w.namespace}
	role := &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: verbs}}}
	if _, err := kube.RbacV1().Roles(w.namespace).Create(w.t.Context(), role, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: account},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: account, Namespace: w.namespace}},
	}
	if _, err := kube.RbacV1().RoleBindings(w.namespace).Create(w.t.Context(), binding, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) user(account string) string {
	return "system:serviceaccount:" + w.namespace + ":" + account
}

func (w *world) grant(stage api.Stage) actuate.Grant {
	return actuate.Grant{
		Stage: stage, Apply: w.user("deployer"), Prune: w.user("pruner"),
		Refuses: func(manifest.ID) string { return "" },
	}
}

// object reads one manifest and puts it into the namespace.
func (w *world) object(text string) manifest.Object {
	w.t.Helper()
	all, err := manifest.Decode("test.yaml", []byte(text))
	if err != nil || len(all) != 1 {
		w.t.Fatalf("want one object, got %d: %v", len(all), err)
	}
	all[0].SetNamespace(w.namespace)
	return all[0]
}

// judge looks at an object as the product does, with what is remembered of it.
func (w *world) judge(o manifest.Object, memory inventory.Memory) drift.Object {
	w.t.Helper()
	seen := w.observer.Observe(w.t.Context(), o, w.observer.Gather(w.t.Context(), []manifest.Object{o}, scope))
	types, _, err := w.observer.Types(w.t.Context(), o.GroupVersionKind().GroupVersion())
	if err != nil {
		w.t.Fatal(err)
	}
	own := scope
	own.Secret = o.GetKind() == "Secret"
	return drift.Judge(drift.Input{
		Desired: o, Observation: seen, Types: types, Writers: writers.BuiltIn(), Mask: own, Now: time.Now(),
		Baseline: memory[o.ID()].Baseline.Unpack(), Known: memory.Knows(o.ID()),
	})
}

// remember is the memory after a judgement.
func remember(memory inventory.Memory, o drift.Object) inventory.Memory {
	return memory.Next([]drift.Object{o}, func(manifest.ID) string { return "" }, time.Now())
}

// carryOut plans for one object at a stage and lets the writer write.
func (w *world) carryOut(stage api.Stage, o manifest.Object, judged drift.Object, policy plan.Policy) []actuate.Outcome {
	w.t.Helper()
	policy.Stage = stage
	p := plan.Make(plan.Input{Objects: []drift.Object{judged}, Policy: policy})
	var orders []actuate.Order
	for _, s := range p.Steps() {
		orders = append(orders, actuate.Order{Step: s, Declared: o.Unstructured})
	}
	if len(orders) == 0 {
		w.t.Logf("nothing is planned:\n%s", p)
	}
	return w.writer.Do(w.t.Context(), w.grant(stage), orders)
}

// sync judges and carries out until nothing moves any more: controllers of the
// cluster write to new objects as well, and what they touched is judged again.
func (w *world) sync(stage api.Stage, o manifest.Object, memory inventory.Memory, policy plan.Policy) []actuate.Outcome {
	w.t.Helper()
	wrote := 0
	for range 50 {
		outcomes := w.carryOut(stage, o, w.judge(o, memory), policy)
		for _, out := range outcomes {
			wrote += out.Writes
		}
		if actuate.Any(outcomes, actuate.Moved) {
			continue
		}
		if len(outcomes) > 0 || wrote == 0 {
			w.done(outcomes)
		}
		return outcomes
	}
	w.t.Fatal("it never stands still")
	return nil
}

// done wants every step done.
func (w *world) done(outcomes []actuate.Outcome) {
	w.t.Helper()
	if len(outcomes) == 0 {
		w.t.Fatal("no step at all")
	}
	for _, o := range outcomes {
		if o.Result != actuate.Done {
			w.t.Fatalf("%s %s: %s %s", o.Step.Verb, o.Step.ID, o.Result, o.Message)
		}
	}
}

func (w *world) get(resource schema.GroupVersionResource, name string) *unstructured.Unstructured {
	w.t.Helper()
	o, err := w.live.Resource(resource).Namespace(w.namespace).Get(w.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secretsKind = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)
