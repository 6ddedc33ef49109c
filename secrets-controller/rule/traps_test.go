// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

func configMap(data string) string {
	return object("v1", "ConfigMap", "cfg", "data:\n"+indent(data, 2))
}

func variable(name, value string) string {
	return pod(fmt.Sprintf("containers:\n- name: api\n  env:\n  - {name: %s, value: %q}", name, value))
}

const publicPEM = "-----BEGIN PUBLIC KEY-----\\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\\n-----END PUBLIC KEY-----\\n"

// traps look like a fault and are none: no rule may say more than an Info.
var traps = map[string]string{
	"fp-env-ref":              variable("DB_PASSWORD", "${DB_PASSWORD}") + variable("TOKEN", "$(TOKEN)"),
	"fp-conn-string-ref":      variable("URL", "postgres://$(U):$(P)@db/x"),
	"fp-template-placeholder": store("vault") + externalSecret("db", "secretStoreRef: {name: vault}\nrefreshInterval: 1h\ntarget: {template: {data: {a: '{{ .password }}', b: '{{ index . \"password\" }}'}}}\ndata: [{secretKey: password, remoteRef: {key: k}}]"),
	"fp-vault-ref":            variable("DB_PASSWORD", "vault:secret/data/db#pw"),
	"fp-vals-ref":             variable("DB_PASSWORD", "ref+vault://db#/pw") + variable("API_TOKEN", "ref+awssecrets://a/b"),
	"fp-avp-path":             gitSecret("db", "stringData: {password: '<path:secret/data/db#pw>'}"),
	"fp-enc-leaf":             gitSecret("db", "stringData: {password: "+encrypted+"}\n"+sopsBlock),
	"fp-sealed":               sealed("db", "encryptedData: {pw: "+block+"}"),
	"fp-remote-key":           store("vault") + externalSecret("db", "secretStoreRef: {name: vault}\nrefreshInterval: 1h\ndata: [{secretKey: api-token, remoteRef: {key: prod/db/password, property: token}}]"),
	"fp-secret-name":          object("example.org/v1", "App", "a", "spec: {secretName: my-very-long-secret-name-123, existingSecret: another-name-77, tokenSecretRef: {name: t, key: token}}"),
	"fp-path-env":             variable("SECRETS_DIR", "/var/run/secrets") + variable("PASSWORD_FILE", "/run/pw"),
	"fp-boolean-env":          variable("TOKEN_REVIEW_ENABLED", "true") + variable("PASSWORD_MIN_LENGTH", "12"),
	"fp-public-cert":          configMap("ca.crt: \"" + strings.ReplaceAll(publicPEM, "PUBLIC KEY", "CERTIFICATE") + "\""),
	"fp-ca-bundle": "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: w}\nwebhooks: [{name: a, clientConfig: {caBundle: " +
		base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(publicPEM, "PUBLIC KEY", "CERTIFICATE"))) + "}}]",
	"fp-public-key":      configMap("ssh-known-hosts: git.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7\ntoken-key: \"" + publicPEM + "\""),
	"fp-image-digest":    pod("containers:\n- {name: a, image: r/x@sha256:cb113fc4a7d194214255ea02c9c4cf79339c23252a2b7939e5f58149fe68ef68}"),
	"fp-sha-git":         variable("GIT_COMMIT", "9c50a5f2a6004132d12cf255a8b115ee82fd35ec"),
	"fp-checksum":        object("v1", "Service", "s", "spec: {}\n") + "---\napiVersion: v1\nkind: Service\nmetadata: {name: t, namespace: shop, annotations: {checksum/secret: 6a20814dcdd37e9fa4d33b0dae24d100c7922cb6598bae866f611cb03fc945a4}}\n",
	"fp-uuid":            variable("TENANT_ID", "0b2f4c8e-1a2b-4c3d-8e9f-001122334455"),
	"fp-arn":             variable("KMS_KEY", "arn:aws:kms:eu-central-1:111122223333:key/0b2f4c8e-1a2b-4c3d-8e9f-001122334455"),
	"fp-publishable":     configMap("stripe: pk_live_LfPxjctHipC9yLYeVtwbEHQQ"),
	"fp-sentry-dsn":      configMap("SENTRY_DSN: https://4bf077b293c4285b7ce99faa857810b9@errors.example/42"),
	"fp-userinfo-nopass": configMap("BROKER: amqp://user@host/x"),
	"fp-example":         "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\nspec: {group: b, names: {kind: A}, versions: [{name: v1, schema: {openAPIV3Schema: {description: 'postgres://user:password@example.com/x'}}}]}",
	"fp-crd-schema":      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\nspec: {group: b, names: {kind: A}, versions: [{name: v1, schema: {openAPIV3Schema: {properties: {password: {type: string, default: sommer77}}}}}]}",
	"fp-dashboard":       configMap(`d.json: '{"uid": "aL4Z1fsjvA24tA", "title": "Token usage", "expr": "sum(rate(auth_token_requests_total{secret_store=\"vault\"}[5m]))"}'`),
	"fp-embedded-kind":   configMap("t.yaml: \"kind: Secret\\nstringData:\\n  password: {{ .password }}\\n\""),
	"fp-sa-token-secret": "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/service-account-token\nmetadata: {name: t, namespace: shop, annotations: {kubernetes.io/service-account.name: sa}}",
	"fp-rbac":            object("rbac.authorization.k8s.io/v1", "Role", "r", "rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]"),
	"fp-test-fixture":    configMap("a: b"),
	"fp-age-recipient":   configMap("recipient-token: age1dj86glvpj2gwfwguj9njf7y9zddq90ckdgduvj7jkrhyvt6cuhqsr4djhy"),
	"fp-cosign-key":      configMap("cosign.pub: \"" + publicPEM + "\""),
	"fp-nodeport-hash":   configMap("doc: 'hashes look like $2y$10$ and so on'"),
	"fp-owner-secret":    store("vault") + fetching("db", "password", "refreshInterval: 1h"),
	// Rows of the catalogue whose right answer is silence.
	"ingress-tls-shim":    "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, namespace: shop, annotations: {cert-manager.io/cluster-issuer: le}}\nspec: {tls: [{hosts: [a], secretName: t}]}",
	"ingress-tls-default": object("networking.k8s.io/v1", "Ingress", "i", "spec: {tls: [{hosts: [a]}]}"),
	"operator-produced":   reads("pg-app", "password"),
	"owner-not-pruned":    store("vault") + fetching("db", "password", "refreshInterval: 1h"),
	"duration-normalised": store("vault") + fetching("db", "password", "refreshInterval: 1h0m0s"),
	"empty-secret-shell":  gitSecret("db", "type: Opaque"),
	"sops-ok":             gitSecret("db", "stringData: {a: "+encrypted+"}\n"+sopsBlock) + reads("db", "a"),
	"sops-json-dotenv":    gitSecret("db", "stringData: {app.env: \"password=ENC[AES256_GCM,data:a]\\nsops_mac=ENC[AES256_GCM,data:b]\"}\n"),
	"sealed-ok":           sealed("db", "encryptedData: {a: "+block+"}") + reads("db", "a"),
}

