// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"encoding/base64"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
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
	// Recipients of the SOPS block, and whether a last-applied annotation
	// carries a copy of the data.
	Recipients  []string
	LastApplied bool
	SOPSAt      Pointer
	// MAC of SOPS, which changes with every encryption.
	MAC string
}

// Leaf is one key of a Secret.
type Leaf struct {
	Key      string
	At       Pointer
	Shape    Shape
	Hits     []string
	Evidence string
	// Cipher tells one ciphertext from another; ciphertext is public.
	Cipher string
	// Encoded: stands in data and is base64, which is an encoding only.
	Encoded bool
}

// Public says whether the key holds public material, by the convention of
// kubernetes.io/tls or by what it is.
func (l Leaf) Public() bool {
	return l.Key == "tls.crt" || l.Key == "ca.crt" || l.Shape == ShapePublic
}

// Stands says whether a value stands in the open: a number is one too.
func (l Leaf) Stands() bool {
	return !l.Public() && (l.Shape == ShapeOpaque || l.Shape == ShapeTrivial)
}

// Has says whether a pattern was seen in it.
func (l Leaf) Has(id string) bool { return slices.Contains(l.Hits, id) }

func readSecret(s *Set, object Object, options Options) {
	root := object.root()
	meta := root.get("metadata")
	out := Secret{
		Ref:  object.Ref,
		Type: root.get("type").textOr("Opaque"),
		SOPS: root.get("sops", "mac").exists(),
		FromChart: options.Chart || meta.get("labels", "app.kubernetes.io/managed-by").text() == "Helm" ||
			meta.get("labels", "helm.sh/chart").exists(),
	}
	out.Token = out.Type == "kubernetes.io/service-account-token" &&
		meta.get("annotations", "kubernetes.io/service-account.name").text() != ""
	out.SOPSAt, out.MAC = root.get("sops").at, root.get("sops", "mac").text()
	for _, kind := range []string{"age", "pgp", "kms", "gcp_kms", "azure_kv", "hc_vault"} {
		for _, entry := range root.get("sops", kind).items() {
			for _, field := range []string{"recipient", "fp", "arn", "resource_id", "vault_url", "vault_address"} {
				if name := entry.get(field).text(); name != "" {
					out.Recipients = append(out.Recipients, name)
				}
			}
		}
	}
	out.LastApplied = meta.get("annotations", "kubectl.kubernetes.io/last-applied-configuration").exists()
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
	out := Leaf{Key: key, At: leaf.at, Encoded: encoded, Shape: shape.Of(value)}
	if leaf.exists() && value == "" {
		if _, isText := leaf.value.(string); !isText {
			// A number or a list where the schema wants text: not readable as
			// a value, and so not harmless.
			out.Shape = ShapeOpaque
		}
	}
	if encoded && out.Shape != ShapeEncrypted && !shape.Masked(value) {
		if decoded, err := base64.StdEncoding.DecodeString(value); err == nil {
			value = string(decoded)
			out.Shape = shape.Of(value)
		}
	}
	out.Hits = found(value)
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
	Meta
	// TemplateName, TemplateNamespace and the annotations of the template.
	TemplateName, TemplateNamespace string
	TemplateAnnotations             map[string]string
	// LastApplied: the template carries a copy of a Secret.
	LastApplied bool
	// TemplateLabels are those that the Secret will bear.
	TemplateLabels map[string]string
	// NullTimestamp points to a creationTimestamp of null.
	NullTimestamp Pointer
}

// Scope of the ciphertext: strict, namespace-wide or cluster-wide.
func Scope(annotations map[string]string) string {
	for _, scope := range []string{"cluster-wide", "namespace-wide"} {
		if annotations["sealedsecrets.bitnami.com/"+scope] == "true" {
			return scope
		}
	}
	return "strict"
}

func readSealedSecret(s *Set, object Object, options Options) {
	spec := object.root().get("spec")
	template := spec.get("template", "metadata")
	inTemplate := NewObject(map[string]any{"metadata": template.value})
	out := SealedSecret{
		Ref: object.Ref, Legacy: spec.get("data").exists(), Meta: readMeta(object),
		TemplateName: template.get("name").text(), TemplateNamespace: template.get("namespace").text(),
		TemplateAnnotations: readMeta(inTemplate).Annotations,
		TemplateLabels:      template.get("labels").textMap(),
		LastApplied:         template.get("annotations", "kubectl.kubernetes.io/last-applied-configuration").exists(),
	}
	for _, meta := range []node{object.root().get("metadata"), template} {
		if fields, _ := meta.value.(map[string]any); fields != nil {
			if stamp, has := fields["creationTimestamp"]; has && stamp == nil && out.NullTimestamp == "" {
				out.NullTimestamp = meta.at.Child("creationTimestamp")
			}
		}
	}
	for _, key := range spec.get("encryptedData").keys() {
		leaf := readLeaf(key, spec.get("encryptedData", key), false, options)
		leaf.Cipher = keyedDigest(spec.get("encryptedData", key).text(), []byte("ciphertext"))
		out.Encrypted = append(out.Encrypted, leaf)
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
