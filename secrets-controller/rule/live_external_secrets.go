// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

// watchedES is a declared ExternalSecret with its live counterpart.
type watchedES struct {
	declared declaration.ExternalSecret
	live     declaration.ExternalSecretState
	exists   bool
}

// watched pairs what is declared with what is live. It is empty while
// ExternalSecrets could not be read: that is told once, for the whole report.
func (in Input) watched() []watchedES {
	if !in.Live.ExternalSecrets.Known {
		return nil
	}
	var out []watchedES
	for _, es := range in.Declared.ExternalSecrets {
		live, exists := in.index.liveES[secretName{es.Ref.Namespace, es.Ref.Name}]
		out = append(out, watchedES{declared: es, live: live, exists: exists})
	}
	return out
}

// current says whether the status is about the generation that is there now.
func (w watchedES) current() bool {
	return w.exists && w.live.SyncedGeneration == w.live.Generation
}

// writesSecret says whether a Secret is to be found at the target.
func (w watchedES) writesSecret() bool {
	return w.exists && w.live.Target.Creation != declaration.CreationNone && !w.live.Target.Generic
}

func (w watchedES) target() secretName {
	return secretName{w.live.Ref.Namespace, w.live.Target.Name}
}
