// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"encoding/base64"
	"strings"
	"testing"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

const password = "---\napiVersion: generators.external-secrets.io/v1alpha1\nkind: Password\nmetadata: {name: gen, namespace: shop}\nspec: {length: 20}\n"

func generating(more string) string { return rewriting(more, "[]") }

func rewriting(more, rewrites string) string {
	return password + externalSecret("db", "refreshPolicy: CreatedOnce\nrefreshInterval: 1h\n"+more+
		"dataFrom:\n- sourceRef: {generatorRef: {apiVersion: generators.external-secrets.io/v1alpha1, kind: Password, name: gen}}\n  rewrite: "+rewrites+"\n")
}

// odd are inputs that follow a key along an unusual way: the consumer of the
// key that arrives must not be denied, and that of one that does not arrive
// must not be passed over.
var odd = map[string]struct {
	reason, git  string
	right, wrong string
	// unknown: the keys cannot be known from Git, so neither is denied.
	unknown bool
}{
	"chain of rewrites": {
		reason: "each sees what the one before made",
		git:    rewriting("", "[{regexp: {source: '^pass(.*)$', target: 'db_$1'}}, {regexp: {source: 'word', target: 'key'}}]"),
		right:  "db_key", wrong: "password",
	},
	"rewrite of nothing": {reason: "a pattern that matches nothing leaves the key", git: rewriting("", "[{regexp: {source: 'zzz', target: 'x'}}]"), right: "password", wrong: "x"},
	"merging template": {
		reason: "what was fetched stays beside the template's own keys",
		git:    generating("target: {template: {mergePolicy: Merge, data: {'app.conf': 'p={{ .password }}'}}}\n"), right: "password", wrong: "app.json",
	},
	"replacing template": {
		reason: "what was fetched is gone", git: generating("target: {template: {data: {app.conf: 'p={{ .password }}'}}}\n"), right: "app.conf", wrong: "password",
	},
	"key with dots": {
		reason: "a dot in a key is no path", git: generating("target: {template: {data: {a.b.c: 'p={{ .password }}'}}}\n"), right: "a.b.c", wrong: "a",
	},
	"unknown function": {
		reason: "the template does not work, and its keys are still its keys",
		git:    generating("target: {template: {data: {conf: '{{ .password | frobnicate }}'}}}\n"), right: "conf", wrong: "other",
	},
	"extracted, then rewritten": {
		reason:  "what is extracted is the store's business",
		git:     store("vault") + externalSecret("db", "secretStoreRef: {name: vault}\nrefreshInterval: 1h\ndataFrom: [{extract: {key: shop/db}, rewrite: [{regexp: {source: '(.*)', target: 'db_$1'}}]}]"),
		unknown: true, right: "db_password", wrong: "db_anything",
	},
	"a transform": {
		reason: "a template over names is not evaluated here",
		git:    rewriting("", "[{transform: {template: '{{ .value | upper }}'}}]"), unknown: true, right: "PASSWORD", wrong: "ANYTHING",
	},
	"keys of another's Secret": {
		reason: "Merge adds to what is there",
		git:    gitSecret("db", "stringData: {user: '${USER}'}") + store("vault") + fetching("db-more", "password", "refreshInterval: 1h\ntarget: {name: db, creationPolicy: Merge}"),
		right:  "user", wrong: "passwd",
	},
	"binary data": {
		reason: "a Secret of bytes that are no text",
		git:    gitSecret("db", "data: {keystore: "+base64.StdEncoding.EncodeToString([]byte{0xfe, 0xed, 0xfe, 0xed, 0, 1, 2, 0xff, 0xfe})+"}"), right: "keystore", wrong: "store",
	},
	"a megabyte": {
		reason: "large values are looked at as a whole",
		git:    gitSecret("db", "stringData: {blob: '"+strings.Repeat("0123456789abcdef", 1<<16)+"'}"), right: "blob", wrong: "bob",
	},
}

func TestOddWays(t *testing.T) {
	contract := map[string]bool{"consumer-key-undeclared": true, "consumer-secret-undeclared": true, "consumer-key-unknowable": true}
	for name, tc := range odd {
		t.Run(name, func(t *testing.T) {
			said := func(key string) (worst secretsv1.Severity) {
				e := example{git: tc.git + reads("db", key)}
				for _, f := range rule.Run(e.input(t)).Findings {
					if contract[f.Rule] && (worst == "" || f.Severity == secretsv1.SeverityError) {
						worst = f.Severity
					}
				}
				return worst
			}
			right, wrong := said(tc.right), said(tc.wrong)
			switch {
			case tc.unknown && (right != secretsv1.SeverityUnknown || wrong != secretsv1.SeverityUnknown):
				t.Errorf("%s: want Unknown for both, got %q and %q", tc.reason, right, wrong)
			case !tc.unknown && right != "":
				t.Errorf("%s: key %s arrives, got %s", tc.reason, tc.right, right)
			case !tc.unknown && wrong != secretsv1.SeverityError:
				t.Errorf("%s: key %s does not arrive, got %q", tc.reason, tc.wrong, wrong)
			}
		})
	}
}

// TestDeepTemplate: a text that nests without end is broken, and ends nothing.
func TestDeepTemplate(t *testing.T) {
	deep := "{{ " + strings.Repeat("(", 200_000) + ".password" + strings.Repeat(")", 200_000) + " }}"
	e := example{git: generating("target: {template: {data: {conf: '" + deep + "'}}}\n")}
	_ = rule.Run(e.input(t))
}

// TestFieldOfACall: (fromJson .db).password reads the key db.
func TestFieldOfACall(t *testing.T) {
	for key, want := range map[string]int{"password": 0, "missing": 1} {
		e := example{git: generating("target: {template: {data: {conf: '{{ (fromJson ." + key + ").x | toString }}'}}}\n")}
		unknown, _ := rule.ByID("tpl-unknown-key")
		if got := rule.RunOnly(e.input(t), []rule.Rule{unknown}).Findings; len(got) != want {
			t.Errorf("%s: want %d findings, got %v", key, want, got)
		}
	}
}
