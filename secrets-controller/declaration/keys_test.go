// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readAll(t *testing.T, stream string) Set {
	t.Helper()
	objects, err := Parse("f.yaml", []byte(stream))
	if err != nil {
		t.Fatal(err)
	}
	return Read(objects, Options{Namespace: "shop"})
}

// TestTargetKeys follows keys from what is fetched to what is written.
func TestTargetKeys(t *testing.T) {
	const data = "data: [{secretKey: a, remoteRef: {key: x}}, {secretKey: b, remoteRef: {key: x}}]"
	for name, tc := range map[string]struct {
		reason string
		spec   string
		known  []string
		open   bool
	}{
		"NoTemplate":      {"what is fetched is written", data, []string{"a", "b"}, false},
		"EmptyTemplate":   {"a template without data changes metadata only", "target: {template: {}}, " + data, []string{"a", "b"}, false},
		"Replace":         {"the default keeps the template's keys only", "target: {template: {data: {c: d}}}, " + data, []string{"c"}, false},
		"Merge":           {"both", "target: {template: {mergePolicy: Merge, data: {c: d}}}, " + data, []string{"c", "a", "b"}, false},
		"FromConfigMap":   {"items name their keys", "target: {template: {templateFrom: [{configMap: {name: t, items: [{key: c}]}}]}}, " + data, []string{"c"}, false},
		"KeysAndValues":   {"rendering decides", "target: {template: {templateFrom: [{configMap: {name: t, items: [{key: c, templateAs: KeysAndValues}]}}]}}, " + data, nil, true},
		"Literal":         {"rendering decides", "target: {template: {templateFrom: [{literal: x}]}}, " + data, nil, true},
		"Annotations":     {"another target writes no key and keeps the fetched ones", "target: {template: {templateFrom: [{target: Annotations, literal: x}]}}, " + data, []string{"a", "b"}, false},
		"Extract":         {"the remote object decides, beside what is named", "dataFrom: [{extract: {key: x}}], " + data, []string{"a", "b"}, true},
		"Find":            {"the store decides", "dataFrom: [{find: {path: x}}]", nil, true},
		"Generator":       {"its kind decides", "dataFrom: [{sourceRef: {generatorRef: {kind: GithubAccessToken, name: g}}}]", []string{"token"}, false},
		"Webhook":         {"its answer decides", "dataFrom: [{sourceRef: {generatorRef: {kind: Webhook, name: g}}}]", nil, true},
		"NamedPassword":   {"its spec decides", "dataFrom: [{sourceRef: {generatorRef: {kind: Password, name: p}}}]", []string{"one", "two"}, false},
		"StrangePassword": {"its spec is not here", "dataFrom: [{sourceRef: {generatorRef: {kind: Password, name: q}}}]", nil, true},
		"Rewritten":       {"expressions over known keys can be followed", `dataFrom: [{sourceRef: {generatorRef: {kind: UUID, name: g}}, rewrite: [{regexp: {source: "^u(.*)$", target: "v$1"}}]}]`, []string{"vuid"}, false},
		"Transformed":     {"other rewrites cannot", "dataFrom: [{sourceRef: {generatorRef: {kind: UUID, name: g}}, rewrite: [{transform: {template: x}}]}]", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			set := readAll(t, "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e}\nspec: {"+tc.spec+"}\n"+
				"---\napiVersion: generators.external-secrets.io/v1alpha1\nkind: Password\nmetadata: {name: p}\nspec: {secretKeys: [one, two]}\n")
			es := set.ExternalSecrets[0]
			keys := set.TargetKeys(es.Spec, es.Ref.Namespace)
			if diff := cmp.Diff(tc.known, keys.Known); diff != "" {
				t.Errorf("%s: -want +got\n%s", tc.reason, diff)
			}
			if got := keys.Open != ""; got != tc.open {
				t.Errorf("%s: open: got %v (%s), want %v", tc.reason, got, keys.Open, tc.open)
			}
		})
	}
}

func TestProductions(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		stream string
		want   map[string][]string
	}{
		"Certificate": {
			"keystores and formats add keys",
			"apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: c}\nspec: {secretName: s, keystores: {jks: {create: true}, pkcs12: {create: false}}, additionalOutputFormats: [{type: DER}]}",
			map[string][]string{"s": {"tls.crt", "tls.key", "keystore.jks", "truststore.jks", "key.der"}},
		},
		"ACMEIssuer": {
			"cert-manager makes the account key itself",
			"apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: i}\nspec: {acme: {privateKeySecretRef: {name: acc}}}",
			map[string][]string{"acc": {"tls.key"}},
		},
		"SealedSecret": {
			"it takes its own name, whatever the template says",
			"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: s}\nspec: {encryptedData: {a: x}, template: {metadata: {name: other}, data: {b: c}}}",
			map[string][]string{"s": {"a", "b"}},
		},
		"Token": {
			"the control plane fills it",
			"apiVersion: v1\nkind: Secret\ntype: kubernetes.io/service-account-token\nmetadata: {name: t, annotations: {kubernetes.io/service-account.name: sa}}",
			map[string][]string{"t": {"token", "ca.crt", "namespace"}},
		},
		"None": {
			"writes nothing",
			"apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e}\nspec: {target: {creationPolicy: None}}",
			map[string][]string{},
		},
		"GenericTarget": {
			"writes another kind",
			"apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e}\nspec: {target: {manifest: {apiVersion: v1, kind: ConfigMap}}}",
			map[string][]string{},
		},
		"ClusterExternalSecret": {
			"writes in the namespaces it selects",
			"apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: c}\nspec: {externalSecretName: child, namespaceSelectors: [{matchLabels: {a: b}}], externalSecretSpec: {data: [{secretKey: k, remoteRef: {key: x}}]}}",
			map[string][]string{"child": {"k"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			namespaces := []Namespace{NewNamespace("shop", map[string]string{"a": "b"}), NewNamespace("other", nil)}
			for _, p := range readAll(t, tc.stream).Productions(namespaces) {
				if p.Namespace != "shop" {
					t.Errorf("%s: a production in namespace %s", tc.reason, p.Namespace)
				}
				got[p.Name] = p.Keys.Known
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", tc.reason, diff)
			}
		})
	}
}
