// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeNotReady = Rule{
	ID:          "store-not-ready",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The store in the cluster is not Ready, so nothing that uses it is delivered. This never holds the declaration: the commit that cures the store must be able to arrive.",
	Remedy:      "Look at the status of the store: kubectl describe.",
	Source:      "https://github.com/argoproj/argo-cd/issues/9891",
	Check:       checkStoreNotReady,
}

func checkStoreNotReady(in Input) []finding.Finding {
	used := map[storeName]bool{}
	for _, use := range in.storeUses() {
		if where, at := in.locate(use); where == storeFound {
			used[at] = true
		}
	}
	for _, store := range in.Declared.Stores {
		used[placeOf(store)] = true
	}
	var out []finding.Finding
	for _, state := range in.Live.Stores.Items {
		if !used[placeOf(state.Store)] || state.Ready.True() {
			continue
		}
		f := finding.Finding{Object: state.Ref, Path: "/status/conditions"}
		if state.Ready.False() {
			f.Message = fmt.Sprintf("%s is not Ready: %s", title(state.Ref), state.Ready.Reason)
		} else {
			// No status is also what a store of a class that nobody serves
			// looks like, so it is neither a fault nor a pass.
			f.Severity = secretsv1.SeverityUnknown
			f.Message = fmt.Sprintf("%s has no Ready condition yet: no controller has judged it", title(state.Ref))
		}
		out = append(out, f)
	}
	return out
}
