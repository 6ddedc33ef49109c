// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var decodingAuto = Rule{
	ID:          "decoding-auto",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Auto decodes whatever happens to be valid base64, an ordinary password of sixteen letters too.",
	Remedy:      "Say Base64, or None.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/5004",
	Check:       checkDecodingAuto,
}

func checkDecodingAuto(in Input) []finding.Finding {
	return in.eachRemote(func(b body, remote declaration.Remote) []finding.Finding {
		if remote.Decoding != "Auto" {
			return nil
		}
		return one(spot(b.ref, remote.At.Child("decodingStrategy"), "Auto decodes what only looks like base64; Base64 or None says what is meant"))
	})
}

// eachRemote collects what a check says about each way to read a value.
func (in Input) eachRemote(say func(body, declaration.Remote) []finding.Finding) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for _, item := range b.Data {
			out = append(out, say(b, item.Remote)...)
		}
		for _, item := range b.DataFrom {
			if item.HasExtract {
				out = append(out, say(b, item.Remote)...)
			}
		}
		return out
	})
}
