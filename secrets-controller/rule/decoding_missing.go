// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var decodingMissing = Rule{
	ID:          "decoding-missing",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The key is named like a binary file, and stores keep such values in base64: without a decodingStrategy the text of the encoding ends in the Secret.",
	Remedy:      "Set decodingStrategy Base64 if the store holds base64.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1486",
	Check:       checkDecodingMissing,
}

func checkDecodingMissing(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for i, item := range b.Data {
			if binaryName.MatchString(item.Key) && (item.Remote.Decoding == "" || item.Remote.Decoding == "None") {
				out = append(out, spot(b.ref, b.Base.Child("data", i), "key %s is named like a binary file, and nothing decodes the value", item.Key))
			}
		}
		return out
	})
}

var binaryName = regexp.MustCompile(`\.(p12|pfx|jks|keystore|keytab|der)$`)
