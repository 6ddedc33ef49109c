// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"slices"
	"strings"
	"testing"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
)

const (
	configMap  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n"
	secretOf   = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: shop}\n"
	service    = "apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: shop}\n"
	account    = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: shop}\n"
	deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
	plain      = deployment + "spec: {minReadySeconds: 1, template: {metadata: {labels: {a: b}}}}\n"
	role       = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\n"
	hook       = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\n"
	replicas   = "/spec/replicas"
)

func host(value string) string { return configMap + "data: {HOST: '" + value + "'}\n" }
func scaled(n string) string   { return strings.Replace(plain, "spec: {", "spec: {replicas: "+n+", ", 1) }
func sized(cpu string) string {
	return deployment + "spec: {template: {spec: {containers: [{name: api, resources: {limits: {cpu: '" + cpu + "'}}}]}}}\n"
}
func bundled(ca string) string {
	return hook + "webhooks: [{name: h.x, clientConfig: {caBundle: '" + ca + "'}}]\n"
}
func selecting(pods string) string { return service + "spec: {selector: " + pods + "}\n" }
func ruled(rule string) string     { return hook + "webhooks: [{name: h.x, rules: [" + rule + "]}]\n" }
func rules(verbs string) string    { return "rules: [" + verbs + "]\n" }
func annotated(pair string) string {
	return strings.Replace(configMap, "shop}", "shop, annotations: {"+pair+"}}", 1)
}
func labelled(pair string) string {
	return strings.Replace(configMap, "shop}", "shop, labels: {"+pair+"}}", 1)
}

func earlierRender(t *testing.T, texts ...string) live.Evidence {
	t.Helper()
	e := live.Evidence{Tracked: []string{"Helm release a"}}
	for _, text := range texts {
		e.Earlier = append(e.Earlier, decoded(t, text).Unstructured)
	}
	return e
}

const aggregationRule = "aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}\n"

// rowCase is a difference and the row that must decide it.
type rowCase struct {
	row    string
	reason string
	sample
	pointer string
	class   api.Class
	drift   bool
	heal    bool
	says    string // words of the explanation
}

