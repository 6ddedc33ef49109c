// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package consumers_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

func find(t *testing.T, text string) consumers.Index {
	t.Helper()
	objects, err := manifest.Decode("app.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return consumers.Find(objects)
}

// lines writes an index as "Kind name: reader (how)".
func lines(index consumers.Index) map[string][]string {
	out := map[string][]string{}
	for id, readers := range index {
		for _, r := range readers {
			out[id.String()] = append(out[id.String()], fmt.Sprintf("%s (%s)", r.ID, r.How))
		}
	}
	return out
}

// pod is a pod's spec in flow style, for one container.
func pod(container, rest string) string {
	if rest != "" {
		rest = ", " + rest
	}
	return "{containers: [{name: c, image: i, " + container + "}]" + rest + "}"
}

func workload(kind, spec string) string {
	version := map[string]string{"Pod": "v1", "PodTemplate": "v1", "CronJob": "batch/v1", "Job": "batch/v1", "Rollout": "argoproj.io/v1alpha1"}[kind]
	if version == "" {
		version = "apps/v1"
	}
	template := map[string]string{
		"Pod":         "spec: " + spec,
		"PodTemplate": "template: {metadata: {labels: {app: x}}, spec: " + spec + "}",
		"CronJob":     "spec: {jobTemplate: {spec: {template: {metadata: {labels: {app: x}}, spec: " + spec + "}}}}",
	}[kind]
	if template == "" {
		template = "spec: {template: {metadata: {labels: {app: x}}, spec: " + spec + "}}"
	}
	return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: w, namespace: shop, labels: {app: x}}\n" + template + "\n"
}

func TestHow(t *testing.T) {
	const configMap, secret = "ConfigMap shop/a", "Secret shop/a"
	cases := map[string]struct {
		reason string
		spec   string
		want   map[string][]string
	}{
		"envFrom":            {"every key of it", pod("envFrom: [{configMapRef: {name: a}}]", ""), map[string][]string{configMap: {"Deployment.apps shop/w (envFrom)"}}},
		"envFrom Secret":     {"every key of it", pod("envFrom: [{secretRef: {name: a}}]", ""), map[string][]string{secret: {"Deployment.apps shop/w (envFrom)"}}},
		"env":                {"one key", pod("env: [{name: X, valueFrom: {configMapKeyRef: {name: a, key: k}}}]", ""), map[string][]string{configMap: {"Deployment.apps shop/w (env)"}}},
		"env Secret":         {"one key", pod("env: [{name: X, valueFrom: {secretKeyRef: {name: a, key: k}}}]", ""), map[string][]string{secret: {"Deployment.apps shop/w (env)"}}},
		"plain variable":     {"no object is read", pod("env: [{name: X, value: a}]", ""), map[string][]string{}},
		"volume":             {"as files", pod("x: y", "volumes: [{name: v, configMap: {name: a}}]"), map[string][]string{configMap: {"Deployment.apps shop/w (volume)"}}},
		"volume of a Secret": {"the field has another name there", pod("x: y", "volumes: [{name: v, secret: {secretName: a}}]"), map[string][]string{secret: {"Deployment.apps shop/w (volume)"}}},
		"projected":          {"several in one volume", pod("x: y", "volumes: [{name: v, projected: {sources: [{configMap: {name: a}}, {secret: {name: a}}]}}]"), map[string][]string{configMap: {"Deployment.apps shop/w (projected)"}, secret: {"Deployment.apps shop/w (projected)"}}},
		"pull secret":        {"to fetch the image", pod("x: y", "imagePullSecrets: [{name: a}]"), map[string][]string{secret: {"Deployment.apps shop/w (imagePullSecret)"}}},
		"init container":     {"it reads before the others", pod("x: y", "initContainers: [{name: i, envFrom: [{configMapRef: {name: a}}]}]"), map[string][]string{configMap: {"Deployment.apps shop/w (envFrom)"}}},
		"claim":              {"what it keeps there", pod("x: y", "volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]"), map[string][]string{"PersistentVolumeClaim shop/a": {"Deployment.apps shop/w (volume)"}}},
		"driver's Secret":    {"a CSI driver logs in with it", pod("x: y", "volumes: [{name: v, csi: {driver: d, nodePublishSecretRef: {name: a}}}]"), map[string][]string{secret: {"Deployment.apps shop/w (volume)"}}},
		"service account":    {"its rights are the workload's", pod("x: y", "serviceAccountName: a"), map[string][]string{"ServiceAccount shop/a": {"Deployment.apps shop/w (serviceAccount)"}}},
		"argument":           {"a controller watches it through the API", pod("args: [\"--configmap=$(POD_NAMESPACE)/a\", \"--tcp-services-configmap=infra/b\", \"--default-ssl-secret=a\", --config=a, 5]", ""), map[string][]string{configMap: {"Deployment.apps shop/w (args)"}, secret: {"Deployment.apps shop/w (args)"}, "ConfigMap infra/b": {"Deployment.apps shop/w (args)"}}},
		"twice":              {"one line for each way", pod("envFrom: [{configMapRef: {name: a}}], env: [{name: X, valueFrom: {configMapKeyRef: {name: a, key: k}}}, {name: Y, valueFrom: {configMapKeyRef: {name: a, key: l}}}]", ""), map[string][]string{configMap: {"Deployment.apps shop/w (env)", "Deployment.apps shop/w (envFrom)"}}},
		"no name":            {"what names nothing reads nothing", pod("envFrom: [{configMapRef: {optional: true}}]", "volumes: [{name: v, emptyDir: {}}]"), map[string][]string{}},
		"malformed":          {"the server refuses it; it must not end the run", "{containers: [{envFrom: 5, env: [x], name: c}], volumes: {a: b}}", map[string][]string{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, lines(find(t, workload("Deployment", tc.spec)))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestKinds: wherever a kind keeps its pod template.
func TestKinds(t *testing.T) {
	spec := pod("envFrom: [{configMapRef: {name: a}}]", "")
	for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod", "PodTemplate", "Rollout"} {
		index := find(t, workload(kind, spec))
		readers := index[manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}]
		if len(readers) != 1 || readers[0].ID.Kind != kind {
			t.Errorf("%s: want one reader, got %v", kind, readers)
			continue
		}
		if diff := cmp.Diff(map[string]string{"app": "x"}, readers[0].Selector); diff != "" {
			t.Errorf("%s: labels of its pods (-want +got):\n%s", kind, diff)
		}
	}
	for _, text := range []string{
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w, namespace: shop}\ndata: {template: x}\n",
		"apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: w, namespace: shop}\nspec: {template: {spec: {data: {a: b}}}}\n",
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w, namespace: shop}\nspec: x\n",
	} {
		if index := find(t, text); len(index) != 0 {
			t.Errorf("no pod, and yet a reader: %v", lines(index))
		}
	}
}

