// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var versionPinned = Rule{
	ID:          "version-pinned",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A version of the remote value is pinned: a rotated one never arrives, however often the Secret is refreshed.",
	Remedy:      "Leave the version out, or raise it with each rotation.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2975",
	Check:       checkVersionPinned,
}

func checkVersionPinned(in Input) []finding.Finding {
	return in.eachRemote(func(b body, remote declaration.Remote) []finding.Finding {
		if _, renewed := renewal(b.Spec); !renewed || remote.Version == "" || aliases[strings.ToLower(remote.Version)] {
			return nil
		}
		return one(spot(b.ref, remote.At.Child("version"), "version %s is pinned and refreshed: a rotated value never arrives", remote.Version))
	})
}

// aliases of versions that move by themselves.
var aliases = map[string]bool{"latest": true, "awscurrent": true, "awspending": true, "current": true}
