// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"time"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

// Input is everything that the rules look at, gathered before the first one
// runs.
type Input struct {
	// Declared is the rendered artifact being judged.
	Declared declaration.Set
	// Previous is what the last judged revision declared; nil when unknown.
	Previous *declaration.Set
	// Source is what the files in Git say beside.
	Source declaration.Source
	// Neighbours are what other Applications declare where this one looks.
	Neighbours Neighbours
	// Leaked are values that stood in the open in earlier revisions and are
	// not acknowledged as rotated.
	Leaked []finding.Finding
	Live   Live
	Policy Policy
	Scope  Scope

	index *index
}

// Neighbours are the declarations of other Applications.
type Neighbours struct {
	Productions []declaration.Production
	Stores      []declaration.Store
	Namespaces  []declaration.Namespace
	ConfigMaps  []declaration.ConfigMap
	// Unread are Applications whose declaration could not be read. What they
	// may declare is not known, so nothing in their namespace is undeclared
	// for certain.
	Unread []UnreadNeighbour
}

// UnreadNeighbour is an Application that could not be read.
type UnreadNeighbour struct {
	Application string
	// Namespace is where its objects go.
	Namespace string
	Reason    string
}

// Scope are facts about the world that no object shows.
type Scope struct {
	// StoresComplete: every store is in Git or in Live, so one that is in
	// neither does not exist.
	StoresComplete bool
	// Now is the moment of judgement.
	Now time.Time
	// NoStatusAfter is how long an ExternalSecret may be without a status
	// before that is a fault: long enough for an operator to restart.
	NoStatusAfter time.Duration
	// ForeignSelfHeal: a tool other than Holdfast resets whole objects to
	// what Git declares.
	ForeignSelfHeal bool
	// Operator and Kubernetes are the releases to judge against; the zero
	// Version is the newest that is known here.
	Operator, Kubernetes schema.Version
	// GitOps is the other tool that applies the manifests, if there is one.
	GitOps GitOps
	// FakeNamespaces are those where stores may hold their values themselves.
	FakeNamespaces []string
	// Classes of store controllers that run; empty is not known.
	Classes []string
	// Decrypts: encrypted values files are decrypted at render time.
	Decrypts bool
}

// GitOps is what another tool does to what it applies.
type GitOps struct {
	// Tool is flux or argocd; empty is none but Holdfast.
	Tool string
	// TracksByLabel: it takes what bears its label for its own.
	TracksByLabel bool
	Prunes        bool
	Plugin        bool
}

// Seen is what was read of one live kind. The zero value is "not read": an
// absence is known only where somebody looked.
type Seen[T any] struct {
	Known bool
	// Reason why it is not known.
	Reason string
	Items  []T
}

// Live is what was read from the cluster, of the namespaces at hand.
type Live struct {
	Stores          Seen[declaration.StoreState]
	ExternalSecrets Seen[declaration.ExternalSecretState]
	SealedSecrets   Seen[declaration.ProducerState]
	Certificates    Seen[declaration.ProducerState]
	Secrets         Seen[declaration.SecretState]
	Namespaces      Seen[declaration.Namespace]
	// Versions of ExternalSecret that the cluster serves.
	Versions Seen[string]
	// Definitions of kinds that rules look at, by group/Kind.
	Definitions map[string]schema.Definition
	// Absent are kinds, by group/Kind, that are known not to be installed.
	Absent map[string]bool
}

// NotRead is what is live where nobody looked, and why.
func NotRead(reason string) Live {
	return Live{
		Stores:          Seen[declaration.StoreState]{Reason: reason},
		ExternalSecrets: Seen[declaration.ExternalSecretState]{Reason: reason},
		SealedSecrets:   Seen[declaration.ProducerState]{Reason: reason},
		Certificates:    Seen[declaration.ProducerState]{Reason: reason},
		Secrets:         Seen[declaration.SecretState]{Reason: reason},
		Namespaces:      Seen[declaration.Namespace]{Reason: reason},
		Versions:        Seen[string]{Reason: reason},
	}
}

// unread lists why readiness cannot be judged in full: a live kind that the
// declaration needs and that could not be read.
func (in Input) unread() []string {
	var reasons []string
	note := func(needed, known bool, what, reason string) {
		if needed && !known {
			reasons = append(reasons, what+" were not read: "+reason)
		}
	}
	declared := in.Declared
	needsES := len(declared.ExternalSecrets) > 0
	note(needsES || len(declared.Stores) > 0, in.Live.Stores.Known, "stores", in.Live.Stores.Reason)
	note(needsES, in.Live.ExternalSecrets.Known, "ExternalSecrets", in.Live.ExternalSecrets.Reason)
	note(len(declared.SealedSecrets) > 0, in.Live.SealedSecrets.Known, "SealedSecrets", in.Live.SealedSecrets.Reason)
	note(len(declared.Certificates) > 0, in.Live.Certificates.Known, "Certificates", in.Live.Certificates.Reason)
	note(needsES, in.Live.Secrets.Known, "the metadata of Secrets", in.Live.Secrets.Reason)
	return reasons
}

// unreadSource lists why the files in Git were not looked at. Where nobody was
// to look there is no reason.
func (in Input) unreadSource() []string {
	var reasons []string
	if in.Source.Reason != "" {
		reasons = append(reasons, "the files in Git were not looked at for secrets: "+in.Source.Reason)
	}
	for _, file := range in.Source.TooLarge {
		reasons = append(reasons, file+" was not looked at for secrets: it is too large")
	}
	return reasons
}