// TestReadersAreOrdered: a report that names them must not change by itself.
func TestReadersAreOrdered(t *testing.T) {
	spec := pod("envFrom: [{configMapRef: {name: a}}]", "")
	text := workload("StatefulSet", spec) + "---\n" + workload("CronJob", spec) + "---\n" + workload("Deployment", spec)
	want := map[string][]string{"ConfigMap shop/a": {"Deployment.apps shop/w (envFrom)", "StatefulSet.apps shop/w (envFrom)", "CronJob.batch shop/w (envFrom)"}}
	if diff := cmp.Diff(want, lines(find(t, text))); diff != "" {
		t.Errorf("by identity (-want +got):\n%s", diff)
	}
}

// TestAnnotations: what no field says, a person may.
func TestAnnotations(t *testing.T) {
	text := `apiVersion: apps/v1
kind: Deployment
metadata: {name: w, namespace: shop, annotations: {configmap.reloader.stakater.com/reload: "c, d"}}
spec: {template: {metadata: {labels: {app: x}, annotations: {drift.holdfast.dev/reads: "ConfigMap/a, Secret/b, nonsense,"}}, spec: {containers: [{name: c}]}}}
`
	want := map[string][]string{}
	for _, id := range []string{"ConfigMap shop/a", "Secret shop/b", "ConfigMap shop/c", "ConfigMap shop/d"} {
		want[id] = []string{"Deployment.apps shop/w (annotation)"}
	}
	if diff := cmp.Diff(want, lines(find(t, text))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReferences: objects that run nothing stand on others too.
func TestReferences(t *testing.T) {
	web := workload("Deployment", pod("x: y", "")) + "---\n"
	cases := map[string]struct {
		reason, text string
		want         map[string][]string
	}{
		"autoscaler": {"it owns the replicas", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: shop}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: w}}\n", map[string][]string{"Deployment.apps shop/w": {"HorizontalPodAutoscaler.autoscaling shop/h (scaleTargetRef)"}}},
		"KEDA":       {"a Deployment, unless it says otherwise", "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: k, namespace: shop}\nspec: {scaleTargetRef: {name: w}}\n", map[string][]string{"Deployment.apps shop/w": {"ScaledObject.keda.sh shop/k (scaleTargetRef)"}}},
		"Service":    {"it finds pods by their labels", "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: shop}\nspec: {selector: {app: x}}\n", map[string][]string{"Deployment.apps shop/w": {"Service shop/s (selector)"}}},
		"other pods": {"by other labels", "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: shop}\nspec: {selector: {app: y}}\n", map[string][]string{}},
		"no labels":  {"endpoints are made by somebody", "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: shop}\nspec: {}\n", map[string][]string{}},
		"budget":     {"by a label selector", "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: p, namespace: shop}\nspec: {selector: {matchLabels: {app: x}}}\n", map[string][]string{"Deployment.apps shop/w": {"PodDisruptionBudget.policy shop/p (selector)"}}},
		"Ingress": {"rules, default and certificates", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, namespace: shop}\nspec: {defaultBackend: {service: {name: d}}, tls: [{secretName: t}], rules: [{http: {paths: [{backend: {service: {name: s}}}]}}]}\n", map[string][]string{
			"Service shop/d": {"Ingress.networking.k8s.io shop/i (backend)"}, "Service shop/s": {"Ingress.networking.k8s.io shop/i (backend)"}, "Secret shop/t": {"Ingress.networking.k8s.io shop/i (tls)"},
		}},
		"route": {"backends may be elsewhere", "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r, namespace: shop}\nspec: {parentRefs: [{name: g, namespace: infra}], rules: [{backendRefs: [{name: s}, {name: o, namespace: other}, {kind: Bucket, name: b}]}]}\n", map[string][]string{
			"Service shop/s": {"HTTPRoute.gateway.networking.k8s.io shop/r (backend)"}, "Service other/o": {"HTTPRoute.gateway.networking.k8s.io shop/r (backend)"},
			"Gateway.gateway.networking.k8s.io infra/g": {"HTTPRoute.gateway.networking.k8s.io shop/r (parentRef)"},
		}},
		"gateway": {"its certificates", "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: g, namespace: shop}\nspec: {listeners: [{tls: {certificateRefs: [{name: t}]}}]}\n", map[string][]string{"Secret shop/t": {"Gateway.gateway.networking.k8s.io shop/g (tls)"}}},
		"account": {"what its pods pull with", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: shop}\nimagePullSecrets: [{name: p}]\nsecrets: [{name: s}]\n", map[string][]string{"Secret shop/p": {"ServiceAccount shop/a (imagePullSecret)"}, "Secret shop/s": {"ServiceAccount shop/a (serviceAccount)"}}},
		"binding": {"whose rights, and which", "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b, namespace: shop}\nroleRef: {kind: Role, name: r}\nsubjects: [{kind: ServiceAccount, name: a}, {kind: User, name: u}]\n", map[string][]string{
			"Role.rbac.authorization.k8s.io shop/r": {"RoleBinding.rbac.authorization.k8s.io shop/b (roleRef)"}, "ServiceAccount shop/a": {"RoleBinding.rbac.authorization.k8s.io shop/b (subject)"},
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, lines(find(t, web+tc.text))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReads: a reader of one key is not told of another.
func TestReads(t *testing.T) {
	one := pod("env: [{name: X, valueFrom: {configMapKeyRef: {name: a, key: k}}}, {name: Y, valueFrom: {configMapKeyRef: {name: a, key: l}}}]", "")
	all := pod("envFrom: [{configMapRef: {name: a}}]", "")
	items := pod("x: y", "volumes: [{name: v, configMap: {name: a, items: [{key: k, path: p}]}}]")
	cases := map[string]struct {
		reason, spec, pointer string
		want                  bool
	}{
		"its key":         {"the variable", one, "/data/k", true},
		"its second key":  {"both variables", one, "/data/l", true},
		"another key":     {"nothing changes for it", one, "/data/m", false},
		"the object":      {"without it there is no key", one, "", true},
		"all of the data": {"its key is in there", one, "/data", true},
		"longer name":     {"names are compared whole", one, "/data/kk", false},
		"any key":         {"it reads all of them", all, "/data/m", true},
		"a mounted item":  {"one file", items, "/data/k", true},
		"another file":    {"not mounted", items, "/data/l", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			readers := find(t, workload("Deployment", tc.spec))[manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}]
			if len(readers) != 1 || readers[0].Reads(tc.pointer) != tc.want {
				t.Errorf("%s: want %t for %s, readers %v", tc.reason, tc.want, tc.pointer, readers)
			}
		})
	}
}
