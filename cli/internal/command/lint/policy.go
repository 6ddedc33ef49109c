// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// policies reads SecretPolicies.
func policies(files []string) ([]secretsv1.SecretPolicy, error) {
	var all []secretsv1.SecretPolicy
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
		}
		reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
		for {
			document, err := reader.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("--policy %s is no YAML", file)
			}
			policy, err := policyOf(document)
			if err != nil {
				return nil, fmt.Errorf("--policy %s: %w", file, err)
			}
			all = append(all, policy...)
		}
	}
	return all, nil
}

// policyOf reads one document. A misspelt field would be an exception that
// nobody granted, or one that does not hold: it is refused.
func policyOf(document []byte) ([]secretsv1.SecretPolicy, error) {
	if len(bytes.TrimSpace(document)) == 0 {
		return nil, nil
	}
	var policy secretsv1.SecretPolicy
	if err := yaml.UnmarshalStrict(document, &policy); err != nil {
		return nil, err
	}
	if policy.Kind != "SecretPolicy" {
		return nil, fmt.Errorf("kind %q: name a file with SecretPolicies", policy.Kind)
	}
	return []secretsv1.SecretPolicy{policy}, nil
}
