// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

const hunter = "hunter2-is-no-password"

// TestBadInput: what is wrong with a manifest is said in the server's words,
// whether the object is live or not, and no value of a Secret is.
func TestBadInput(t *testing.T) {
	cases := map[string]struct {
		reason   string
		manifest string
		failure  string
		says     string
		waiting  string
		finding  string
	}{
		"refused": {
			reason:   "the server's own words reach the reader",
			manifest: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: bad}\nspec: {replicas: -1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}\n",
			failure:  observe.ReasonRefused, says: "spec.replicas: Invalid value: -1",
		},
		"wrong type": {
			reason:   "the server answers 500 for a field of the wrong type",
			manifest: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: bad}\nspec: {replicas: three}\n",
			failure:  observe.ReasonRefused, says: ".spec.replicas: expected numeric",
		},
		"secret of the wrong type": {
			reason:   "the server quotes the value",
			manifest: "apiVersion: v1\nkind: Secret\nmetadata: {name: bad}\nstringData: {pin: 4711471147}\n",
			failure:  observe.ReasonRefused, says: ".stringData.pin: expected string, got (masked)",
		},
		"secret of a bad type": {
			reason:   "what is quoted of a Secret is hidden, whatever it is",
			manifest: "apiVersion: v1\nkind: Secret\nmetadata: {name: bad}\ntype: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: " + hunter + "}\n",
			failure:  observe.ReasonRefused, says: "(masked)",
		},
		"unknown kind": {
			reason:   "nothing serves it and nothing in the set defines it",
			manifest: "apiVersion: nowhere.example.com/v1\nkind: Gadget\nmetadata: {name: g}\n",
			failure:  observe.ReasonUnknownKind, says: "CustomResourceDefinition",
		},
		"unknown version": {
			reason:   "the version was dropped by the server",
			manifest: "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: old}\n",
			failure:  observe.ReasonUnknownKind, says: "v1",
		},
		"kind that cannot be read": {
			reason:   "a question is no object",
			manifest: "apiVersion: authorization.k8s.io/v1\nkind: LocalSubjectAccessReview\nmetadata: {name: q}\nspec: {user: x}\n",
			failure:  observe.ReasonUnreadable, says: "take it out of Git",
		},
		"definition comes along": {
			reason: "the custom resource waits, the definition is missing",
			manifest: "apiVersion: late.example.com/v1\nkind: Late\nmetadata: {name: l}\n---\n" +
				"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lates.late.example.com}\n" +
				"spec: {group: late.example.com, scope: Namespaced, names: {kind: Late, plural: lates}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n",
			waiting: "CustomResourceDefinition lates.late.example.com",
		},
		"namespace comes along": {
			reason:   "the object waits for its namespace",
			manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: comes-along}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: comes-along}\n",
			waiting:  "Namespace comes-along",
		},
		"namespace missing": {
			reason:   "nobody declares the namespace",
			manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: never-there}\n",
			finding:  "namespace never-there does not exist",
		},
		"unknown field": {
			reason:   "the field is dropped, the rest is compared",
			manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\nspec: {x: y}\nmore: 1\n",
			finding:  ".spec: field not declared in schema",
		},
		"duplicate key": {
			reason:   "kubectl's client-side apply stores both",
			manifest: "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, env: [{name: A, value: first}, {name: A, value: last}]}]}\n",
			finding:  `duplicate entries for key [name="A"]`,
		},
	}
	c := cluster.Get(t)
	o := connect(t, c.AdminConfig())
	namespace := cluster.Namespace(t, c)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := objects(t, o, namespace, tc.manifest)
			seen := o.Observe(t.Context(), set[0], o.Gather(t.Context(), set, scope))
			reason, words := told(seen)
			if reason != tc.failure || !strings.Contains(words, tc.says) {
				t.Errorf("%s: got failure %s: %s\nwant %s: …%s…", tc.reason, reason, words, tc.failure, tc.says)
			}
			if !strings.Contains(seen.Waiting, tc.waiting) || (tc.waiting == "") != (seen.Waiting == "") {
				t.Errorf("%s: waits for %q, want %q", tc.reason, seen.Waiting, tc.waiting)
			}
			if tc.finding != "" && !slices.ContainsFunc(seen.Findings, func(f string) bool { return strings.Contains(f, tc.finding) }) {
				t.Errorf("%s: found %q, want …%s…", tc.reason, seen.Findings, tc.finding)
			}
			for _, secret := range []string{hunter, "4711471147", "hfdry-"} {
				if strings.Contains(fmt.Sprint(seen.Failure, seen.Findings), secret) {
					t.Errorf("%s: %q shows in %s %q", tc.reason, secret, words, seen.Findings)
				}
			}
		})
	}
}

func told(seen live.Observation) (reason, words string) {
	if seen.Failure == nil {
		return "", ""
	}
	return seen.Failure.Reason, seen.Failure.Message
}

// TestRefusedUnderAThrowAwayName: a refusal under another name proves nothing,
// so the real name is asked before anybody is told.
func TestRefusedUnderAThrowAwayName(t *testing.T) {
	const quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {count/secrets: \"1\", configmaps: \"0\"}}\n"
	const immutable = "apiVersion: v1\nkind: Secret\nmetadata: {name: fixed}\nimmutable: true\nstringData: {a: %s}\n"
	cases := map[string]struct {
		reason    string
		live      string // applied first
		around    string // applied after it
		declared  string
		precision api.Precision
		verdict   api.Verdict
	}{
		"full quota": {
			reason: "no second object fits, the one that is there may be applied",
			live:   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n", around: quota,
			declared:  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n",
			precision: api.PrecisionInPlace, verdict: api.VerdictInSync,
		},
		"immutable": {
			reason:    "what may not change on the live object can be declared for a new one",
			live:      fmt.Sprintf(immutable, "old"),
			declared:  fmt.Sprintf(immutable, "new"),
			precision: api.PrecisionRestored, verdict: api.VerdictDrifted,
		},
		"immutable and a full quota": {
			reason: "neither name is accepted, and that is not the manifest's fault",
			live:   fmt.Sprintf(immutable, "old"), around: quota,
			declared:  fmt.Sprintf(immutable, "new"),
			precision: api.PrecisionDeclaredFields, verdict: api.VerdictDrifted,
		},
	}
	c := cluster.Get(t)
	o := connect(t, c.AdminConfig())
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := cluster.Namespace(t, c)
			apply(t, c, "helm", objects(t, o, namespace, tc.live)...)
			if tc.around != "" {
				apply(t, c, "platform-team", objects(t, o, namespace, tc.around)...)
				awaitQuota(t, c, namespace)
			}
			obj := objects(t, o, namespace, tc.declared)[0]
			// The API server's own view of a quota lags behind what it answers.
			seen := look(t, o, obj)
			found := judge(t, o, obj, seen)
			for end := time.Now().Add(20 * time.Second); found.Precision != tc.precision && time.Now().Before(end); {
				seen = look(t, o, obj)
				found = judge(t, o, obj, seen)
			}
			if found.Precision != tc.precision || found.Verdict != tc.verdict {
				t.Errorf("%s: got %s %+v\nwant %s %s", tc.reason, story(found), seen.Failure, tc.verdict, tc.precision)
			}
		})
	}
}