// declaredCases has one or more cases for each row of the table of declared
// paths, in its order.
func declaredCases(t *testing.T) map[string]rowCase {
	t.Helper()
	hpa, vpa := live.Evidence{Scalers: []string{"HorizontalPodAutoscaler web"}}, live.Evidence{Sizers: []string{"VerticalPodAutoscaler web"}}
	mutator := live.Evidence{Mutators: []string{"MutatingWebhookConfiguration inject"}}
	rollout := live.Evidence{Routers: []string{"Rollout web"}}
	agreedOld := agreedOn(map[string]any{"/data/HOST": "old"})
	return map[string]rowCase{
		"an autoscaler":               {"scaler", "an autoscaler that targets the object owns replicas, and leaves no owner when it scales to zero", sample{desired: scaled("3"), writes: []write{helm(scaled("3"))}, overLive: "spec: {replicas: 0}", evidence: hpa}, replicas, api.ClassController, false, false, "HorizontalPodAutoscaler web"},
		"an autoscaler, other field":  {"writer unknown", "it owns nothing but replicas", sample{desired: plain, writes: []write{helm(plain), edit(strings.Replace(plain, "minReadySeconds: 1, ", "", 1))}, evidence: hpa}, "/spec/minReadySeconds", api.ClassManual, true, true, "removed"},
		"a vertical autoscaler":       {"sizer", "it owns the resources of containers", sample{desired: sized("1"), writes: []write{helm(sized("1")), {manager: "vpa-updater", object: sized("2")}}, evidence: vpa}, "/spec/template/spec/containers/[name=api]/resources/limits/cpu", api.ClassController, false, false, "VerticalPodAutoscaler web"},
		"a hand beside it":            {"edited by hand", "a person who sets resources is a person", sample{desired: sized("1"), writes: []write{helm(sized("1")), edit(sized("2"))}, evidence: vpa}, "/spec/template/spec/containers/[name=api]/resources/limits/cpu", api.ClassManual, true, true, "kubectl-edit"},
		"a progressive delivery":      {"router", "a Rollout narrows the selectors of the Services that it names", sample{desired: selecting("{app: web}"), writes: []write{helm(selecting("{app: web}")), controller(selecting("{app: web, hash: a}"))}, evidence: rollout}, "/spec/selector", api.ClassController, false, false, "Rollout web"},
		"another field of a Service":  {"contested", "and nothing else of them", sample{desired: service + "spec: {type: ClusterIP}\n", writes: []write{helm(service + "spec: {type: ClusterIP}\n"), controller(service + "spec: {type: NodePort}\n")}, evidence: rollout}, "/spec/type", api.ClassContested, true, false, "some-operator"},
		"a hand beside it, a route":   {"edited by hand", "a person who sends the traffic elsewhere is a person", sample{desired: selecting("{app: web}"), writes: []write{helm(selecting("{app: web}")), edit(selecting("{app: x}"))}, evidence: rollout}, "/spec/selector", api.ClassManual, true, true, "kubectl-edit"},
		"scaled by a program":         {"scaled by a program", "whoever writes through the scale subresource and is no person scales by design", sample{desired: scaled("3"), writes: []write{helm(scaled("3")), {manager: "keda-like/scale", object: scaled("5")}}}, replicas, api.ClassController, false, false, "keda-like"},
		"scaled by a person":          {"edited by hand", "kubectl scale is a person", sample{desired: scaled("3"), writes: []write{helm(scaled("3")), {manager: "kubectl/scale", object: scaled("5")}}}, replicas, api.ClassManual, true, true, "kubectl"},
		"replicas by an update":       {"contested", "a program that writes the field itself is none that scales by design", sample{desired: scaled("3"), writes: []write{helm(scaled("3")), controller(scaled("5"))}}, replicas, api.ClassContested, true, false, "some-operator"},
		"CA bundle":                   {"CA injection", "charts put a line break there for somebody to fill", sample{desired: bundled("Cg=="), writes: []write{helm(bundled("Cg==")), {manager: "cainjector", object: bundled("TUlJ")}}}, "/webhooks/[name=h.x]/clientConfig/caBundle", api.ClassController, false, false, "cainjector injects"},
		"CA bundle that Git sets":     {"contested", "Git has one of its own", sample{desired: bundled("TUlI"), writes: []write{helm(bundled("TUlI")), {manager: "cainjector", object: bundled("TUlJ")}}}, "/webhooks/[name=h.x]/clientConfig/caBundle", api.ClassContested, true, false, "cainjector"},
		"CA bundle by hand":           {"edited by hand", "a person pasted it", sample{desired: bundled("Cg=="), writes: []write{helm(bundled("Cg==")), edit(bundled("TUlJ"))}}, "/webhooks/[name=h.x]/clientConfig/caBundle", api.ClassManual, true, true, "kubectl-edit"},
		"aggregated rules":            {"aggregation", "the server gathers them from other roles", sample{desired: role + aggregationRule + rules(""), writes: []write{helm(role + aggregationRule + rules("")), {manager: "clusterrole-aggregation-controller", apply: true, object: role + rules("{verbs: [get], apiGroups: [''], resources: [pods]}")}}}, "/rules", api.ClassController, false, false, "aggregates"},
		"aggregated rules, a hand":    {"edited by hand", "a hand in them is a hand", sample{desired: role + aggregationRule + rules("{verbs: [list]}"), writes: []write{helm(role + aggregationRule + rules("{verbs: [list]}")), edit(role + aggregationRule + rules("{verbs: ['*']}"))}}, "/rules", api.ClassManual, true, true, "kubectl-edit"},
		"aggregated rules, nobody":    {"writer unknown", "nobody is booked where field management was wiped, and it may have been a hand", sample{desired: role + aggregationRule + rules("{verbs: [list]}"), writes: []write{helm(role + aggregationRule + rules("{verbs: [list]}"))}, overLive: "{rules: [{verbs: ['*']}], metadata: {managedFields: null}}"}, "/rules", api.ClassManual, true, true, "nobody"},
		"placeholder":                 {"placeholder", "what Git leaves empty somebody fills", sample{desired: ruled(""), writes: []write{helm(ruled("")), controller(ruled("{operations: [CREATE]}"))}}, "/webhooks/[name=h.x]/rules", api.ClassController, false, false, "some-operator fills it"},
		"empty text":                  {"placeholder", "what Git leaves empty somebody fills", sample{desired: host(""), writes: []write{helm(host("")), controller(host("db"))}}, "/data/HOST", api.ClassController, false, false, "some-operator fills it"},
		"empty text, by hand":         {"edited by hand", "a person is nobody's design", sample{desired: host(""), writes: []write{helm(host("")), edit(host("db"))}}, "/data/HOST", api.ClassManual, true, true, "kubectl-edit"},
		"pull secrets appended":       {"appended pull secrets", "operators append to a declared list", sample{desired: account + "imagePullSecrets: [{name: a}]\n", writes: []write{helm(account + "imagePullSecrets: [{name: a}]\n"), controller(account + "imagePullSecrets: [{name: a}, {name: b}]\n")}}, "/imagePullSecrets", api.ClassController, false, false, "appends"},
		"pull secret replaced":        {"contested", "what Git declares is gone", sample{desired: account + "imagePullSecrets: [{name: a}]\n", writes: []write{helm(account + "imagePullSecrets: [{name: a}]\n"), controller(account + "imagePullSecrets: [{name: b}]\n")}}, "/imagePullSecrets", api.ClassContested, true, false, "some-operator"},
		"webhook, no dry run":         {"cannot be told without a dry run", "what a webhook makes of the declaration only a dry run shows", sample{precision: api.PrecisionDeclaredFields, desired: host("db"), writes: []write{helm(host("db.svc"))}, evidence: mutator}, "/data/HOST", api.ClassUnknown, false, false, "inject"},
		"webhook, no dry run, a hand": {"edited by hand", "no webhook writes as kubectl", sample{precision: api.PrecisionDeclaredFields, desired: host("db"), writes: []write{helm(host("db")), edit(host("x"))}, evidence: mutator}, "/data/HOST", api.ClassManual, true, true, "kubectl-edit"},
		"webhook, dry run":            {"contested", "the restored form has been through the webhook", sample{desired: host("db"), writes: []write{helm(host("db.svc"))}, evidence: mutator}, "/data/HOST", api.ClassContested, true, false, "helm"},
		"Git moved on":                {"Git has moved on", "live still has what Git said when it was judged last", sample{desired: host("new"), writes: []write{helm(host("old"))}, baseline: agreedOld}, "/data/HOST", api.ClassPending, true, false, "before"},
		"Git moved on, whoever":       {"Git has moved on", "a hand that set what Git said then is no edit of now", sample{desired: host("new"), writes: []write{edit(host("old"))}, baseline: agreedOld}, "/data/HOST", api.ClassPending, true, false, "before"},
		"both moved":                  {"edited by hand", "live is neither what Git says nor what it said", sample{desired: host("new"), writes: []write{helm(host("old")), edit(host("mine"))}, baseline: agreedOld}, "/data/HOST", api.ClassManual, true, true, "kubectl-edit"},
		"new in Git":                  {"Git has moved on", "Git declares a path that was none of its business before", sample{desired: host("db"), writes: []write{helm(configMap)}, baseline: agreedOn(map[string]any{"/data/PORT": "1"})}, "/data/HOST", api.ClassPending, true, false, "before"},
		"list that got a key":         {"writer unknown", "the schema gave the list a key: its items were declared before, as one value", sample{desired: sized("1"), writes: []write{helm(sized("2"))}, overLive: "metadata: {managedFields: null}", baseline: agreedOn(map[string]any{"/spec/template/spec/containers": "as one value"})}, "/spec/template/spec/containers/[name=api]/resources/limits/cpu", api.ClassManual, true, true, "nobody"},
		"list that was empty":         {"Git has moved on", "an empty list had no items to declare", sample{desired: sized("1"), writes: []write{helm(sized("2"))}, overLive: "metadata: {managedFields: null}", baseline: agreedOn(map[string]any{"/spec/template/spec/containers": []any{}})}, "/spec/template/spec/containers/[name=api]/resources/limits/cpu", api.ClassPending, true, false, "before"},
		"new in Git, a hand has it":   {"edited by hand", "a hand was there first, with another value", sample{desired: host("db"), writes: []write{edit(host("x"))}, baseline: agreedOn(nil)}, "/data/HOST", api.ClassManual, true, true, "kubectl-edit"},
		"new in Git, a program":       {"contested", "a program was there first, with another value", sample{desired: host("db"), writes: []write{controller(host("x"))}, baseline: agreedOn(nil)}, "/data/HOST", api.ClassContested, true, false, "some-operator"},
		"an earlier release lacks it": {"Git has moved on", "the release that made the object knew no such path", sample{desired: host("db"), writes: []write{helm(configMap + "data: {X: '1'}\n")}, evidence: earlierRender(t, configMap+"data: {X: '1'}\n")}, "/data/HOST", api.ClassPending, true, false, "before"},
		"an earlier release had it":   {"writer unknown", "it was deployed, and somebody took it away", sample{desired: host("db"), writes: []write{helm(configMap + "data: {X: '1'}\n")}, evidence: earlierRender(t, host("db"))}, "/data/HOST", api.ClassManual, true, true, "removed"},
		"earlier render":              {"deployed from an earlier render", "the release's own manifest has the live value", sample{desired: host("new"), writes: []write{helm(host("old"))}, evidence: earlierRender(t, host("older"), host("old"))}, "/data/HOST", api.ClassPending, true, false, "helm deployed"},
		"earlier render, a hand":      {"edited by hand", "a hand took the field from the release", sample{desired: host("new"), writes: []write{helm(host("older")), edit(host("old"))}, evidence: earlierRender(t, host("old"))}, "/data/HOST", api.ClassManual, true, true, "kubectl-edit"},
		"another earlier render":      {"contested", "no render that is known has the live value", sample{desired: host("new"), writes: []write{helm(host("old"))}, evidence: earlierRender(t, host("older"))}, "/data/HOST", api.ClassContested, true, false, "no known render"},
		"by hand":                     {"edited by hand", "the incident", sample{desired: host("db"), writes: []write{helm(host("db")), edit(host("other"))}}, "/data/HOST", api.ClassManual, true, true, "kubectl-edit"},
		"by hand, and a program":      {"edited by hand", "a person among the owners makes it one", sample{desired: host("db"), writes: []write{edit(host("x")), {manager: "some-operator", apply: true, object: host("x")}}}, "/data/HOST", api.ClassManual, true, true, "kubectl-edit"},
		"by apply of kubectl":         {"edited by hand", "server-side apply by hand is a hand too", sample{desired: host("db"), writes: []write{{manager: "kubectl", apply: true, object: host("x")}}}, "/data/HOST", api.ClassManual, true, true, "kubectl"},
		"ours":                        {"ours, and Git has moved on", "we applied it, so Git said it", sample{desired: host("new"), writes: []write{ours(host("old"))}}, "/data/HOST", api.ClassPending, true, false, "we applied"},
		"removed":                     {"writer unknown", "a removal leaves no owner", sample{desired: labelled("a: b"), writes: []write{helm(labelled("a: b")), edit(configMap)}}, "/metadata/labels/a", api.ClassManual, true, true, "removed"},
		"nobody":                      {"writer unknown", "field management can be wiped", sample{desired: host("db"), writes: []write{helm(host("db"))}, overLive: "{data: {HOST: x}, metadata: {managedFields: null}}"}, "/data/HOST", api.ClassManual, true, true, "nobody"},
		"merged writers":              {"writer unknown", "past ten managers the server forgets who it was", sample{desired: host("db"), writes: []write{{manager: "ancient-changes", object: host("x")}}}, "/data/HOST", api.ClassManual, true, true, "nobody"},
		"another controller":          {"contested", "a program writes what Git declares", sample{desired: host("db"), writes: []write{helm(host("db")), controller(host("x"))}}, "/data/HOST", api.ClassContested, true, false, "some-operator writes"},
		"a deployer":                  {"contested", "a deployed value that no known render has", sample{desired: host("db"), writes: []write{helm(host("x"))}}, "/data/HOST", api.ClassContested, true, false, "no known render"},
	}
}

