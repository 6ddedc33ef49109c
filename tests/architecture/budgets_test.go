// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// The budgets. Function bodies have theirs in .golangci.yml too, where an
// editor shows them; here they hold without a linter.
const (
	fileLines      = 400
	functionLines  = 60
	testLines      = 150
	reconcileLines = 60
	mainLines      = 40
	parameters     = 5
	structFields   = 12
	packageFiles   = 12
)

// larger packages, each with its reason.
var larger = map[string]string{
	"drift-controller/observe":       "one file for each question that a cluster is asked",
	"cli/internal/report":            "one file for each screen, and each form of it",
	"secrets-controller/declaration": "one file for each kind of declaration that rules look at",
	"secrets-controller/rule":        "one file for each rule of the catalogue",
	"tests/cluster":                  "one file for each part of the control plane and each way to reach it",
}

// wider structs, each with its reason.
var wider = map[string]string{
	"drift-controller/drift.Object":                    "all that is said of one judged object; its parts are read by different packages",
	"drift-controller/internal/controller.application": "all that is remembered of one application between runs",
	"secrets-controller/declaration.Set":               "one list for each kind of declaration; rules range over the ones they are about",
	"secrets-controller/declaration.Source":            "one list for each thing that files say beside the manifests",
	"secrets-controller/declaration.Reference":         "one value for all ways to consume a Secret, so that one resolution serves them",
	"secrets-controller/declaration.TemplateText":      "all that is kept of a text, so that the text itself need not be",
	"tests/casecheck/casefile.Entry":                   "mirrors an entry of expect.yaml, which users write",
}

func TestFileLengths(t *testing.T) {
	for _, s := range written(t) {
		if !s.test() && s.lines() > fileLines {
			t.Errorf("%s has %d lines, budget %d: split it by what its parts are about", s.path, s.lines(), fileLines)
		}
	}
}

func TestFunctionLengths(t *testing.T) {
	for _, s := range written(t) {
		for _, function := range s.functions() {
			budget := functionLines
			switch {
			case s.test():
				budget = testLines
			case function.Name.Name == "Reconcile":
				budget = reconcileLines
			case function.Name.Name == "main" && s.syntax.Name.Name == "main":
				budget = mainLines
			}
			if got := length(function); got > budget {
				t.Errorf("%s: %s has %d lines, budget %d", s.path, function.Name.Name, got, budget)
			}
		}
	}
}

func TestParameters(t *testing.T) {
	for _, s := range written(t) {
		for _, function := range s.functions() {
			if got := function.Type.Params.NumFields(); got > parameters {
				t.Errorf("%s: %s takes %d parameters, budget %d: pass a value that has a name", s.path, function.Name.Name, got, parameters)
			}
		}
	}
}

// TestStructs: API types are what a user writes, and options are what flags
// there are; every other struct with many fields does more than one thing.
func TestStructs(t *testing.T) {
	for _, s := range written(t) {
		if s.test() || strings.HasPrefix(s.path, "api/") {
			continue
		}
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok || strings.Contains(spec.Name.Name, "Options") || strings.Contains(spec.Name.Name, "Config") {
				return true
			}
			if _, known := wider[s.dir()+"."+spec.Name.Name]; known {
				return true
			}
			if structure, ok := spec.Type.(*ast.StructType); ok && structure.Fields.NumFields() > structFields {
				t.Errorf("%s: %s has %d fields, budget %d", s.path, spec.Name.Name, structure.Fields.NumFields(), structFields)
			}
			return true
		})
	}
}

func TestPackageSizes(t *testing.T) {
	files := map[string]int{}
	for _, s := range written(t) {
		if !s.test() && s.base() != "doc.go" {
			files[s.dir()]++
		}
	}
	for dir, count := range files {
		if _, known := larger[dir]; !known && count > packageFiles {
			t.Errorf("%s has %d files beside doc.go, budget %d: it is about more than one thing", dir, count, packageFiles)
		}
	}
	for dir := range larger {
		if files[dir] <= packageFiles {
			t.Errorf("%s is listed as larger and is not: remove it from the list", dir)
		}
	}
}

// vague names say that a package is about nothing.
var vague = []string{
	"util", "utils", "common", "helper", "helpers", "misc", "shared", "types", "constants", "tools", "base", "lib", "core", "testutil",
}

func TestPackageNames(t *testing.T) {
	for _, s := range written(t) {
		name := strings.TrimSuffix(s.syntax.Name.Name, "_test")
		if slices.Contains(vague, name) && s.path != "tools/pins.go" {
			t.Errorf("%s: package %s is named for nothing in particular", s.path, name)
		}
	}
}
