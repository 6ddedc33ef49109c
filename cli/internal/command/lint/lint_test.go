// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-gitops/holdfast/cli/internal/command"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// planted stands in the clear in the repository before the last commit.
const planted = "Wq7-Zk2-Xv9-Lm4"

const leaking = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {DB_PASSWORD: \"" + planted + "\"}\n"

const declared = `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {name: vault, kind: ClusterSecretStore}
  data: [{secretKey: password, remoteRef: {key: db, property: password}}]
`

const store = `apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec:
  conditions: [{namespaces: [shop]}]
  provider: {vault: {server: https://vault.example.com, path: kv, auth: {kubernetes: {mountPath: kubernetes, role: eso}}}}
`

// repository is a real one, whose last commit removes a leak.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=dev", "-c", "user.email=dev@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	write("app/leak.yaml", leaking)
	write("app/db.yaml", declared)
	write("platform/store.yaml", store)
	write("policy.yaml", "apiVersion: secrets.holdfast.dev/v1alpha1\nkind: SecretPolicy\nmetadata: {name: p}\nspec: {severities: [{rule: env-literal, severity: \"Off\"}, {rule: configmap-appsettings, severity: Warning}]}\n")
	write("wrong.yaml", "apiVersion: secrets.holdfast.dev/v1alpha1\nkind: SecretPolicy\nmetadata: {name: p}\nspec: {severitys: []}\n")
	git("add", "-A")
	git("commit", "-q", "-m", "a leak")
	write("app/leak.yaml", strings.ReplaceAll(leaking, planted, "${DB_PASSWORD}"))
	return dir
}

// holdfast runs the verb as the binary does, without a kubeconfig.
func holdfast(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var printed bytes.Buffer
	code = command.Execute(context.Background(), append([]string{"lint", "secrets"}, args...), "test", terminal.Terminal{
		Out: &printed, Err: &printed, Now: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
	})
	return code, printed.String()
}

func TestFolder(t *testing.T) {
	dir := repository(t)
	app, platform := filepath.Join(dir, "app"), filepath.Join(dir, "platform")
	for name, tc := range map[string]struct {
		reason string
		args   []string
		code   int
		says   string
	}{
		"unknown":       {"what only a cluster can tell does not fail by itself", []string{app, "-n", "shop"}, 0, "declaration Unknown"},
		"fail-on":       {"unless the team asks for it", []string{app, "-n", "shop", "--fail-on", "unknown"}, 1, "store-missing"},
		"beside":        {"the store is in the folder beside", []string{app, "-n", "shop", "--with", platform, "--stores-complete"}, 0, "declaration Pass"},
		"elsewhere":     {"the store admits another namespace", []string{app, "-n", "dev", "--with", platform, "--stores-complete"}, 1, "store-namespace-denied"},
		"against":       {"what the change leaves leaked", []string{app, "-n", "shop", "--against", "main"}, 0, "leak-removed-from-head"},
		"no revision":   {"not comparing is not the same as no difference", []string{app, "--against", "nope"}, 2, "nope"},
		"no folder":     {"a typing error", []string{filepath.Join(dir, "nope")}, 2, "is not a folder"},
		"no level":      {"a typing error must not open the gate", []string{app, "--fail-on", "never"}, 2, "--fail-on never"},
		"policy":        {"a policy is read", []string{app, "--policy", filepath.Join(dir, "policy.yaml")}, 0, "declaration"},
		"wrong policy":  {"a misspelt field would be no policy", []string{app, "--policy", filepath.Join(dir, "wrong.yaml")}, 2, "severitys"},
		"other sources": {"one repository at a time", []string{app, "--with", t.TempDir()}, 2, "same checkout"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out := holdfast(t, tc.args...)
			if code != tc.code || !strings.Contains(out, tc.says) {
				t.Errorf("%s: exit code %d, want %d, and %q in\n%s", tc.reason, code, tc.code, tc.says, out)
			}
			if strings.Contains(out, planted) {
				t.Errorf("the value is in\n%s", out)
			}
		})
	}
}

// TestForms: what a pipeline reads is valid in each form, and empty lists are
// lists.
func TestForms(t *testing.T) {
	dir := repository(t)
	for _, format := range []string{"json", "sarif"} {
		code, out := holdfast(t, filepath.Join(dir, "app"), "-n", "shop", "-o", format)
		var any map[string]any
		if err := json.Unmarshal([]byte(out), &any); err != nil || code != 0 {
			t.Errorf("-o %s: code %d, %v\n%s", format, code, err, out)
		}
		if strings.Contains(out, "null") {
			t.Errorf("-o %s: a list is null in\n%s", format, out)
		}
	}
}