// undeclaredCases does the same for paths that Git does not declare.
func undeclaredCases() map[string]rowCase {
	hpa, mutator := live.Evidence{Scalers: []string{"ScaledObject web"}}, live.Evidence{Mutators: []string{"MutatingWebhookConfiguration inject"}}
	restarted := func(w func(string) write) []write {
		return []write{helm(plain), w(strings.Replace(plain, "{labels", "{annotations: {kubectl.kubernetes.io/restartedAt: '2026'}, labels", 1))}
	}
	const mark = "/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt"
	return map[string]rowCase{
		"Helm's marks":            {"bookkeeping", "they say nothing of what runs", sample{desired: configMap, writes: []write{helm(annotated("meta.helm.sh/release-name: a"))}}, "/metadata/annotations/meta.helm.sh~1release-name", api.ClassDefault, false, false, "bookkeeping"},
		"managed-by, by hand":     {"bookkeeping", "whoever wrote it", sample{desired: configMap, writes: []write{helm(configMap), edit(labelled("app.kubernetes.io/managed-by: Helm"))}}, "/metadata/labels/app.kubernetes.io~1managed-by", api.ClassDefault, false, false, "bookkeeping"},
		"an asked reconcile":      {"bookkeeping", "flux reconcile leaves a token", sample{desired: configMap, writes: []write{{manager: "flux", object: annotated("reconcile.fluxcd.io/requestedAt: '2026'")}}}, "/metadata/annotations/reconcile.fluxcd.io~1requestedAt", api.ClassDefault, false, false, "bookkeeping"},
		"last applied":            {"bookkeeping", "kubectl's own record", sample{desired: configMap, writes: []write{{manager: "kubectl-client-side-apply", object: annotated("kubectl.kubernetes.io/last-applied-configuration: '{}'")}}}, "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration", api.ClassDefault, false, false, "bookkeeping"},
		"instance by a deployer":  {"bookkeeping", "Argo CD tracks by it", sample{desired: configMap, writes: []write{{manager: "argocd-controller", object: labelled("app.kubernetes.io/instance: a")}}}, "/metadata/labels/app.kubernetes.io~1instance", api.ClassDefault, false, false, "bookkeeping"},
		"instance by hand":        {"added by hand", "to a person it is a label like any other", sample{desired: configMap, writes: []write{helm(configMap), edit(labelled("app.kubernetes.io/instance: a"))}}, "/metadata/labels/app.kubernetes.io~1instance", api.ClassManual, true, true, "kubectl-edit"},
		"a mark as data":          {"added by hand", "a key of the same name elsewhere is no mark", sample{desired: configMap, writes: []write{edit(configMap + "data: {app.kubernetes.io/managed-by: x}\n")}}, "/data/app.kubernetes.io~1managed-by", api.ClassManual, true, true, "kubectl-edit"},
		"an autoscaler":           {"scaler", "Git leaves replicas to it", sample{desired: plain, writes: []write{helm(plain), edit(scaled("4"))}, evidence: hpa}, replicas, api.ClassController, false, false, "ScaledObject web"},
		"scaled by a program":     {"scaled by a program", "through the scale subresource", sample{desired: plain, writes: []write{helm(plain), {manager: "kube-controller-manager/scale", object: scaled("4")}}, overRestored: "spec: {replicas: 1}"}, replicas, api.ClassController, false, false, "kube-controller-manager"},
		"restarted":               {"operational mark", "healing it would restart the pods again", sample{desired: plain, writes: restarted(edit)}, mark, api.ClassManual, true, false, "restarted by hand"},
		"restarted by a program":  {"owned by a controller", "a reloader restarts by design", sample{desired: plain, writes: restarted(controller)}, mark, api.ClassController, false, false, "some-operator"},
		"added by hand":           {"added by hand", "a person added it", sample{desired: configMap, writes: []write{helm(configMap), edit(host("x"))}}, "/data/HOST", api.ClassManual, true, true, "kubectl-edit"},
		"a default, by hand":      {"added by hand", "a person changed what Git leaves to the default", sample{desired: plain, writes: []write{helm(plain), edit(scaled("4"))}, overRestored: "spec: {replicas: 1}"}, replicas, api.ClassManual, true, true, "kubectl-edit"},
		"dropped from Git":        {"dropped from Git", "we applied it once", sample{desired: configMap, writes: []write{ours(host("x"))}}, "/data/HOST", api.ClassRemoved, true, true, "dropped"},
		"dropped, then a hand":    {"added by hand", "a hand holds it now", sample{desired: configMap, writes: []write{ours(host("x")), edit(host("y"))}}, "/data/HOST", api.ClassManual, true, true, "kubectl-edit"},
		"dropped, owner let go":   {"dropped from Git", "the server kept a key of stringData, and we remember it", sample{desired: secretOf, writes: []write{ours(secretOf)}, overLive: "data: {A: YQ==}", baseline: agreedOn(map[string]any{"/data/A": "YQ=="})}, "/data/A", api.ClassRemoved, true, true, "dropped"},
		"key of stringData":       {"dropped from Git", "the server books it as stringData only", sample{desired: secretOf, writes: []write{ours(secretOf + "stringData: {A: a}\n")}, overLive: "{data: {A: YQ==}, stringData: null}"}, "/data/A", api.ClassRemoved, true, true, "dropped"},
		"a controller's":          {"owned by a controller", "Git is silent", sample{desired: configMap, writes: []write{helm(configMap), controller(annotated("x.io/hash: a"))}}, "/metadata/annotations/x.io~1hash", api.ClassController, false, false, "some-operator owns it"},
		"set by a deployer":       {"set by a deployer", "the pipeline sets what Git does not say", sample{desired: configMap, writes: []write{helm(host("x"))}}, "/data/HOST", api.ClassPending, true, false, "helm set it"},
		"an address":              {"allocated by the server", "each Service has its own", sample{desired: service, writes: []write{helm(service)}, overLive: "spec: {clusterIP: 10.0.0.1}", overRestored: "spec: {clusterIP: 10.0.0.2}"}, "/spec/clusterIP", api.ClassDefault, false, false, "allocated"},
		"no address":              {"unowned", "None is asked for, never allocated", sample{desired: service, writes: []write{helm(service)}, overLive: "spec: {clusterIP: None}", overRestored: "spec: {clusterIP: 10.0.0.2}"}, "/spec/clusterIP", api.ClassUnowned, true, false, "nobody owns it"},
		"a namespace's label":     {"allocated by the server", "its own name", sample{desired: "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n", writes: []write{helm("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")}, overLive: "metadata: {labels: {kubernetes.io/metadata.name: a}}"}, "/metadata/labels/kubernetes.io~1metadata.name", api.ClassDefault, false, false, "allocated"},
		"injected":                {"added at admission", "a webhook's writes have no owner", sample{desired: configMap, writes: []write{helm(configMap)}, overLive: "metadata: {annotations: {sidecar: injected}}", evidence: mutator}, "/metadata/annotations/sidecar", api.ClassWebhook, false, false, "inject matches"},
		"injected, once":          {"added at admission", "what a webhook wrote may be another value by now", sample{desired: configMap, writes: []write{helm(configMap)}, overRestored: "metadata: {annotations: {sidecar: v2}}", overLive: "metadata: {annotations: {sidecar: v1}}", evidence: mutator}, "/metadata/annotations/sidecar", api.ClassWebhook, false, false, "inject matches"},
		"default, changed":        {"unowned", "the dry run went through the webhook and has the default, so the webhook is not who changed it", sample{desired: plain, writes: []write{helm(plain)}, overRestored: "spec: {replicas: 1}", overLive: "spec: {replicas: 3}", evidence: mutator}, replicas, api.ClassUnowned, true, false, "nobody owns it"},
		"default that live lacks": {"default that live lacks", "the next write brings it", sample{desired: plain, writes: []write{helm(plain)}, overRestored: "spec: {paused: false}"}, "/spec/paused", api.ClassDefault, false, false, "default"},
		"unowned":                 {"unowned", "ownership was wiped, and nothing explains it", sample{desired: configMap, writes: []write{helm(configMap)}, overLive: "data: {X: z}"}, "/data/X", api.ClassUnowned, true, false, "nobody owns it"},
	}
}

