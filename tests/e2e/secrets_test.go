// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// The planted values hold a rare character in every four, so that no digest,
// name or word contains four of theirs in a row by chance.
const (
	inGit    = "q~W|z~Jk^V~0x|Mw~"
	inLive   = "p~L|9~Rb^T~4u|Gs~"
	inValues = "h~C|y~Fd^S~6e|Kv~"
	inBroken = "m~N|r~Xa^B~2o|Hi~"
)

func planted() []string { return []string{inGit, inLive, inValues, inBroken} }

const vault = `
apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {password: %q}
`

// twisted are Secrets that the API server refuses, whose errors quote values.
const twisted = `
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

var chart = files{
	"chart/Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0}\n",
	"chart/templates/web.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: {name: url}
data: {DATABASE_URL: {{ printf "postgres://app:%s@db/app" .Values.password | quote }}}
`,
	"template/Chart.yaml":            "{apiVersion: v2, name: web, version: 1.0.0}\n",
	"template/templates/broken.yaml": "{{ fail (printf \"cannot use %s\" .Values.password) }}\n",
	"substituted/env.yaml":           "{apiVersion: v1, kind: ConfigMap, metadata: {name: substituted}, data: {TOKEN: 'token ${password}'}}\n",
}

// TestSecretValuesNeverLeave plants values where they may stand: in a Secret in
// Git, in the same Secret edited by hand, in a Secret that a chart's values and
// variables come from, in manifests that the API server refuses and quotes. It
// then looks for any four characters of them in all that Holdfast publishes.
func TestSecretValuesNeverLeave(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	content := files{
		"vault/db.yaml":        fmt.Sprintf(vault, inGit),
		"twisted/secrets.yaml": fmt.Sprintf(twisted, inBroken),
	}
	for name, text := range chart {
		content[name] = text
	}
	push(t, s, "secrets", content)
	deploy(t, s, "helm", fmt.Sprintf(vault, inGit))
	deploy(t, s, "kubectl-edit", fmt.Sprintf(vault, inLive))
	deploy(t, s, "terraform", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: values}, stringData: {values.yaml: %q}}", "password: '"+inValues+"'"))
	deploy(t, s, "terraform", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: variables}, stringData: {password: %q}}", inValues))
	deploy(t, s, "helm", "{apiVersion: v1, kind: ConfigMap, metadata: {name: url}, data: {DATABASE_URL: 'postgres://app:"+inLive+"@db/app'}}")
	deploy(t, s, "kubectl-edit", "{apiVersion: v1, kind: ConfigMap, metadata: {name: substituted}, data: {TOKEN: 'token "+inLive+"'}}")

	const fromSecret = "render: {helm: {releaseName: web, valuesFrom: [{kind: Secret, name: values}]}}"
	must(t, s.Declare(t.Context(), "vault", "vault", nil))
	must(t, s.Declare(t.Context(), "twisted", "twisted", nil))
	must(t, s.Declare(t.Context(), "chart", "chart", []byte(fromSecret)))
	must(t, s.Declare(t.Context(), "template", "template", []byte(fromSecret)))
	must(t, s.Declare(t.Context(), "substituted", "substituted", []byte("render: {substitute: {from: [{kind: Secret, name: variables}]}}")))
	must(t, s.Await(t.Context(), "template", lab.Condition{Type: "Ready", Status: "False", Reason: "BuildFailed"}))
	for _, app := range []string{"vault", "chart", "substituted"} {
		must(t, s.Await(t.Context(), app, lab.Condition{Type: "Synced", Status: "False", Reason: "Drifted"}))
		maskedEntry(t, s, app)
	}
	must(t, s.Await(t.Context(), "twisted", lab.Condition{Type: "Synced", Status: "False", Reason: "Drifted"}))
	judgedBySecrets(t, s, "vault", "chart", "substituted", "twisted")

	for where, text := range published(t, s) {
		if found := leak(text); found != "" {
			t.Errorf("%s holds %q of a planted value: ...%s...", where, found, around(text, found))
		}
	}
}

