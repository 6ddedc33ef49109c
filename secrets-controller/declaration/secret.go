// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"encoding/base64"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Secret is a plain Secret in Git. It keeps the shapes of its values only.
type Secret struct {
	Ref    secretsv1.ObjectReference
	Type   string
	Leaves []Leaf
	// SOPS: the object carries the block that SOPS leaves behind. That alone
	// proves nothing: only the leaves do.
	SOPS bool
	// FromChart: a Helm chart rendered it, by the labels that charts set.
	FromChart bool
	// Token: the control plane fills it in (a service account token).
	Token bool
}

// Leaf is one key of a Secret.
type Leaf struct {
	Key      string
	At       Pointer
	Shape    Shape
	Evidence string
	// Encoded: stands in data and is base64, which is an encoding only.
	Encoded bool
}

// Public says whether the key holds public material by the convention of
// kubernetes.io/tls. The name decides, because a mask shows no more.
func (l Leaf) Public() bool { return l.Key == "tls.crt" || l.Key == "ca.crt" }

func readSecret(s *Set, object Object, options Options) {
	root := object.root()
	meta := root.get("metadata")
	out := Secret{
		Ref:  object.Ref,
		Type: root.get("type").textOr("Opaque"),
		SOPS: root.get("sops", "mac").exists(),
		FromChart: meta.get("labels", "app.kubernetes.io/managed-by").text() == "Helm" ||
			meta.get("labels", "helm.sh/chart").exists(),
	}
	out.Token = out.Type == "kubernetes.io/service-account-token" &&
		meta.get("annotations", "kubernetes.io/service-account.name").text() != ""
	for _, field := range []string{"data", "stringData"} {
		for _, key := range root.get(field).keys() {
			leaf := root.get(field, key)
			out.Leaves = append(out.Leaves, readLeaf(key, leaf, field == "data", options))
		}
	}
	s.Secrets = append(s.Secrets, out)
}

func readLeaf(key string, leaf node, encoded bool, options Options) Leaf {
	value := leaf.text()
	out := Leaf{Key: key, At: leaf.at, Encoded: encoded, Shape: ShapeOf(value)}
	if leaf.exists() && value == "" {
		if _, isText := leaf.value.(string); !isText {
			// A number or a list where the schema wants text: not readable as
			// a value, and so not harmless.
			out.Shape = ShapeOpaque
		}
	}
	if encoded && out.Shape != ShapeEncrypted && !mask.MatchString(value) {
		if decoded, err := base64.StdEncoding.DecodeString(value); err == nil {
			value = string(decoded)
			out.Shape = ShapeOf(value)
		}
	}
	out.Evidence = Evidence(value, options.EvidenceKey)
	return out
}

// Encrypted counts the leaves that SOPS encrypted.
func (s Secret) Encrypted() int {
	count := 0
	for _, leaf := range s.Leaves {
		if leaf.Shape == ShapeEncrypted {
			count++
		}
	}
	return count
}

func (s Secret) keys() Keys {
	var keys Keys
	for _, leaf := range s.Leaves {
		keys.add(leaf.Key)
	}
	if s.Token {
		keys.add("token", "ca.crt", "namespace")
	}
	return keys
}

// SealedSecret is ciphertext for the controller of that name.
type SealedSecret struct {
	Ref secretsv1.ObjectReference
	// Encrypted are the leaves of spec.encryptedData.
	Encrypted []Leaf
	// Template are the leaves of spec.template.data, which stand in the clear.
	Template []Leaf
	// Legacy: has the deprecated spec.data, whose keys cannot be seen.
	Legacy bool
}

func readSealedSecret(s *Set, object Object, options Options) {
	spec := object.root().get("spec")
	out := SealedSecret{Ref: object.Ref, Legacy: spec.get("data").exists()}
	for _, key := range spec.get("encryptedData").keys() {
		out.Encrypted = append(out.Encrypted, readLeaf(key, spec.get("encryptedData", key), false, options))
	}
	for _, key := range spec.get("template", "data").keys() {
		out.Template = append(out.Template, readLeaf(key, spec.get("template", "data", key), false, options))
	}
	s.SealedSecrets = append(s.SealedSecrets, out)
}

func (s SealedSecret) keys() Keys {
	var keys Keys
	for _, leaf := range slices.Concat(s.Encrypted, s.Template) {
		keys.add(leaf.Key)
	}
	if s.Legacy {
		keys.open("the SealedSecret has the old spec.data, which hides its keys")
	}
	return keys
}
