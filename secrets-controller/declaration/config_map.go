// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// ConfigMap is kept for the templates that ExternalSecrets take from it.
type ConfigMap struct {
	Ref   secretsv1.ObjectReference
	Texts []TemplateText
}

func readConfigMap(s *Set, object Object, _ Options) {
	data := object.root().get("data")
	out := ConfigMap{Ref: object.Ref}
	for _, key := range data.keys() {
		out.Texts = append(out.Texts, readTemplateText(key, data.get(key)))
	}
	s.ConfigMaps = append(s.ConfigMaps, out)
}

func readDefinition(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	s.Definitions[spec.get("group").text()+"/"+spec.get("names", "kind").text()] = object.Ref
}

// Operator is a release of the External Secrets Operator in Git, with what its
// values say about the rest.
type Operator struct {
	Ref     secretsv1.ObjectReference
	Version string
	// VersionAt points to the version of the chart.
	VersionAt Pointer
	// Off are kinds that it does not process.
	Off map[string]Pointer
	// Delimiters: templates are written with other braces.
	Delimiters Pointer
	// Generic: targets of other kinds are allowed.
	Generic bool
}

// readRelease reads a HelmRelease, and if it is that of the operator, what its
// values switch off.
func readRelease(s *Set, object Object, options Options) {
	readHelmRelease(s, object, options)
	spec := object.root().get("spec")
	chart := spec.get("chart", "spec")
	if !strings.HasSuffix(chart.get("chart").text(), "external-secrets") {
		return
	}
	values := spec.get("values")
	out := Operator{Ref: object.Ref, Version: chart.get("version").text(), VersionAt: chart.get("version").at, Off: map[string]Pointer{}}
	for field, kind := range map[string]string{
		"processClusterStore": "ClusterSecretStore", "processClusterExternalSecret": "ClusterExternalSecret", "processPushSecret": "PushSecret",
	} {
		if flag := values.get(field); flag.exists() && !flag.isTrue() {
			out.Off[kind] = flag.at
		}
	}
	if args := values.get("extraArgs"); args.exists() {
		out.Generic = args.get("unsafe-allow-generic-targets").exists()
		if delimiter := args.get("template-left-delimiter"); delimiter.exists() {
			out.Delimiters = delimiter.at
		}
	}
	s.Operators = append(s.Operators, out)
}

// readVariables notes the variables of Flux in an object, which is not taken
// out of substitution.
func readVariables(s *Set, object Object) {
	const disabled = "kustomize.toolkit.fluxcd.io/substitute"
	if object.root().get("metadata", "annotations", disabled).text() == "disabled" {
		return
	}
	eachText(object.root(), func(n node) {
		s.Variables = append(s.Variables, variablesIn(object.Ref, n.at, n.text())...)
	})
}

func eachText(n node, visit func(node)) {
	for _, key := range n.keys() {
		eachText(n.get(key), visit)
	}
	for _, item := range n.items() {
		eachText(item, visit)
	}
	if n.text() != "" {
		visit(n)
	}
}
