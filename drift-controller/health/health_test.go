// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package health_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/health"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	json, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(json); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestKnownKinds: kinds that kstatus alone judges wrong, as their controllers
// write them.
func TestKnownKinds(t *testing.T) {
	const (
		rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: a, generation: 4}\n"
		secret  = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: a}\n"
		cert    = "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: a}\n"
		canary  = "apiVersion: flagger.app/v1beta1\nkind: Canary\nmetadata: {name: a}\n"
		sealed  = "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: a}\n"
		scaled  = "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: a}\n"
		issuer  = "apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: a}\n"
		release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a, generation: 2}\n"
	)
	cases := map[string]struct{ reason, object, want string }{
		"rollout":             {"its phase says so", rollout + "status: {phase: Healthy, observedGeneration: '4'}", "Current"},
		"rollout, older":      {"of an older generation", rollout + "status: {phase: Healthy, observedGeneration: '3'}", "InProgress"},
		"rollout, paused":     {"somebody is to promote it", rollout + "status: {phase: Paused, observedGeneration: '4'}", "InProgress"},
		"rollout, degraded":   {"it does not get there", rollout + "status: {phase: Degraded, observedGeneration: '4'}", "Failed"},
		"rollout, new":        {"nobody has looked at it", rollout, "InProgress"},
		"secret":              {"delivered", secret + "status: {conditions: [{type: Ready, status: 'True'}]}", "Current"},
		"secret, error":       {"the store refused", secret + "status: {conditions: [{type: Ready, status: 'False', message: no such key}]}", "Failed"},
		"secret, none yet":    {"it waits for its controller", secret + "status: {}", "InProgress"},
		"certificate":         {"issued", cert + "status: {conditions: [{type: Ready, status: 'True'}]}", "Current"},
		"certificate, first":  {"it is being issued", cert + "status: {conditions: [{type: Issuing, status: 'True'}, {type: Ready, status: 'False'}]}", "InProgress"},
		"certificate, failed": {"and nobody tries", cert + "status: {conditions: [{type: Issuing, status: 'False'}, {type: Ready, status: 'False'}]}", "Failed"},
		"issuer":              {"not registered", issuer + "status: {conditions: [{type: Ready, status: 'False'}]}", "Failed"},
		"canary":              {"promoted", canary + "status: {phase: Succeeded}", "Current"},
		"canary, analysis":    {"it is being looked at", canary + "status: {phase: Progressing}", "InProgress"},
		"canary, failed":      {"rolled back", canary + "status: {phase: Failed}", "Failed"},
		"sealed":              {"it has no Ready", sealed + "status: {conditions: [{type: Synced, status: 'False'}]}", "Failed"},
		"scaled":              {"its trigger works", scaled + "status: {conditions: [{type: Ready, status: 'True'}]}", "Current"},
		"Flux's own":          {"kstatus suffices", release + "status: {observedGeneration: 2, conditions: [{type: Ready, status: 'True'}]}", "Current"},
		"Flux's, stalled":     {"kstatus suffices", release + "status: {observedGeneration: 2, conditions: [{type: Stalled, status: 'True'}, {type: Ready, status: 'False'}]}", "Failed"},
		"built in":            {"kstatus knows it", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "Current"},
		"going":               {"whatever its phase", strings.Replace(rollout, "{", "{deletionTimestamp: '2026-05-04T12:00:00Z', ", 1) + "status: {phase: Healthy, observedGeneration: '4'}", "Terminating"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (health.Checks{}).Of(object(t, tc.object)); got.Status != tc.want {
				t.Errorf("%s: want %s, got %+v", tc.reason, tc.want, got)
			}
		})
	}
}

func expr(kind, current, failed string) api.HealthCheckExpr {
	return api.HealthCheckExpr{APIVersion: "example.com/v1", Kind: kind, Current: current, Failed: failed}
}

// TestOwnExpressions: an Application's word goes before ours, and what it cannot
// tell is Unknown without a value in the message.
func TestOwnExpressions(t *testing.T) {
	checks, err := health.Compile([]api.HealthCheckExpr{
		expr("Database", "status.phase == 'Up'", "status.phase == 'Down'"),
		{APIVersion: "flagger.app/v1beta1", Kind: "Canary", Current: "true"},
		expr("Odd", "int(spec.password) > 0", ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ reason, object, want, message string }{
		"up":      {"as it says", "{apiVersion: example.com/v1, kind: Database, status: {phase: Up}}", "Current", ""},
		"down":    {"as it says", "{apiVersion: example.com/v1, kind: Database, status: {phase: Down, message: disk full}}", "Failed", "disk full"},
		"between": {"neither is true", "{apiVersion: example.com/v2, kind: Database, status: {phase: Boot}}", "InProgress", ""},
		"no key":  {"it cannot be told", "{apiVersion: example.com/v1, kind: Database, status: {}}", "Unknown", "no such key: phase"},
		"ours":    {"replaced", "{apiVersion: flagger.app/v1beta1, kind: Canary, status: {phase: Failed}}", "Current", ""},
		"a value": {"it is not quoted", "{apiVersion: example.com/v1, kind: Odd, spec: {password: hunter2hunter2}}", "Unknown", "cannot be evaluated"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := checks.Of(object(t, tc.object))
			if got.Status != tc.want || !strings.Contains(got.Message, tc.message) || strings.Contains(got.Message, "hunter") {
				t.Errorf("%s: want %s %q, got %+v", tc.reason, tc.want, tc.message, got)
			}
		})
	}
}

func TestExpressionsThatCannotBeRead(t *testing.T) {
	cases := map[string]struct {
		reason string
		exprs  []api.HealthCheckExpr
		names  string
	}{
		"syntax":     {"the entry is named", []api.HealthCheckExpr{expr("A", "status.phase ==", "")}, "healthCheckExprs[0]"},
		"failed":     {"that expression is named", []api.HealthCheckExpr{expr("A", "true", "((")}, "Failed"},
		"apiVersion": {"it has one slash at most", []api.HealthCheckExpr{{APIVersion: "a/b/c", Kind: "A", Current: "true"}}, "apiVersion"},
		"twice":      {"nobody knows which counts", []api.HealthCheckExpr{expr("A", "true", ""), expr("A", "false", "")}, "[1]"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := health.Compile(tc.exprs); err == nil || !strings.Contains(err.Error(), tc.names) {
				t.Errorf("%s: want %q, got %v", tc.reason, tc.names, err)
			}
		})
	}
}
