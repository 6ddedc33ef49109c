// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rendered

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

// The shapes that a mask keeps.
const (
	Empty       = "empty"
	Placeholder = "placeholder"
	Reference   = "reference"
	Encrypted   = "encrypted"
	Opaque      = "opaque"
)

var (
	placeholder = regexp.MustCompile(`(?i)^(<[^>]*>|\{\{.*\}\}|change[-_ ]?me.*|replace[-_ ]?me.*|todo|tbd|x{3,}|\*{3,}|example|dummy|placeholder|your[-_ ].*|insert[-_ ].*|fixme|secret|password|none|null)$`)
	reference   = regexp.MustCompile(`^(\$\{[A-Za-z_][^}]*\}|\$\([A-Za-z_][A-Za-z0-9_]*\)|(ref\+|vault:|awssm://|gcpsm://|op://|arn:aws:secretsmanager:|secretref:).*)$`)
	encrypted   = regexp.MustCompile(`^(ENC\[[A-Z0-9_]+,|\$ANSIBLE_VAULT;|-----BEGIN (AGE ENCRYPTED FILE|PGP MESSAGE)-----|vault:v\d+:)`)
)

// Shape says what a value looks like, without saying what it is.
func Shape(value string) string {
	trimmed := strings.TrimSpace(value)
	switch {
	case trimmed == "":
		return Empty
	case encrypted.MatchString(trimmed):
		return Encrypted
	case reference.MatchString(trimmed):
		return Reference
	case placeholder.MatchString(trimmed):
		return Placeholder
	}
	return Opaque
}

// Manifests writes objects as YAML documents with every secret value masked.
func Manifests(objects []*unstructured.Unstructured, scope mask.Scope) ([]byte, error) {
	var out bytes.Buffer
	for _, o := range objects {
		scope.Secret = o.GetKind() == "Secret" && o.GroupVersionKind().Group == ""
		content := o.DeepCopy().Object
		if scope.Secret {
			maskSecret(content, scope.Key)
		} else {
			masked, _ := scope.Value(nil, content)
			content = masked.(map[string]any) //nolint:forcetypeassert // masking keeps the type of a map
		}
		text, err := yaml.Marshal(content)
		if err != nil {
			return nil, fmt.Errorf("writing %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	return out.Bytes(), nil
}

// maskSecret masks every value of a Secret, with its shape, and drops what an
// earlier tool kept of it.
func maskSecret(content map[string]any, key mask.Key) {
	for _, field := range []string{"data", "stringData"} {
		values, ok := content[field].(map[string]any)
		if !ok {
			continue
		}
		for name, v := range values {
			values[name] = shaped(v, field == "data", key)
		}
	}
	unstructured.RemoveNestedField(content, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
}

// shaped is the mask of one value: (masked opaque hmac:8c1f…).
func shaped(v any, encoded bool, key mask.Key) string {
	text, ok := v.(string)
	if !ok {
		return fmt.Sprintf("(masked %s hmac:%s)", Opaque, key.Digest(v))
	}
	plain := text
	if encoded {
		if decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), "")); err == nil {
			plain = string(decoded)
		}
	}
	return fmt.Sprintf("(masked %s hmac:%s)", Shape(plain), key.Digest(plain))
}
