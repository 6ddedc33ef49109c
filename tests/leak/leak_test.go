// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package leak

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

const fromSecret = "render: {helm: {releaseName: web, valuesFrom: [{kind: Secret, name: values}]}}"

// broken are Applications that cannot be rendered, each for a reason whose
// natural message would quote a value.
var broken = map[string]string{
	"failing": fromSecret, "typed": fromSecret, "schema": fromSecret, "garbled": fromSecret,
	"unread": "", "twice": "", "patched": "",
	"tampered": "render: {decryption: {provider: sops, secretRef: {name: age}}}",
	"keyless":  "path: sealed, render: {decryption: {provider: sops, secretRef: {name: values}}}",
}

// working are those that are compared, with what has to be hidden in the way.
var working = map[string]string{
	"vault": "", "refused": "", "open": "", "chart": fromSecret, "release": "", "literal": "",
	"file":        "render: {helm: {releaseName: web}}",
	"substituted": "render: {substitute: {from: [{kind: Secret, name: variables}]}}",
	"sealed":      "render: {decryption: {provider: sops, secretRef: {name: age}}}",
	"cel": `healthCheckExprs: [{apiVersion: v1, kind: Secret, current: "int(string(data.password)) > 0", ` +
		`failed: "duration(string(base64.decode(data.password))) > duration('1s')"}]`,
}

// TestSecretsNeverLeave plants values wherever one may stand, lets them be
// rendered, compared, judged, refused, healed and asked for by every verb, and
// looks for four characters of any of them in everything that comes out.
func TestSecretsNeverLeave(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	p := planted
	sealed, key := seal(t, "sealed", p["a file that SOPS encrypted"])
	checkout := push(t, s, content(sealed))
	must(t, s.Project(t.Context(), nil))
	deploy(t, s, "terraform", secret("values", "values.yaml", "password: '"+p["a Secret that values come from"]+"'"))
	deploy(t, s, "terraform", secret("variables", "password", p["a Secret that values come from"]))
	deploy(t, s, "terraform", secret("age", "own.agekey", key))
	plantLive(t, s)
	for name, spec := range broken {
		declare(t, s, name, spec)
	}
	for name, spec := range working {
		declare(t, s, name, spec)
	}
	must(t, s.Declare(t.Context(), "healed", "healed", []byte("project: "+s.Namespace+"\nstage: SelfHeal\nheal: {backlog: Revert}\nidentity: {observe: observer, apply: deployer}")))

	for name := range broken {
		must(t, s.Await(t.Context(), name, lab.Condition{Type: "Ready", Status: "False"}))
	}
	for _, name := range []string{"vault", "chart", "substituted", "sealed", "open", "refused", "cel"} {
		must(t, s.Await(t.Context(), name, lab.Condition{Type: "Synced", Status: "False"}))
	}
	for _, name := range []string{"vault", "chart", "substituted", "sealed", "open"} {
		maskedEntry(t, s, name)
	}
	must(t, s.Await(t.Context(), "healed", lab.Condition{Type: "Synced", Status: "True"}))
	deploy(t, s, "kubectl-edit", secret("healed", "password", p["the hand edit that is reverted"]))
	must(t, s.Await(t.Context(), "healed", lab.Condition{Type: "Synced", Status: "True"}))
	judgedBySecrets(t, s, "vault", "chart", "substituted", "refused", "open", "file", "sealed", "literal", "release", "healed")
	found(t, s, "values-file-literal", "plain-secret-data", "configmap-conn-string", "env-literal", "args-literal", "annotation-literal", "bearer-header", "helm-values-inline")
	search(t, s, screens(t, s, checkout))
}

// plantLive makes the cluster differ from Git, by hand.
func plantLive(t *testing.T, s *lab.Space) {
	t.Helper()
	p := planted
	url := "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {%s: 'postgres://app:%s@db/app'}}"
	deploy(t, s, "helm", secret("db", "password", p["a Secret in Git"]))
	deploy(t, s, "kubectl-edit", secret("db", "password", p["the same Secret, edited"]))
	deploy(t, s, "kubectl-edit", secret("sealed", "password", p["the same Secret, edited"]))
	deploy(t, s, "kubectl-edit", secret("judged", "password", p["the same Secret, edited"]))
	deploy(t, s, "kubectl-edit", secret("stray", "password", p["a Secret in no one's Application"]))
	deploy(t, s, "helm", fmt.Sprintf(url, "url", "DATABASE_URL", p["a ConfigMap of the same, by hand"]))
	deploy(t, s, "kubectl-edit", "{apiVersion: v1, kind: ConfigMap, metadata: {name: substituted}, data: {TOKEN: 'token "+p["a ConfigMap of the same, by hand"]+"'}}")
	deploy(t, s, "helm", fmt.Sprintf(url, "healed", "DATABASE_URL", p["a Secret that is healed"]))
	deploy(t, s, "helm", fmt.Sprintf(open, p["the same Secret, edited"], "{}", p["a ConfigMap of the same, by hand"], p["a token in a header"],
		p["an argument that somebody edited"], p["an argument that somebody edited"]))
}

