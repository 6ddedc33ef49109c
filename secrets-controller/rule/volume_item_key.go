// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var volumeItemKey = Rule{
	ID:          "volume-item-key",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A volume picks a key that no producer of the Secret writes: the pod waits for its volume for ever.",
	Remedy:      "Correct the key, or let the producer write it.",
	Source:      "https://github.com/stackrox/kube-linter/issues/705",
	Check:       checkVolumeItemKey,
}

func checkVolumeItemKey(in Input) []finding.Finding {
	return in.missingKeys(declaration.UseVolume)
}
