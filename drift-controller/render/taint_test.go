// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

// planted are the values of a Secret that a chart is rendered with.
var planted = render.Layer{
	Name: "Secret users-db, key values.yaml", Tainted: true,
	Values: []byte("db: {password: p1anted-pw, port: 54321, on: true}\ncert: |\n  -----BEGIN X-----\n  bGluZSBvZiBhIGtleQ\n"),
}

func plantedChart(template string) map[string]string {
	return map[string]string{
		"svc/Chart.yaml":       "apiVersion: v2\nname: users\nversion: 1.0.0\n",
		"svc/values.yaml":      "image: web\n",
		"svc/templates/a.yaml": template,
	}
}

func TestTainted(t *testing.T) {
	files := plantedChart(`
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  dsn: "postgres://app:{{ .Values.db.password }}@db/users"
  encoded: {{ .Values.db.password | b64enc }}
  loud: {{ .Values.db.password | upper }}
  pair: {{ printf "app:%s" .Values.db.password | b64enc }}
  pairs: {{ printf "user:%s@db" .Values.db.password | b64enc }}
  plain: {{ .Values.image }}
  flag: {{ .Values.db.on | quote }}
  cert: {{ .Values.cert | quote }}
---
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {ports: [{port: {{ .Values.db.port }}}]}
`)
	result, err := render.Render(context.Background(), written(t, files), "svc", render.Options{
		Namespace: "users", Helm: render.HelmOptions{ReleaseName: "users", Layers: []render.Layer{planted}},
	})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		id   manifest.ID
		want []string
	}{
		"Text":           {manifest.ID{Kind: "ConfigMap", Name: "a"}, []string{"/data/cert", "/data/dsn", "/data/encoded", "/data/loud", "/data/pair", "/data/pairs"}},
		"Number":         {manifest.ID{Kind: "Service", Name: "db"}, []string{"/spec/ports/0/port"}},
		"FilledIn":       {manifest.ID{Kind: "Service", Name: "db", Namespace: "users"}, []string{"/spec/ports/0/port"}},
		"OtherNamespace": {manifest.ID{Kind: "Service", Name: "db", Namespace: "billing"}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, result.Tainted(tc.id)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if !slices.Contains(result.TaintedValues(), "p1anted-pw") {
		t.Error("want the value among those that are masked everywhere")
	}
	for _, object := range result.Objects {
		if place := result.Origin(object, "password", "p1anted-pw"); strings.Contains(place, "p1anted") {
			t.Errorf("a place holds no value: %q", place)
		}
	}
}

// Charts like to quote the values that they are not content with.
func TestNoSecretInErrorsAndNotes(t *testing.T) {
	templates := map[string]string{
		"Fail":  `{{ fail (printf "bad password %s" .Values.db.password) }}`,
		"Atoi":  `{{ required .Values.db.password .Values.gone }}`,
		"Tpl":   `{{ tpl (printf "{{ %s" .Values.db.password) . }}`,
		"YAML":  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}: {{ .Values.db.password }}\n",
		"Twice": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {{ dict .Values.db.password 1 | toJson }}\ndata: {}\n",
	}
	for name, template := range templates {
		t.Run(name, func(t *testing.T) {
			result, err := render.Render(context.Background(), written(t, plantedChart(template)), "svc", render.Options{
				Helm: render.HelmOptions{ReleaseName: "users", Layers: []render.Layer{planted}},
			})
			said := strings.Join(result.Notes, "\n")
			if err != nil {
				wantHalt(t, err, halt.Stalled, contract.BuildFailedReason)
				said += err.Error()
			}
			if said == "" || strings.Contains(said, "p1anted") {
				t.Errorf("want something said, without the value: %s", said)
			}
		})
	}
}