func declare(t *testing.T, s *lab.Space, name, spec string) {
	t.Helper()
	path := name
	if rest, is := strings.CutPrefix(spec, "path: "); is {
		path, spec, _ = strings.Cut(rest, ", ")
	}
	must(t, s.Declare(t.Context(), name, path, []byte(spec)))
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
			for _, page := range pages(ctx, t, s) {
				if o := page.Status.Observed; o != nil && app.Status.Rendered != nil && o.Digest == app.Status.Rendered.Digest {
					return nil
				}
			}
			return fmt.Errorf("no SecretReport for the rendered manifests of %s", name)
		})
	}
}

func pages(ctx context.Context, t *testing.T, s *lab.Space) []secrets.SecretReport {
	t.Helper()
	var list secrets.SecretReportList
	must(t, s.Client.List(ctx, &list, client.InNamespace(s.Namespace)))
	return list.Items
}

// found: the rules saw what was planted, or there would be nothing to hide.
func found(t *testing.T, s *lab.Space, rules ...string) {
	t.Helper()
	seen := map[string]bool{}
	for _, page := range pages(t.Context(), t, s) {
		for _, f := range page.Status.Findings {
			seen[f.Rule] = true
		}
	}
	for _, rule := range rules {
		if !seen[rule] {
			t.Errorf("%s found nothing of what was planted", rule)
		}
	}
}

// screens are all that the command line says of all this, in all its formats.
func screens(t *testing.T, s *lab.Space, checkout string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	run := func(args ...string) { texts["holdfast "+strings.Join(args, " ")] = said(t, s, args...) }
	for _, kind := range []string{"applications", "drift", "secrets", "sources", "rollouts", "approvals", "breakglass"} {
		for _, format := range []string{"", "json", "yaml"} {
			if format == "" {
				run("get", kind)
				continue
			}
			if kind != "sources" { // its specs hold addresses as their owners wrote them
				run("get", kind, "-o", format)
			}
		}
	}
	run("events")
	for _, name := range slices.Concat(names(working), names(broken), []string{"healed"}) {
		run("get", "drift", name)
		run("adopt", name, "--local", checkout)
		run("diff", name, "--local", checkout, "-o", "json")
	}
	for _, name := range []string{"healed", "vault", "chart", "failing"} {
		run("plan", name, "-o", "json")
		run("events", name)
		run("export", name)
		run("stage", name)
		run("diff", name)
	}
	for _, format := range []string{"text", "yaml", "sarif", "markdown"} {
		run("diff", "open", "--local", checkout, "-o", format)
		run("diff", "chart", "--local", checkout, "-o", format)
		run("lint", "secrets", checkout+"/open", "-o", format)
		run("lint", "secrets", checkout+"/file", "-o", format)
	}
	for _, dir := range folders() {
		run("lint", "secrets", checkout+"/"+dir, "-o", "json")
	}
	for _, object := range []string{"Secret/db", "Secret/judged", "Secret/sealed", "Secret/healed", "Secret/stray", "Secret/legacy", "ConfigMap/url", "ConfigMap/substituted", "ConfigMap/open", "Deployment/idle"} {
		for _, format := range []string{"text", "json", "yaml"} {
			run("trace", object, "-o", format)
			run("explain", object, "-o", format)
		}
	}
	run("export", "Secret/db")
	run("get", "secrets", "open", "-o", "json")
	run("check")
	return texts
}

// folders are those of the repository.
func folders() []string {
	var all []string
	for _, file := range names(content("")) {
		dir, _, _ := strings.Cut(file, "/")
		all = append(all, dir)
	}
	return slices.Compact(all)
}

func names(of map[string]string) []string {
	var all []string
	for name := range of {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
