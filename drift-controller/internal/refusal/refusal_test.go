// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package refusal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

func status(code int32, message string, details *metav1.StatusDetails) error {
	return fmt.Errorf("wrapped: %w", &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Message: message, Details: details}})
}

// TestKinds reads what API server 1.36 answered, word for word.
func TestKinds(t *testing.T) {
	named := &metav1.StatusDetails{Name: "web", Kind: "deployments", Group: "apps"}
	cases := map[string]struct {
		reason string
		err    error
		want   Kind
	}{
		"no object":          {"details name it", status(404, `deployments.apps "web" not found`, named), Absent},
		"no kind":            {"nobody served the path", status(404, "the server could not find the requested resource", &metav1.StatusDetails{}), Unserved},
		"no namespace":       {"details name another kind", status(404, `namespaces "nope" not found`, &metav1.StatusDetails{Name: "nope", Kind: "namespaces"}), NoNamespace},
		"RBAC":               {"the account lacks a right", status(403, `configmaps "new" is forbidden: User "system:serviceaccount:x:obs" cannot create resource "configmaps" in API group "" in the namespace "x"`, named), Denied},
		"quota":              {"403 as well", status(403, `configmaps "new" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1`, named), Policy},
		"escalation":         {"403 as well", status(403, `roles.rbac.authorization.k8s.io "big" is forbidden: user "system:serviceaccount:x:obs" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held`, named), Policy},
		"webhook denies":     {"with any code", status(400, `admission webhook "a.example.com" denied the request: no`, nil), Policy},
		"webhook is down":    {"500", status(500, `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a": dial tcp: connection refused`, nil), Policy},
		"conversion is down": {"500, and it concerns one kind", status(500, `conversion webhook for tests.holdfast.dev/v1, Kind=Gauge failed: Post "https://127.0.0.1:9/convert?timeout=30s": dial tcp 127.0.0.1:9: connect: connection refused`, nil), Policy},
		"conversion is late": {"it reads like an outage", status(500, `conversion webhook for example.com/v1, Kind=Gauge failed: Post "https://a": context deadline exceeded`, nil), Policy},
		"webhook, dry":       {"it has side effects", status(400, `admission webhook "a.example.com" does not support dry run`, nil), Policy},
		"policy denies":      {"422", status(422, `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`, named), Policy},
		"immutable":          {"422, and no fault of the manifest", status(422, `Secret "s" is invalid: data: Forbidden: field is immutable when immutable is set`, named), Policy},
		"invalid":            {"422", status(422, `Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`, named), Invalid},
		"wrong type":         {"500", status(500, "failed to create typed patch object (x/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string", nil), Invalid},
		"bad quantity":       {"500", status(500, "failed to convert new object (x/p; /v1, Kind=Pod) to proper version: unable to convert unstructured object to /v1, Kind=Pod: unable to parse quantity's suffix", nil), Invalid},
		"too large":          {"413", status(413, "Request entity too large: limit is 3145728", nil), Invalid},
		"overloaded":         {"it says nothing about the object", status(429, "too many requests", nil), Unreachable},
		"storage is gone":    {"as above", status(500, "etcdserver: request timed out", nil), Unreachable},
		"no connection":      {"no answer at all", errors.New("dial tcp 10.0.0.1:443: connect: connection refused"), Unreachable},
		"no answer in time":  {"as above", fmt.Errorf("get: %w", context.DeadlineExceeded), Unreachable},
		"conflict":           {"somebody was faster", status(409, "the object has been modified", named), Policy},
		"aggregated is down": {"503", status(503, "the server is currently unable to handle the request", nil), Unreachable},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Of(tc.err, Hide{}).Kind; got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestShares: only what is said under both names is the manifest's fault.
func TestShares(t *testing.T) {
	refused := func(name string, causes ...metav1.StatusCause) Refusal {
		return Of(status(422, "invalid", &metav1.StatusDetails{Name: name, Causes: causes}), Hide{Name: name})
	}
	port := metav1.StatusCause{Field: "spec.ports[0].nodePort", Message: "provided port is already allocated"}
	if refused("hfdry-1", port).Shares(refused("web", metav1.StatusCause{Field: "spec.clusterIP", Message: "x"})) {
		t.Error("two different complaints are one")
	}
	own := func(name string) metav1.StatusCause {
		return metav1.StatusCause{Field: "metadata.labels", Message: `Invalid value: "` + name + `!": bad`}
	}
	if !refused("hfdry-1", port, own("hfdry-1")).Shares(refused("web", own("web"))) {
		t.Error("the same complaint under another name is not recognised")
	}
	range0 := metav1.StatusCause{Field: "spec.ports[0].port", Message: "Invalid value: 80000: must be between 1 and 65535"}
	range1 := metav1.StatusCause{Field: "spec.ports[1].port", Message: range0.Message}
	if !refused("hfdry-1", range0).Shares(refused("web", range1)) {
		t.Error("over the live object the declared item stands behind the live one, and the complaint is the same")
	}
}

// TestNoSecretInWords: whatever the server quotes, no value that is masked in
// the object shows in its words.
func TestNoSecretInWords(t *testing.T) {
	const secret = "hunter2-hunter2"
	cases := map[string]struct {
		reason string
		object map[string]any
		scope  mask.Scope
		words  string
		keeps  string // what must still be read
	}{
		"quoted": {
			"a Secret's value", map[string]any{"kind": "Secret", "metadata": map[string]any{"name": "s"}}, mask.Scope{Secret: true},
			`Secret "s" is invalid: data[x]: Invalid value: "` + secret + `": too long`, `Secret "s" is invalid: data[x]`,
		},
		"wrong type": {
			"the typed conversion prints Go values", map[string]any{"kind": "Secret"}, mask.Scope{Secret: true},
			"failed to create typed patch object (x/s; /v1, Kind=Secret): .stringData.a: expected string, got &value.valueUnstructured{Value:" + secret + "}", ".stringData.a: expected string",
		},
		"around an error": {
			"older JSON errors show the text", map[string]any{"kind": "Secret"}, mask.Scope{Secret: true},
			"cannot be handled: error found in #10 byte of ...|a\":" + secret + "|..., bigger context", "cannot be handled",
		},
		"composed": {
			"a whole map", map[string]any{"kind": "Secret"}, mask.Scope{Secret: true},
			`data: Invalid value: {"a":"` + secret + `"}: must be empty`, "must be empty",
		},
		"by name": {
			"a variable that announces a secret", map[string]any{"kind": "Pod", "spec": map[string]any{"env": []any{map[string]any{"name": "DB_PASSWORD", "value": secret}}}}, mask.Scope{},
			`spec.env[0].value: Invalid value: "` + secret + `": bad`, "spec.env[0].value: Invalid value",
		},
		"tainted": {
			"it came from an encrypted file", map[string]any{"kind": "ConfigMap", "data": map[string]any{"a": secret}}, mask.Scope{Tainted: []string{secret}},
			`data: Invalid value: "` + secret + `": bad`, "",
		},
		"decoded": {
			"the server decodes before it complains", map[string]any{"kind": "Secret", "data": map[string]any{"a": "aHVudGVyMi1odW50ZXIy"}}, mask.Scope{Secret: true},
			"data: " + secret + " is no JSON", "is no JSON",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.scope.Key = mask.Key("k")
			got := NewHide(&unstructured.Unstructured{Object: tc.object}, tc.scope).Mask(tc.words)
			if strings.Contains(got, secret) || !strings.Contains(got, tc.keeps) {
				t.Errorf("%s: got %q, want it without the secret and with %q", tc.reason, got, tc.keeps)
			}
		})
	}
}

// TestWordsNameTheRealObject: nobody has to know of throw-away names.
func TestWordsNameTheRealObject(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "web"}}}
	got := NewHide(obj, mask.Scope{}).Under("hfdry-1").Mask(`Service "hfdry-1" is invalid`)
	if want := `Service "web" is invalid`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
