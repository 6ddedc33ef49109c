// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package actuate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/actuate"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

// web is a Deployment; the pieces are what Git changes.
func web(image, extra, metadata string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
%s
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: %s
        ports: [{containerPort: 8080}]
%s
`, metadata, image, extra)
}

const level = `        env: [{name: LEVEL, value: info}]`

// deployedBy makes an object as another tool makes it.
func (w *world) deployedBy(tool string, o manifest.Object) {
	w.t.Helper()
	resource := w.live.Resource(deployments).Namespace(w.namespace)
	object := o.DeepCopy()
	switch tool {
	case "helm":
		annotations := map[string]string{"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": w.namespace}
		object.SetAnnotations(annotations)
		object.SetLabels(map[string]string{"app.kubernetes.io/managed-by": "Helm"})
	case "kubectl-client-side-apply":
		text, err := json.Marshal(object.Object)
		if err != nil {
			w.t.Fatal(err)
		}
		object.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": string(text)})
	case "argocd-controller":
		object.SetAnnotations(map[string]string{"argocd.argoproj.io/tracking-id": "web:apps/Deployment:" + w.namespace + "/web"})
	case "kustomize-controller":
		object.SetLabels(map[string]string{"kustomize.toolkit.fluxcd.io/name": "web", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"})
	}
	if tool == "argocd-controller" || tool == "kustomize-controller" {
		if err := w.cluster.Apply(w.t.Context(), tool, object); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	if _, err := resource.Create(w.t.Context(), object, metav1.CreateOptions{FieldManager: tool}); err != nil {
		w.t.Fatal(err)
	}
}

// TestTakesOver: from whatever deployed it before, without touching the pods
// where Git says nothing new, without losing a field, and with what Git drops.
func TestTakesOver(t *testing.T) {
	for _, tool := range []string{"helm", "kubectl-client-side-apply", "argocd-controller", "kustomize-controller"} {
		t.Run(tool, func(t *testing.T) {
			w := newWorld(t)
			first := w.object(web("registry.example.com/web:1", level, ""))
			w.deployedBy(tool, first)
			judged := w.judge(first, nil)
			if judged.Verdict != api.VerdictInSync {
				t.Fatalf("deployed from Git: %s %s %v", judged.Verdict, judged.Message, judged.Judgements)
			}
			memory := remember(inventory.Memory{}, judged)
			before := w.get(deployments, "web")

			// Git adds a label, and nothing that pods see.
			labelled := w.object(web("registry.example.com/web:1", level, "  labels: {team: shop}"))
			w.sync(api.StageSync, labelled, memory, plan.Policy{Takeover: true})
			after := w.get(deployments, "web")
			if diff := cmp.Diff(before.Object["spec"], after.Object["spec"]); diff != "" || after.GetGeneration() != before.GetGeneration() {
				t.Errorf("pods would restart or a field is lost (-before +after):\n%s", diff)
			}
			if after.GetLabels()["team"] != "shop" {
				t.Errorf("labels: %v", after.GetLabels())
			}
			memory = remember(memory, w.judge(labelled, memory))

			// Git changes the image, and drops a variable.
			next := w.object(web("registry.example.com/web:2", "", "  labels: {team: shop}"))
			w.sync(api.StageSync, next, memory, plan.Policy{Takeover: true})
			judged = w.judge(next, memory)
			if judged.Verdict != api.VerdictInSync {
				t.Errorf("after the sync: %s %s %+v", judged.Verdict, judged.Message, judged.Judgements)
			}
			containers, _, err := unstructured.NestedSlice(w.get(deployments, "web").Object, "spec", "template", "spec", "containers")
			if err != nil {
				t.Fatal(err)
			}
			container := containers[0].(map[string]any)
			if container["image"] != "registry.example.com/web:2" || container["env"] != nil {
				t.Errorf("the container: %v", container)
			}
		})
	}
}

// TestMarksOfALivingDeployer: Flux and Argo CD would write it back.
func TestMarksOfALivingDeployer(t *testing.T) {
	w := newWorld(t)
	first := w.object(web("registry.example.com/web:1", level, ""))
	w.deployedBy("argocd-controller", first)
	memory := remember(inventory.Memory{}, w.judge(first, nil))
	next := w.object(web("registry.example.com/web:2", level, ""))
	if outcomes := w.carryOut(api.StageSync, next, w.judge(next, memory), plan.Policy{}); len(outcomes) != 0 {
		t.Errorf("takeover was not asked: %+v", outcomes)
	}
}

// TestAutoscaledReplicas: an apply neither takes them back to Git's number nor,
// where nobody else owns them, to the default of one.
func TestAutoscaledReplicas(t *testing.T) {
	w := newWorld(t)
	first := w.object(web("registry.example.com/web:1", level, ""))
	w.sync(api.StageSync, first, nil, plan.Policy{})
	memory := remember(inventory.Memory{}, w.judge(first, nil))
	scale := []byte(`{"spec":{"replicas":7}}`)
	if _, err := w.live.Resource(deployments).Namespace(w.namespace).Patch(t.Context(), "web", types.MergePatchType, scale,
		metav1.PatchOptions{FieldManager: "horizontal-pod-autoscaler"}, "scale"); err != nil {
		t.Fatal(err)
	}
	for round, image := range []string{"registry.example.com/web:2", "registry.example.com/web:3"} {
		next := w.object(web(image, level, ""))
		w.sync(api.StageSync, next, memory, plan.Policy{})
		got := w.get(deployments, "web")
		if n, _, _ := unstructured.NestedInt64(got.Object, "spec", "replicas"); n != 7 {
			t.Fatalf("round %d: replicas became %d", round, n)
		}
		memory = remember(memory, w.judge(next, memory))
	}
}

func settings(name, data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: " + data + "\n"
}

func (w *world) edit(name, patch string) {
	w.t.Helper()
	_, err := w.live.Resource(configMaps).Namespace(w.namespace).Patch(w.t.Context(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: "kubectl-edit"})
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestHeal: exactly the judged paths, and nothing that was written since.
func TestHeal(t *testing.T) {
	w := newWorld(t)
	o := w.object(settings("env", "{A: a, B: b, C: c}"))
	w.sync(api.StageSync, o, nil, plan.Policy{})
	memory := remember(inventory.Memory{}, w.judge(o, nil))
	w.edit("env", `{"data":{"A":"edited","B":null,"EXTRA":"1"}}`)
	judged := w.judge(o, memory)

	w.edit("env", `{"data":{"C":"meanwhile"}}`)
	outcomes := w.carryOut(api.StageSelfHeal, o, judged, plan.Policy{})
	if len(outcomes) != 1 || outcomes[0].Result != actuate.Moved || outcomes[0].Writes != 0 {
		t.Fatalf("it is not what was judged: %+v", outcomes)
	}
	w.sync(api.StageSelfHeal, o, memory, plan.Policy{})
	got, _, _ := unstructured.NestedStringMap(w.get(configMaps, "env").Object, "data")
	if diff := cmp.Diff(map[string]string{"A": "a", "B": "b", "C": "c"}, got); diff != "" {
		t.Errorf("healed (-want +got):\n%s", diff)
	}
}

// TestCreateIsNotForced: what somebody made meanwhile is judged, not taken.
func TestCreateIsNotForced(t *testing.T) {
	w := newWorld(t)
	o := w.object(settings("env", "{A: a}"))
	missing := w.judge(o, nil)
	other := w.object(settings("env", "{A: theirs}"))
	if err := w.cluster.Apply(t.Context(), "somebody", other.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	outcomes := w.carryOut(api.StageSync, o, missing, plan.Policy{})
	if len(outcomes) != 1 || outcomes[0].Result != actuate.Moved {
		t.Fatalf("%+v", outcomes)
	}
	if got, _, _ := unstructured.NestedString(w.get(configMaps, "env").Object, "data", "A"); got != "theirs" {
		t.Errorf("their value became %q", got)
	}
}

// TestSecretText: a key of stringData that Git drops is dropped.
func TestSecretText(t *testing.T) {
	w := newWorld(t)
	secret := func(data string) manifest.Object {
		return w.object("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: " + data + "\n")
	}
	first := secret("{A: a, B: b}")
	w.sync(api.StageSync, first, nil, plan.Policy{})
	memory := remember(inventory.Memory{}, w.judge(first, nil))
	next := secret("{A: changed}")
	w.sync(api.StageSync, next, memory, plan.Policy{})
	got := w.get(secretsKind, "s").Object["data"]
	if diff := cmp.Diff(map[string]any{"A": "Y2hhbmdlZA=="}, got); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
}

// TestDelete: the object that was proven to be ours, and no other of its name.
func TestDelete(t *testing.T) {
	w := newWorld(t)
	o := w.object(settings("old", "{A: a}"))
	outcomes := w.carryOut(api.StageSync, o, w.judge(o, nil), plan.Policy{})
	w.done(outcomes)
	if !outcomes[0].Created {
		t.Error("it was this write that made it")
	}
	step := plan.Step{
		Verb: plan.Delete, Needs: api.StagePrune, ID: o.ID(), Version: "v1", UID: "another",
		State: w.get(configMaps, "old").GetResourceVersion(),
	}
	do := func(s plan.Step, stage api.Stage) actuate.Outcome {
		return w.writer.Do(t.Context(), w.grant(stage), []actuate.Order{{Step: s}})[0]
	}
	if got := do(step, api.StagePrune); got.Result != actuate.Moved {
		t.Errorf("another UID: %+v", got)
	}
	step.UID = outcomes[0].UID
	if got := do(step, api.StageSelfHeal); got.Result != actuate.Refused {
		t.Errorf("a lower stage: %+v", got)
	}
	w.get(configMaps, "old")
	if got := do(step, api.StagePrune); got.Result != actuate.Done || got.Writes != 1 {
		t.Errorf("proven: %+v", got)
	}
	if got := do(step, api.StagePrune); got.Result != actuate.Done || got.Writes != 0 {
		t.Errorf("gone already: %+v", got)
	}
}

// TestGrantIsAskedAgain: what a plan allowed the writer still refuses.
func TestGrantIsAskedAgain(t *testing.T) {
	w := newWorld(t)
	o := w.object(settings("env", "{A: a}"))
	steps := plan.Make(plan.Input{Objects: []drift.Object{w.judge(o, nil)}, Policy: plan.Policy{Stage: api.StageSync}}).Steps()
	grants := map[string]func(*actuate.Grant){
		"lowered":    func(g *actuate.Grant) { g.Stage = api.StageObserve },
		"no stage":   func(g *actuate.Grant) { g.Stage = "" },
		"no account": func(g *actuate.Grant) { g.Apply = "" },
		"project":    func(g *actuate.Grant) { g.Refuses = func(manifest.ID) string { return "not in destinations" } },
	}
	for name, change := range grants {
		t.Run(name, func(t *testing.T) {
			g := w.grant(api.StageSync)
			change(&g)
			got := w.writer.Do(t.Context(), g, []actuate.Order{{Step: steps[0], Declared: o.Unstructured}})[0]
			if got.Result != actuate.Refused || got.Writes != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
	if _, err := w.live.Resource(configMaps).Namespace(w.namespace).Get(t.Context(), "env", metav1.GetOptions{}); err == nil {
		t.Error("it was written all the same")
	}
}

// TestRefusalsAreMasked: the server quotes values in its errors.
func TestRefusalsAreMasked(t *testing.T) {
	w := newWorld(t)
	o := w.object("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {key: hunter2-value}\n")
	step := plan.Step{Verb: plan.Create, Needs: api.StageSync, ID: o.ID(), Version: "v1", Full: true}
	own := scope
	own.Secret = true
	got := w.writer.Do(t.Context(), w.grant(api.StageSync), []actuate.Order{{
		Step: step, Declared: o.Unstructured, Mask: own,
	}})[0]
	if got.Result != actuate.Refused || got.Message == "" || strings.Contains(got.Message, "hunter2") {
		t.Errorf("%s: %q", got.Result, got.Message)
	}
}