// TestDeclaredTable and TestUndeclaredTable go through the class table, which
// is the heart of the product, row by row.
func TestDeclaredTable(t *testing.T) { testTable(t, declared, declaredCases(t)) }

func TestUndeclaredTable(t *testing.T) { testTable(t, undeclared, undeclaredCases()) }

func testTable(t *testing.T, table []row, cases map[string]rowCase) {
	t.Helper()
	decided := map[string]bool{}
	for name, tc := range cases {
		decided[tc.row] = true
		t.Run(name, func(t *testing.T) { tc.check(t, table) })
	}
	for _, r := range table {
		if !decided[r.name] && !slices.ContainsFunc(proven, func(p row) bool { return p.name == r.name }) {
			t.Errorf("row %q has no case", r.name)
		}
	}
}

func (tc rowCase) check(t *testing.T, table []row) {
	t.Helper()
	in := tc.input(t)
	found, err := compare.Fields(compare.Input{Desired: in.Desired.Unstructured, Observation: in.Observation, Types: in.Types, Writers: in.Writers, Mask: in.Mask})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found.Differences, func(d compare.Difference) bool { return d.Pointer == tc.pointer })
	if i < 0 {
		var pointers []string
		for _, d := range found.Differences {
			pointers = append(pointers, d.Pointer)
		}
		t.Fatalf("%s: no difference at %s, only %v", tc.reason, tc.pointer, pointers)
	}
	d := found.Differences[i]
	f := gather(in, d, found.Managers)
	if r := first(table, f); r.name != tc.row {
		t.Errorf("%s: want row %q, got %q", tc.reason, tc.row, r.name)
	}
	j := Classify(in, d, found.Managers)
	if j.Class != tc.class || j.Drift != tc.drift || j.Heal != tc.heal {
		t.Errorf("%s: want %s, drift %t, heal %t; got %s, %t, %t", tc.reason, tc.class, tc.drift, tc.heal, j.Class, j.Drift, j.Heal)
	}
	if !strings.Contains(j.Explanation, tc.says) {
		t.Errorf("%s: want words %q, got %q", tc.reason, tc.says, j.Explanation)
	}
	if j.Rule != -1 {
		t.Errorf("no rule hides it, and yet %d", j.Rule)
	}
}
