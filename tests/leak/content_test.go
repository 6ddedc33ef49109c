// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package leak

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/lab"
)

const secretOf = "{apiVersion: v1, kind: Secret, metadata: {name: %s}, stringData: {%s: %q}}\n"

func secret(name, key, value string) string { return fmt.Sprintf(secretOf, name, key, value) }

// refused are Secrets that the API server refuses, whose errors quote values.
const refused = `
apiVersion: v1
kind: Secret
metadata: {name: unencoded}
data: {password: %[1]q}
---
apiVersion: v1
kind: Secret
metadata: {name: mistyped}
stringData: {password: {nested: %[1]q}}
---
apiVersion: v1
kind: Secret
metadata: {name: unknown-field}
stringDate: {password: %[1]q}
---
apiVersion: v1
kind: Secret
metadata: {name: bad-type}
type: kubernetes.io/dockerconfigjson
stringData: {.dockerconfigjson: %[1]q}
`

// open are values where they stand in the open: the rules speak of each.
const open = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: open
  annotations:
    shop.example/db-password: %[1]q
    kubectl.kubernetes.io/last-applied-configuration: %[2]q
data:
  DATABASE_URL: "postgres://app:%[3]s@db.shop.svc/app"
  nginx.conf: |
    proxy_set_header Authorization "Bearer %[4]s0123456789";
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: idle}
spec:
  replicas: 0
  selector: {matchLabels: {app: idle}}
  template:
    metadata: {labels: {app: idle}}
    spec:
      containers:
      - name: app
        image: registry.example/app:1
        args: ["--db-password=%[5]s"]
        env: [{name: API_PASSWORD, value: %[6]q}]
---
apiVersion: v1
kind: Secret
metadata: {name: legacy, annotations: {kubectl.kubernetes.io/last-applied-configuration: %[2]q}}
stringData: {password: %[1]q}
`

const chartFile = "{apiVersion: v2, name: web, version: 1.0.0}\n"

// content is the repository: a folder for each way to fail or to succeed.
func content(sealed string) map[string]string {
	p := planted
	applied := fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","stringData":{"password":%q}}`, p["a last-applied annotation"])
	return map[string]string{
		"vault/db.yaml":        secret("db", "password", p["a Secret in Git"]),
		"refused/secrets.yaml": fmt.Sprintf(refused, p["manifests that are refused"]),
		"open/open.yaml": fmt.Sprintf(open, p["an annotation"], applied, p["a connection string"],
			p["a token in a header"], p["an argument"], p["an environment variable"]),
		"chart/Chart.yaml": chartFile,
		"chart/templates/web.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: {name: url}
data:
  DATABASE_URL: {{ printf "postgres://app:%s@db/app" .Values.password | quote }}
  upper: {{ .Values.password | upper | quote }}
  lower: {{ .Values.password | lower | quote }}
  within: {{ printf "user=app,password=%s." .Values.password | b64enc | quote }}
  pair: {{ printf "app:%s" .Values.password | b64enc | quote }}
  quoted: {{ .Values.password | toJson | quote }}
`,
		"failing/Chart.yaml":            chartFile,
		"failing/templates/broken.yaml": "{{ fail (printf \"cannot use %s\" .Values.password) }}\n",
		"typed/Chart.yaml":              chartFile,
		"typed/templates/broken.yaml":   "{{ .Values.password.nested.deep }}{{ mustToDate \"2006\" .Values.password }}\n",
		"schema/Chart.yaml":             chartFile,
		"schema/values.schema.json":     `{"type":"object","properties":{"password":{"type":"string","pattern":"^[0-9]+$"}}}`,
		"schema/templates/cm.yaml":      "{apiVersion: v1, kind: ConfigMap, metadata: {name: schema}}\n",
		"garbled/Chart.yaml":            chartFile,
		"garbled/templates/broken.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: {{ .Values.password }}: b\n   c: [\n",
		"file/Chart.yaml":               chartFile,
		"file/values.yaml": fmt.Sprintf("auth: {password: %q}\nunused: {adminPassword: %q}\n",
			p["a values file"], p["a values file that nothing uses"]),
		"file/templates/s.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: web-auth}, stringData: {auth-password: {{ .Values.auth.password | quote }}}}\n",
		"substituted/env.yaml":  "{apiVersion: v1, kind: ConfigMap, metadata: {name: substituted}, data: {TOKEN: 'token ${password}'}}\n",
		"unread/broken.yaml":    "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData:\n  password: \"" + p["a line that is no YAML"] + "\" \"oops\n\ttab: [\n",
		"twice/broken.yaml":     fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData:\n  password: %[1]q\n  password: %[1]q\n", p["a line that is no YAML"]),
		"patched/kustomization.yaml": fmt.Sprintf("resources: [cm.yaml]\nsecretGenerator: [{name: made, literals: [%q]}]\n"+
			"patches: [{target: {kind: ConfigMap}, patch: %q}]\n", "password="+p["a literal of a kustomization"],
			`[{"op":"test","path":"/data/password","value":"`+p["a patch that does not fit"]+`"}]`),
		"patched/cm.yaml":            "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm}, data: {password: other}}\n",
		"literal/kustomization.yaml": fmt.Sprintf("secretGenerator: [{name: made, literals: [%q]}]\n", "password="+p["a literal of a kustomization"]),
		"sealed/db.yaml":             sealed,
		"tampered/db.yaml":           strings.Replace(sealed, "ENC[AES256_GCM,data:", "ENC[AES256_GCM,data:AAAA", 1),
		"cel/s.yaml":                 secret("judged", "password", p["a Secret that CEL reads"]),
		"healed/s.yaml":              secret("healed", "password", p["a Secret that is healed"]) + "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: healed}, data: {DATABASE_URL: 'postgres://app:" + p["a Secret that is healed"] + "@db/app'}}\n",
		"release/hr.yaml": fmt.Sprintf("apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {interval: 1h, values: {password: %q}}\n",
			p["a values file inside a HelmRelease"]),
	}
}

// push makes the repository hold exactly these files, and leaves a checkout.
func push(t *testing.T, s *lab.Space, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	must(t, s.Push(t.Context(), "secrets", dir))
	return dir
}

// deploy writes objects as a tool that knows no server-side apply.
func deploy(t *testing.T, s *lab.Space, manager, text string) {
	t.Helper()
	objects, err := lab.Decode([]byte(text))
	must(t, err)
	must(t, s.Deploy(t.Context(), manager, objects))
}

func apply(t *testing.T, s *lab.Space, text string) {
	t.Helper()
	objects, err := lab.Decode([]byte(text))
	must(t, err)
	must(t, s.Apply(t.Context(), "platform-engineer", objects))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
