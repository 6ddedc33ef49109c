// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"encoding/base64"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/pattern"
)

// Place is where in an object a value stands; it weighs more than the value.
type Place string

// The places.
const (
	PlaceEnv        Place = "an environment variable"
	PlaceArgs       Place = "a command line"
	PlaceConfigMap  Place = "a ConfigMap"
	PlaceBinary     Place = "binary data"
	PlaceAnnotation Place = "an annotation or label"
	PlaceHelm       Place = "the values of a release"
	PlaceStore      Place = "a store"
	PlaceTemplate   Place = "a template"
	PlaceField      Place = "a field"
	PlaceSelector   Place = "a selector"
)

// Open is a value outside Secrets that looks like a secret, by its name or by
// what patterns see in it.
type Open struct {
	Ref   secretsv1.ObjectReference
	At    Pointer
	Place Place
	// Name of the variable, key, flag or parameter.
	Name  string
	Shape Shape
	// Tells: the name announces a secret, and the shape may be one.
	Tells    bool
	Hits     []string
	Evidence string
}

// Has says whether a pattern was seen.
func (o Open) Has(ids ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(o.Hits, id) })
}

// Token is the first id of the pattern library, if any.
func (o Open) Token() string {
	for _, hit := range o.Hits {
		if id, is := strings.CutPrefix(hit, shape.Token); is {
			return id
		}
	}
	return ""
}

// namedOnly are hits that mean something only under a telling name.
var namedOnly = []string{shape.Digits, shape.Random, shape.DefaultCredential}

// unlooked are kinds whose text is a schema or ciphertext.
var unlooked = map[string]bool{
	"apiextensions.k8s.io/CustomResourceDefinition": true,
}

// readOpen looks at every scalar of an object that may stand in the open. What
// Secrets and SealedSecrets hold by design is read elsewhere.
func readOpen(s *Set, object Object, options Options) {
	id := object.group() + "/" + object.Ref.Kind
	if unlooked[id] {
		return
	}
	shape.Each(object.fields, func(scalar shape.Scalar) {
		if held(id, scalar) {
			return
		}
		if open, is := openOf(id, scalar); is {
			open.Ref = object.Ref
			open.Evidence = Evidence(scalar.Text(), options.EvidenceKey)
			s.Open = append(s.Open, open)
		}
	})
}

// held are the fields that other readers look at.
func held(id string, s shape.Scalar) bool {
	switch s.Field(0) {
	case "data", "stringData", "sops":
		return id == "/Secret"
	case "status", "apiVersion", "kind":
		return true
	case "metadata":
		return s.Field(1) != "annotations" && s.Field(1) != "labels"
	case "spec":
		sealed := id == "bitnami.com/SealedSecret"
		return sealed && (s.Field(1) == "encryptedData" || s.Field(1) == "data" || s.Field(1) == "template" && s.Field(2) == "data")
	}
	return false
}

func openOf(id string, s shape.Scalar) (Open, bool) {
	text := s.Text()
	if text == "" {
		return Open{}, false
	}
	place := placeOf(id, s)
	if place == PlaceBinary {
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil && !shape.Masked(text) {
			text = binaryText(text, raw)
		}
	}
	open := Open{
		At: Pointer("").Child(s.Tokens...), Place: place, Name: s.Name, Shape: shape.Of(text),
		Tells: shape.Tells(s.Name, text) && named(place, s.Name), Hits: shape.IDs(shape.Find(text, pattern.Scan)),
	}
	means := slices.ContainsFunc(open.Hits, func(hit string) bool { return !slices.Contains(namedOnly, hit) })
	return open, open.Tells || means
}

// binaryText looks at what is encoded where that is text, and otherwise at the
// encoding, whose first bytes tell a keystore.
func binaryText(text string, raw []byte) string {
	if strings.ContainsRune(string(raw), 0xfffd) || !strings.Contains(string(raw), "\n") {
		return text
	}
	return string(raw)
}

// named says whether the name counts at a place.
func named(place Place, name string) bool {
	switch place {
	case PlaceEnv, PlaceArgs, PlaceConfigMap, PlaceAnnotation, PlaceTemplate:
		return true
	case PlaceHelm, PlaceStore, PlaceField:
		return !shape.NamesSecret(name)
	}
	return false
}

func placeOf(id string, s shape.Scalar) Place {
	last := s.Field(len(s.Tokens) - 1)
	switch {
	case s.Below("annotations") || s.Below("labels") && s.Below("metadata"):
		return PlaceAnnotation
	case id == "/ConfigMap" && s.Field(0) == "binaryData":
		return PlaceBinary
	case id == "/ConfigMap":
		return PlaceConfigMap
	case s.Below("env") && last == "value":
		return PlaceEnv
	case podTemplates[id] != nil && (s.Below("command") || s.Below("args")):
		return PlaceArgs
	case id == "helm.toolkit.fluxcd.io/HelmRelease" && s.Field(1) == "values",
		id == "argoproj.io/Application" && s.Below("helm"):
		return PlaceHelm
	case strings.HasSuffix(id, "SecretStore") && s.Field(1) == "provider":
		if last == "key" || last == "name" {
			return PlaceSelector
		}
		return PlaceStore
	case strings.HasPrefix(id, "external-secrets.io/"):
		if s.Below("template") && !s.Below("configMap") && !s.Below("secret") {
			return PlaceTemplate
		}
		return PlaceSelector
	}
	return PlaceField
}