// maskedEntry: the change is seen, which is what proves that there was
// something to leak.
func maskedEntry(t *testing.T, s *lab.Space, app string) {
	t.Helper()
	entries, err := s.Entries(t.Context(), app)
	must(t, err)
	if !slices.ContainsFunc(entries, func(e api.DriftEntry) bool {
		return e.Drift && e.Wanted != nil && e.Live != nil && e.Wanted.Masked && e.Live.Masked && e.Wanted.Digest != e.Live.Digest
	}) {
		t.Errorf("no entry of %s shows a masked change:\n%s", app, s.ReportText(entries))
	}
}

// judgedBySecrets waits until the secrets-controller has spoken of what was
// rendered.
func judgedBySecrets(t *testing.T, s *lab.Space, apps ...string) {
	t.Helper()
	for _, name := range apps {
		until(t, func(ctx context.Context) error {
			app, err := s.Application(ctx, name)
			if err != nil {
				return err
			}
			var list secrets.SecretReportList
			if err := s.Client.List(ctx, &list, client.InNamespace(s.Namespace)); err != nil {
				return err
			}
			for _, page := range list.Items {
				if o := page.Status.Observed; o != nil && app.Status.Rendered != nil && o.Digest == app.Status.Rendered.Digest {
					return nil
				}
			}
			return fmt.Errorf("no SecretReport for the rendered manifests of %s", name)
		})
	}
}

// published is all that a reader could get at, by where it stands.
func published(t *testing.T, s *lab.Space) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for kind, list := range map[string]client.ObjectList{
		"Applications": &api.ApplicationList{}, "DriftReports": &api.DriftReportList{}, "Inventories": &api.InventoryList{},
		"SecretReports": &secrets.SecretReportList{}, "events": &corev1.EventList{}, "new events": &eventsv1.EventList{},
	} {
		must(t, s.Client.List(t.Context(), list, client.InNamespace(s.Namespace)))
		text, err := json.Marshal(list)
		must(t, err)
		texts[kind] = string(text)
	}
	for _, controller := range []string{holdfast.Source, holdfast.Drift, holdfast.Secrets} {
		text, err := os.ReadFile(s.Controllers.Log(controller))
		must(t, err)
		texts["the log of the "+controller] = string(text)
	}
	var apps api.ApplicationList
	must(t, s.Client.List(t.Context(), &apps, client.InNamespace(s.Namespace)))
	for _, app := range apps.Items {
		if app.Status.Rendered != nil {
			texts["the rendered manifests of "+app.Name] = download(t, app.Status.Rendered.URL)
		}
	}
	return texts
}

func download(t *testing.T, url string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	must(t, err)
	answer, err := (&http.Client{}).Do(request)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	if answer.StatusCode != http.StatusOK || len(text) == 0 {
		must(t, errors.New(url+": "+answer.Status))
	}
	return string(text)
}

// leak finds a part of a planted value: four characters of it as it is, or
// eight of it in base64, at each of the three offsets that base64 has.
func leak(text string) string {
	for _, value := range planted() {
		if found := part(text, value, 4); found != "" {
			return found
		}
		for offset := range 3 {
			encoded := base64.StdEncoding.EncodeToString([]byte(value)[offset:])
			if found := part(text, strings.TrimRight(encoded, "="), 8); found != "" {
				return found
			}
		}
	}
	return ""
}

func part(text, value string, length int) string {
	// JSON and logs may write some characters as escapes.
	for start := 0; start+length <= len(value); start++ {
		piece := value[start : start+length]
		quoted, err := json.Marshal(piece)
		if err == nil && strings.Contains(text, strings.Trim(string(quoted), `"`)) || strings.Contains(text, piece) {
			return piece
		}
	}
	return ""
}

func around(text, found string) string {
	at := strings.Index(text, found)
	return text[max(0, at-120):min(len(text), at+120)]
}
