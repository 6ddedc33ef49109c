// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"context"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// TestAppliedAsDeclaredIsInSync is promise 1 of the design, kind by kind: an
// object that another tool applied as declared equals its restored form, and
// one edit by hand is found.
func TestAppliedAsDeclaredIsInSync(t *testing.T) {
	cases := map[string]struct {
		reason    string
		precision api.Precision
		patch     string // the edit by hand, a merge patch
		pointer   string // where it has to show
	}{
		"deployment": {
			reason: "defaults, quantities written another way, keyed lists", precision: api.PrecisionRestored,
			patch: `{"spec":{"replicas":5}}`, pointer: "/spec/replicas",
		},
		"statefulset": {
			reason: "claim templates get defaults of their own", precision: api.PrecisionRestored,
			patch: `{"spec":{"template":{"spec":{"priorityClassName":"system-node-critical"}}}}`, pointer: "/spec/template/spec/priorityClassName",
		},
		"daemonset": {
			reason: "an update strategy by default", precision: api.PrecisionRestored,
			patch: `{"spec":{"minReadySeconds":9}}`, pointer: "/spec/minReadySeconds",
		},
		"cronjob": {
			reason: "52 characters are the limit of the name", precision: api.PrecisionRestored,
			patch: `{"spec":{"schedule":"0 4 * * *"}}`, pointer: "/spec/schedule",
		},
		"job": {
			reason: "labels and selector are generated from name and uid", precision: api.PrecisionRestored,
			patch: `{"spec":{"parallelism":4}}`, pointer: "/spec/parallelism",
		},
		"ingress": {
			reason: "no defaults worth a word", precision: api.PrecisionRestored,
			patch: `{"metadata":{"annotations":{"debug.example.com/on":"1"}}}`, pointer: "/metadata/annotations/debug.example.com~1on",
		},
		"hpa": {
			reason: "a metric by default", precision: api.PrecisionRestored,
			patch: `{"spec":{"maxReplicas":30}}`, pointer: "/spec/maxReplicas",
		},
		"pdb": {
			reason: "a number that may be text", precision: api.PrecisionRestored,
			patch: `{"spec":{"maxUnavailable":"50%"}}`, pointer: "/spec/maxUnavailable",
		},
		"networkpolicy": {
			reason: "a protocol and policy types by default", precision: api.PrecisionRestored,
			patch: `{"spec":{"podSelector":{"matchLabels":{"app":"other"}}}}`, pointer: "/spec/podSelector",
		},
		"pvc": {
			reason: "finalizers and a volume mode of the server", precision: api.PrecisionRestored,
			patch: `{"metadata":{"labels":{"keep":"me"}}}`, pointer: "/metadata/labels/keep",
		},
		"secret": {
			reason: "stringData becomes data", precision: api.PrecisionRestored,
			patch: `{"data":{"password":"aHVudGVyMg=="}}`, pointer: "/data/password",
		},
		"configmap": {
			reason: "no defaults at all", precision: api.PrecisionRestored,
			patch: `{"data":{"DB_HOST":"primary"}}`, pointer: "/data/DB_HOST",
		},
		"role": {
			reason: "an atomic list", precision: api.PrecisionRestored,
			patch: `{"rules":[{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]}]}`, pointer: "/rules",
		},
		"rolebinding": {
			reason: "a subject without a namespace", precision: api.PrecisionRestored,
			patch: `{"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"eve"}]}`, pointer: "/subjects",
		},
		"clusterrole": {
			reason: "a kind of the whole cluster", precision: api.PrecisionRestored,
			patch: `{"rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["*"]}]}`, pointer: "/rules",
		},
		"serviceaccount": {
			reason: "pull secrets", precision: api.PrecisionRestored,
			patch: `{"automountServiceAccountToken":false}`, pointer: "/automountServiceAccountToken",
		},
		"service-clusterip": {
			reason: "the address is allocated", precision: api.PrecisionRestored,
			patch: `{"spec":{"sessionAffinity":"ClientIP"}}`, pointer: "/spec/sessionAffinity",
		},
		"service-headless": {
			reason: "None is an address that everybody may have", precision: api.PrecisionRestored,
			patch: `{"spec":{"publishNotReadyAddresses":true}}`, pointer: "/spec/publishNotReadyAddresses",
		},
		"service-nodeport": {
			reason: "a fixed port can be had once", precision: api.PrecisionInPlace,
			patch: `{"spec":{"selector":{"app":"other"}}}`, pointer: "/spec/selector",
		},
		"namespace": {
			reason: "a label with its own name", precision: api.PrecisionRestored,
			patch: `{"metadata":{"labels":{"team":"other"}}}`, pointer: "/metadata/labels/team",
		},
		"crd": {
			reason: "the name is checked against the content", precision: api.PrecisionInPlace,
			patch: `{"metadata":{"labels":{"by":"hand"}}}`, pointer: "/metadata/labels/by",
		},
		"custom-resource": {
			reason: "defaults of a schema", precision: api.PrecisionRestored,
			patch: `{"spec":{"size":9}}`, pointer: "/spec/size",
		},
		"priorityclass": {
			reason: "a kind of the whole cluster", precision: api.PrecisionRestored,
			patch: `{"description":"by hand"}`, pointer: "/description",
		},
		"storageclass": {
			reason: "a reclaim policy by default", precision: api.PrecisionRestored,
			patch: `{"allowVolumeExpansion":true}`, pointer: "/allowVolumeExpansion",
		},
		"validating-webhook": {
			reason: "a dozen defaults", precision: api.PrecisionRestored,
			patch: `{"metadata":{"labels":{"by":"hand"}}}`, pointer: "/metadata/labels/by",
		},
	}
	c := cluster.Get(t)
	o := connect(t, c.AdminConfig())
	namespace := cluster.Namespace(t, c)
	apply(t, c, "platform-team", declared(t, o, namespace, "kinds/crd.yaml")...)
	awaitSchema(t, o, schema.GroupVersion{Group: "observe.example.com", Version: "v1"})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			obj := declared(t, o, namespace, "kinds/"+name+".yaml")[0]
			apply(t, c, "helm", obj)
			seen := look(t, o, obj)
			found := judge(t, o, obj, seen)
			if found.Verdict != api.VerdictInSync || seen.Precision != tc.precision {
				t.Errorf("%s: applied as declared: got %s\nwant %s %s", tc.reason, story(found), api.VerdictInSync, tc.precision)
			}
			edit(t, c, o, obj, tc.patch)
			found = judge(t, o, obj, look(t, o, obj))
			if !drifts(found, tc.pointer) {
				t.Errorf("edited by hand with %s: got %s\nwant drift at %s", tc.patch, story(found), tc.pointer)
			}
		})
	}
}

// awaitSchema waits for what the server publishes some time after a CRD.
func awaitSchema(t *testing.T, o *observe.Cluster, gv schema.GroupVersion) {
	t.Helper()
	o.Invalidate()
	eventually(t, "schema of "+gv.String(), func(ctx context.Context) error {
		_, _, err := o.Types(ctx, gv)
		return err
	})
}

func drifts(o drift.Object, pointer string) bool {
	return slices.ContainsFunc(o.Judgements, func(j drift.Judgement) bool {
		return j.Pointer == pointer && j.Class == api.ClassManual && j.Drift
	})
}

// edit changes an object as a person does.
func edit(t *testing.T, c *cluster.Cluster, o *observe.Cluster, obj manifest.Object, patch string) {
	t.Helper()
	client, err := dynamic.NewForConfig(c.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.Resource(t.Context(), obj.GroupVersionKind())
	if err != nil {
		t.Fatal(err)
	}
	var where dynamic.ResourceInterface = client.Resource(r.Path)
	if r.Namespaced {
		where = client.Resource(r.Path).Namespace(obj.GetNamespace())
	}
	_, err = where.Patch(t.Context(), obj.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "kubectl-edit"})
	if err != nil {
		t.Fatal(err)
	}
}
