// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"path"
	"strings"
)

// kind is how far a package reaches.
type kind string

const (
	// pure: values in, values out; no client, clock, environment or goroutine.
	pure kind = "pure"
	// hermetic: reads a given file system, and nothing else.
	hermetic kind = "hermetic"
	// edge: talks to a cluster, a network or a disk.
	edge kind = "edge"
)

// module is one module of the workspace: the modules that it may import, and
// its packages in order. A package imports only what stands above it.
type module struct {
	name      string
	mayImport []string
	rows      []row
}

type row struct {
	path  string
	kind  kind
	never []string // siblings that stand above and are not its business
}

// modules are the layers. ARCHITECTURE.md says in words what each package is.
var modules = []module{
	{name: "api", rows: []row{
		{path: "contract", kind: pure},
		{path: "halt", kind: pure},
		{path: "shape", kind: pure},
		{path: "drift/v1alpha1", kind: pure},
		{path: "secrets/v1alpha1", kind: pure},
	}},
	{name: "source-controller", mayImport: []string{"api"}, rows: []row{
		{path: "internal/revision", kind: pure},
		{path: "internal/reference", kind: pure},
		{path: "internal/credentials", kind: pure},
		{path: "internal/gitobject", kind: pure},
		{path: "internal/gitverify", kind: pure},
		{path: "internal/ocireference", kind: pure},
		{path: "internal/archive", kind: hermetic},
		{path: "internal/assembly", kind: edge},
		{path: "internal/gittest", kind: edge},
		{path: "internal/gitwire", kind: pure},
		{path: "internal/sshlink", kind: edge},
		{path: "internal/gitremote", kind: edge},
		{path: "internal/gitclone", kind: edge},
		{path: "internal/gitaccess", kind: edge},
		{path: "internal/gittokens", kind: edge},
		{path: "internal/layer", kind: hermetic},
		{path: "internal/ocitest", kind: edge},
		{path: "internal/ociremote", kind: edge, never: []string{"internal/layer", "internal/archive"}},
		{path: "internal/cosign", kind: edge},
		{path: "internal/notation", kind: edge},
		{path: "internal/cloud", kind: edge},
		{path: "internal/store", kind: edge, never: []string{"internal/gitremote"}},
		{path: "internal/status", kind: pure},
		{path: "internal/ociaccess", kind: edge},
		{path: "internal/options", kind: edge},
		{path: "internal/controller", kind: edge},
		{path: ".", kind: edge},
	}},
	{name: "drift-controller", mayImport: []string{"api"}, rows: []row{
		{path: "keyedpath", kind: pure},
		{path: "pattern", kind: pure},
		{path: "mask", kind: pure},
		{path: "writers", kind: pure},
		{path: "manifest", kind: pure},
		{path: "yamledit", kind: pure},
		{path: "artifact", kind: edge},
		{path: "sops", kind: pure},
		{path: "render/tree", kind: hermetic},
		{path: "render/plain", kind: hermetic},
		{path: "render/kustomize", kind: hermetic, never: []string{"render/plain"}},
		{path: "render/helm", kind: hermetic, never: []string{"render/plain", "render/kustomize"}},
		{path: "render", kind: hermetic},
		{path: "adopt", kind: hermetic},
		{path: "desired", kind: pure},
		{path: "live", kind: pure},
		{path: "health", kind: pure},
		{path: "change", kind: pure},
		{path: "compare", kind: pure},
		{path: "consumers", kind: pure},
		{path: "gate", kind: pure},
		{path: "drift", kind: pure},
		{path: "pages", kind: pure},
		{path: "inventory", kind: pure},
		{path: "stage", kind: pure},
		{path: "plan", kind: pure},
		{path: "restraint", kind: pure},
		{path: "emergency", kind: pure},
		{path: "rollout", kind: pure},
		{path: "report", kind: pure},
		{path: "status", kind: pure},
		{path: "rendered", kind: edge},
		{path: "internal/refusal", kind: edge}, // knows HTTP's codes
		{path: "actuate", kind: edge},
		{path: "observe/internal/marks", kind: pure},
		{path: "observe/internal/kinds", kind: pure},
		{path: "observe/internal/admission", kind: pure},
		{path: "observe/internal/guard", kind: pure},
		{path: "observe/internal/disguise", kind: pure},
		{path: "observe/internal/release", kind: pure},
		{path: "observe/internal/scale", kind: pure},
		{path: "observe/internal/sift", kind: pure},
		{path: "observe", kind: edge, never: []string{"actuate", "plan"}},
		{path: "watch", kind: edge, never: []string{"observe"}},
		{path: "internal/publish", kind: edge, never: []string{"observe", "watch"}},
		{path: "internal/judge", kind: edge},
		{path: "internal/renders", kind: edge},
		{path: "internal/metrics", kind: edge},
		{path: "internal/clocks", kind: edge, never: []string{"observe", "actuate"}},
		{path: "internal/rollouts", kind: edge, never: []string{"observe", "actuate", "internal/judge"}},
		{path: "internal/options", kind: edge},
		{path: "internal/controller", kind: edge},
		{path: ".", kind: edge},
	}},
	{name: "secrets-controller", mayImport: []string{"api"}, rows: []row{
		{path: "finding", kind: pure},
		{path: "pattern", kind: pure},
		{path: "schema", kind: pure},
		{path: "declaration", kind: pure},
		{path: "rule", kind: pure},
		{path: "casefile", kind: hermetic},
		{path: "internal/status", kind: pure},
		{path: "internal/metrics", kind: edge},
		{path: "internal/gather", kind: edge},
		{path: "internal/controller", kind: edge},
		{path: "internal/options", kind: edge},
		{path: ".", kind: edge},
	}},
	{name: "config", rows: []row{
		{path: ".", kind: hermetic},
	}},
	{name: "cli", mayImport: []string{"api", "config", "drift-controller", "secrets-controller"}, rows: []row{
		{path: "internal/screen", kind: pure},
		{path: "internal/report", kind: pure},
		{path: "internal/exit", kind: pure},
		{path: "internal/terminal", kind: edge},
		{path: "internal/worktree", kind: edge},
		{path: "internal/cluster", kind: edge},
		{path: "internal/accounts", kind: pure},
		{path: "internal/manifests", kind: hermetic},
		{path: "internal/writer", kind: edge},
		{path: "internal/installation", kind: edge},
		{path: "internal/bootstrap", kind: hermetic},
		{path: "internal/gitrepo", kind: edge},
		{path: "internal/engine", kind: edge},
		{path: "internal/lint", kind: edge},
		{path: "internal/command/output", kind: edge},
		{path: "internal/command/listing", kind: edge},
		{path: "internal/command/target", kind: edge},
		{path: "internal/command/version", kind: edge},
		{path: "internal/command/get/applications", kind: edge},
		{path: "internal/command/get/drift", kind: edge},
		{path: "internal/command/get/secrets", kind: edge},
		{path: "internal/command/get/sources", kind: edge},
		{path: "internal/command/get/rollouts", kind: edge},
		{path: "internal/command/get/approvals", kind: edge},
		{path: "internal/command/get/emergencies", kind: edge},
		{path: "internal/command/get", kind: edge},
		{path: "internal/command/install", kind: edge},
		{path: "internal/command/bootstrap", kind: edge},
		{path: "internal/command/check", kind: edge},
		{path: "internal/command/create", kind: edge},
		{path: "internal/command/export", kind: edge},
		{path: "internal/command/plan", kind: edge},
		{path: "internal/command/approve", kind: edge},
		{path: "internal/command/undo", kind: edge},
		{path: "internal/command/stage", kind: edge},
		{path: "internal/command/emergency", kind: edge},
		{path: "internal/command/reconcile", kind: edge},
		{path: "internal/command/suspend", kind: edge},
		{path: "internal/command/trace", kind: edge},
		{path: "internal/command/events", kind: edge},
		{path: "internal/command/diff", kind: edge},
		{path: "internal/command/adopt", kind: edge},
		{path: "internal/command/explain", kind: edge},
		{path: "internal/command/lint", kind: edge},
		{path: "internal/command", kind: edge},
		{path: ".", kind: edge},
	}},
	{name: "tests", mayImport: []string{"api", "drift-controller", "secrets-controller", "cli"}, rows: []row{
		{path: "audit", kind: edge},
		{path: "process", kind: edge},
		{path: "gitserver", kind: edge},
		{path: "receiver", kind: edge},
		{path: "registry", kind: edge},
		{path: "cluster/internal/pki", kind: edge},
		{path: "cluster/internal/binaries", kind: edge},
		{path: "cluster", kind: edge},
		{path: "holdfast", kind: edge},
		{path: "casecheck/casefile", kind: edge},
		{path: "casecheck/verdict", kind: edge},
		{path: "casecheck/hook", kind: edge},
		{path: "casecheck/replay", kind: edge},
		{path: "casecheck", kind: edge},
		{path: "lab", kind: edge},
		{path: "conformance/fixture", kind: edge},
		{path: "conformance/subject", kind: edge},
		{path: "conformance/casefile", kind: edge},
		{path: "conformance/play", kind: edge},
		{path: "conformance", kind: edge},
		{path: "script", kind: edge},
		{path: "demo", kind: edge},
		{path: "documents", kind: edge},
		{path: "api", kind: edge},
		{path: "architecture", kind: edge},
		{path: "scenario", kind: edge},
		{path: "e2e", kind: edge},
		{path: "faults", kind: edge},
		{path: "leak", kind: edge},
		{path: "operator", kind: edge},
		{path: "bench", kind: edge},
		{path: "cmd/cluster", kind: edge},
		{path: "cmd/cases", kind: edge},
		{path: "cmd/demo", kind: edge},
		{path: "cmd/fields", kind: edge},
		{path: "cmd/comparison", kind: edge},
		{path: "cmd/eso", kind: edge},
	}},
}

// place is where a row stands.
type place struct {
	row
	module string
	order  int
}

// rowOf finds the row of a package by its folder from the root.
func rowOf(dir string) (place, bool) {
	name, rest, _ := strings.Cut(dir, "/")
	m, known := moduleOf(name)
	if !known {
		return place{}, false
	}
	for order, r := range m.rows {
		if r.path == path.Clean(rest) {
			return place{row: r, module: name, order: order}, true
		}
	}
	return place{}, false
}

func moduleOf(name string) (module, bool) {
	for _, m := range modules {
		if m.name == name {
			return m, true
		}
	}
	return module{}, false
}
