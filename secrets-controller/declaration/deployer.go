// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"regexp"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Deployer is an object of another GitOps tool: what it is told to do with
// what it applies decides what becomes of Secrets.
type Deployer struct {
	Ref secretsv1.ObjectReference
	// Decrypts: SOPS files are decrypted before they are applied.
	Decrypts bool
	// Substitutes: variables are replaced in everything that is applied.
	Substitutes bool
	// Variables that have a value, and whether more come from elsewhere.
	Variables map[string]bool
	// FromSecrets are Secrets whose keys are variables.
	FromSecrets []string
	FromOthers  bool
	Prunes      bool
	SelfHeals   bool
	// Plugin renders, and perhaps decrypts or injects.
	Plugin bool
	// HealthExpressions are declared; Waits says whether anything evaluates them.
	HealthExpressions Pointer
	Waits             bool
}

func readKustomization(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	post := spec.get("postBuild")
	out := Deployer{
		Ref: object.Ref, Decrypts: spec.get("decryption").exists(), Substitutes: post.exists(),
		Variables: map[string]bool{}, Prunes: spec.get("prune").isTrue(), SelfHeals: true,
		Waits: spec.get("wait").isTrue() || len(spec.get("healthChecks").items()) > 0,
	}
	for _, name := range post.get("substitute").keys() {
		out.Variables[name] = true
	}
	for _, from := range post.get("substituteFrom").items() {
		out.FromOthers = true
		if from.get("kind").text() == "Secret" {
			out.FromSecrets = append(out.FromSecrets, from.get("name").text())
			s.referTo(object, from.get("name"), "", from.get("optional").isTrue())
		}
	}
	if expressions := spec.get("healthCheckExprs"); len(expressions.items()) > 0 {
		out.HealthExpressions = expressions.at
	}
	s.Deployers = append(s.Deployers, out)
	s.referRoot(object, spec.get("decryption", "secretRef", "name"))
	s.referTo(object, spec.get("kubeConfig", "secretRef", "name"), spec.get("kubeConfig", "secretRef", "key").text(), false)
}

func readArgoApplication(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	policy := spec.get("syncPolicy", "automated")
	out := Deployer{
		Ref: object.Ref, Prunes: policy.get("prune").isTrue(), SelfHeals: policy.get("selfHeal").isTrue(),
		Plugin: spec.get("source", "plugin").exists(),
	}
	for _, source := range spec.get("sources").items() {
		out.Plugin = out.Plugin || source.get("plugin").exists()
	}
	s.Deployers = append(s.Deployers, out)
}

// ValuesFrom is one source of values of a HelmRelease.
type ValuesFrom struct {
	By     secretsv1.ObjectReference
	At     Pointer
	Secret string
	// Key as written; by default values.yaml.
	Key string
	// Target: the value goes to one path, and is not a document of values.
	Target bool
}

func readHelmRelease(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	for _, from := range spec.get("valuesFrom").items() {
		if from.get("kind").text() != "Secret" {
			continue
		}
		key := from.get("valuesKey")
		s.ValuesFrom = append(s.ValuesFrom, ValuesFrom{
			By: object.Ref, At: from.at, Secret: from.get("name").text(), Key: key.textOr("values.yaml"),
			Target: from.get("targetPath").text() != "",
		})
		s.referTo(object, from.get("name"), key.textOr("values.yaml"), from.get("optional").isTrue())
	}
	s.referTo(object, spec.get("kubeConfig", "secretRef", "name"), "", false)
}

func readFluxSource(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	for _, field := range []string{"secretRef", "certSecretRef", "proxySecretRef"} {
		s.referTo(object, spec.get(field, "name"), "", false)
	}
	s.referTo(object, spec.get("verify", "secretRef", "name"), "", false)
}

func (s *Set) referTo(object Object, name node, key string, optional bool) {
	s.refer(Reference{
		By: object.Ref, Use: UseFlux, Namespace: object.Ref.Namespace, Secret: name.text(), SecretAt: name.at,
		Key: key, KeyAt: name.at, Optional: optional,
	})
}

// referRoot notes a key that decrypts: it cannot come from what it decrypts.
func (s *Set) referRoot(object Object, name node) {
	s.refer(Reference{By: object.Ref, Use: UseDecryption, Namespace: object.Ref.Namespace, Secret: name.text(), SecretAt: name.at})
}

var substituted = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:?[-=+?][^}]*)?\}`)

// Variable is a Flux variable in an object.
type Variable struct {
	Ref  secretsv1.ObjectReference
	At   Pointer
	Name string
	// Defaulted: the text names a value for the case that there is none.
	Defaulted bool
	// Connection: it stands within an address.
	Connection bool
}

func variablesIn(ref secretsv1.ObjectReference, at Pointer, text string) []Variable {
	if !strings.Contains(text, "${") {
		return nil
	}
	var out []Variable
	for _, match := range substituted.FindAllStringSubmatchIndex(text, -1) {
		if match[0] > 0 && text[match[0]-1] == '$' {
			continue // escaped
		}
		out = append(out, Variable{
			Ref: ref, At: at, Name: text[match[2]:match[3]], Defaulted: match[4] >= 0,
			Connection: strings.Contains(text, "://"),
		})
	}
	return out
}
