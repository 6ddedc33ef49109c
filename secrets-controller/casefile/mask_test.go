// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile_test

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/api/shape"
)

// maskSecrets does to a stream what the drift-controller does before it serves
// it: values of Secrets, and of the clear part of SealedSecrets, give way to
// their shape and a digest.
func maskSecrets(stream []byte) ([]byte, error) {
	var out [][]byte
	for _, document := range bytes.Split(append([]byte("\n"), stream...), []byte("\n---")) {
		var content map[string]any
		if err := yaml.Unmarshal(document, &content); err != nil {
			return nil, err
		}
		maskObject(content)
		raw, err := yaml.Marshal(content)
		if err != nil {
			return nil, err
		}
		out = append(out, raw)
	}
	return bytes.Join(out, []byte("---\n")), nil
}

func maskObject(content map[string]any) {
	items, _ := content["items"].([]any)
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			maskObject(object)
		}
	}
	switch content["kind"] {
	case "Secret":
		maskFields(content, "data", true)
		maskFields(content, "stringData", false)
	case "SealedSecret":
		spec, _ := content["spec"].(map[string]any)
		template, _ := spec["template"].(map[string]any)
		maskFields(template, "data", false)
	}
}

func maskFields(object map[string]any, field string, encoded bool) {
	values, _ := object[field].(map[string]any)
	for key, value := range values {
		text := fmt.Sprint(value)
		if decoded, err := base64.StdEncoding.DecodeString(text); encoded && err == nil {
			text = string(decoded)
		}
		values[key] = fmt.Sprintf("(masked %s hmac:8c1f2a)", shape.Of(text))
	}
}