// judgedElsewhere are rows of the catalogue that stand under another rule.
var judgedElsewhere = map[string]string{
	"plain-secret-any-order": "plain-secret-data", // data before kind, within a List: the order is nobody's business here
	"fp-placeholder-weak":    "placeholder-applied",
}

func TestTraps(t *testing.T) {
	for name, git := range traps {
		t.Run(name, func(t *testing.T) {
			e := example{git: git}
			switch name {
			case "operator-produced":
				e.change = outside("pg-*", "password")
			case "fp-test-fixture":
				e.change = withFixtures(t)
			}
			for _, f := range rule.Run(e.input(t)).Findings {
				if f.Severity == secretsv1.SeverityError || f.Severity == secretsv1.SeverityWarning {
					t.Errorf("want silence, got %s at %s", f, f.Path)
				}
			}
		})
	}
}

// withFixtures are files that hold real-looking secrets and are rendered by
// nobody.
func withFixtures(t *testing.T) func(*rule.Input) {
	t.Helper()
	source, err := declaration.ReadSource(fstest.MapFS{
		"app/cm.yaml":                    {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cfg}\ndata: {a: b}\n")},
		"app/testdata/secret.yaml":       {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: s0mmer77Regen}\n")},
		"app/chart/ci/test-values.yaml":  {Data: []byte("auth: {password: s0mmer77Regen}\n")},
		"app/examples/values-small.yaml": {Data: []byte("url: postgres://app:s0mmer77Regen@db/x\n")},
	}, "app", declaration.SourceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return func(in *rule.Input) { in.Source = source }
}

// TestEveryRowOfTheCatalogue: a row is a rule, a trap, or stands under another
// rule; and no rule is without a row.
func TestEveryRowOfTheCatalogue(t *testing.T) {
	text, err := os.ReadFile("../testdata/catalogue.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{"leak-in-source": true} // the raw scan that a policy asks for
	for _, row := range strings.Split(string(text), "\n") {
		if row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		rows[row] = true
		_, isRule := rule.ByID(row)
		_, isTrap := traps[row]
		if !isRule && !isTrap && judgedElsewhere[row] == "" {
			t.Errorf("row %s has no rule and no trap", row)
		}
	}
	for _, r := range rule.Catalogue {
		if !rows[r.ID] {
			t.Errorf("rule %s has no row", r.ID)
		}
	}
	if len(rows) < 309 {
		t.Errorf("the catalogue has %d rows, fewer than it had", len(rows))
	}
}
