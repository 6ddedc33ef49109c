// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rendered_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/rendered"
)

var key = mask.Key("0123456789abcdef0123456789abcdef")

func objects(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	decoded, err := manifest.Decode("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []*unstructured.Unstructured
	for _, object := range decoded {
		all = append(all, object.Unstructured)
	}
	return all
}

func TestManifests(t *testing.T) {
	digest := func(value string) string { return key.Digest(value) }
	encode := func(value string) string { return base64.StdEncoding.EncodeToString([]byte(value)) }
	cases := map[string]struct {
		reason  string
		in      string
		tainted []string
		want    string
	}{
		"Secret": {"every value is masked with its shape, every key stays",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: db, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"data\":{\"p\":\"hunter2!\"}}'}}\n" +
				"data: {password: " + encode("hunter2!") + ", empty: '', todo: " + encode("changeme") + "}\n" +
				"stringData: {password: hunter2!, ref: 'op://vault/db/password', enc: 'ENC[AES256_GCM,data:x]'}\ntype: Opaque\n",
			nil,
			"---\napiVersion: v1\ndata:\n  empty: (masked empty)\n" +
				"  password: (masked opaque hmac:" + digest("hunter2!") + ")\n  todo: (masked placeholder hmac:" + digest("changeme") + ")\n" +
				"kind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: (masked opaque hmac:" + digest(`{"data":{"p":"hunter2!"}}`) + ")\n  name: db\n" +
				"stringData:\n  enc: (masked encrypted hmac:" + digest("ENC[AES256_GCM,data:x]") + ")\n  password: (masked opaque hmac:" + digest("hunter2!") + ")\n" +
				"  ref: (masked reference hmac:" + digest("op://vault/db/password") + ")\ntype: Opaque\n"},
		"Tainted": {"what came from a Secret is masked wherever it went, in a Secret's labels too",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {x: hunter2!}}\ndata: {dsn: 'host=db pw=hunter2!', plain: info}\n",
			[]string{"hunter2!"},
			"---\napiVersion: v1\ndata:\n  dsn: (masked opaque hmac:" + digest("host=db pw=hunter2!") + ")\n  plain: info\nkind: ConfigMap\nmetadata:\n  labels:\n    x: (masked opaque hmac:" + digest("hunter2!") + ")\n  name: a\n"},
		"Sealed": {"the plain part of a sealed Secret",
			"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: a}\nspec: {template: {data: {host: db}}}\n", nil,
			"---\napiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata:\n  name: a\nspec:\n  template:\n    data:\n      host: (masked opaque hmac:" + digest("db") + ")\n"},
		"Variable": {"a variable by its name, and a reference stays: it holds no value, and rules follow it",
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: x, env: [{name: API_TOKEN, value: '${TOKEN}'}, {name: LEVEL, value: info}]}]}\n", nil,
			"---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - env:\n    - name: API_TOKEN\n      value: ${TOKEN}\n    - name: LEVEL\n      value: info\n    name: x\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := rendered.Manifests(objects(t, tc.in), mask.Scope{Key: key, Tainted: tc.tainted})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Nothing of a planted value may be left, in any object.
func TestNothingLeaks(t *testing.T) {
	const planted = "p1anted-value"
	text := "apiVersion: v1\nkind: Secret\nmetadata: {name: a, labels: {l: " + planted + "}}\nstringData: {x: " + planted + "}\n" +
		"data: {y: " + base64.StdEncoding.EncodeToString([]byte(planted)) + "}\n---\n" +
		"apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {list: [" + planted + ", {deep: 'x " + planted + " y'}], url: 'https://u:" + planted + "@h/'}\n"
	got, err := rendered.Manifests(objects(t, text), mask.Scope{Key: key, Tainted: []string{planted}})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{planted, base64.StdEncoding.EncodeToString([]byte(planted))} {
		if strings.Contains(string(got), form) {
			t.Errorf("%q is left in\n%s", form, got)
		}
	}
}
