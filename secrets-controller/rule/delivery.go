// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// Delivery is what became of one declared ExternalSecret.
type Delivery struct {
	Object  secretsv1.ObjectReference
	State   secretsv1.DeliveryState
	Time    time.Time
	Message string
}

// states are what the rules about live ExternalSecrets mean for the delivery,
// the one that says most first: Ready=True alone says nothing.
var states = []struct {
	rule  string
	state secretsv1.DeliveryState
}{
	{"live-no-status", secretsv1.DeliveryNoController},
	{"live-synced-error", secretsv1.DeliveryFailed},
	{"live-missing-despite-ready", secretsv1.DeliveryMissing},
	{"live-deleted-despite-ready", secretsv1.DeliveryMissing},
	{"live-stale-generation", secretsv1.DeliveryStale},
	{"live-immutable-ignored", secretsv1.DeliveryKeptOld},
	{"live-retained", secretsv1.DeliveryKeptOld},
	{"live-partial-keys", secretsv1.DeliveryPartial},
	{"refresh-overdue", secretsv1.DeliveryStale},
}

// Deliveries gives the state of every declared ExternalSecret. A policy that
// silences a rule does not make a Secret arrive.
func Deliveries(in Input) []Delivery {
	in.Policy = Policy{}
	var rules []Rule
	for _, s := range states {
		if one, known := ByID(s.rule); known {
			rules = append(rules, one)
		}
	}
	said := map[secretsv1.ObjectReference]map[string]finding.Finding{}
	for _, f := range RunOnly(in, rules).Findings {
		if said[f.Object] == nil {
			said[f.Object] = map[string]finding.Finding{}
		}
		if _, first := said[f.Object][f.Rule]; !first {
			said[f.Object][f.Rule] = f
		}
	}
	in.index = newIndex(in)
	var out []Delivery
	for _, es := range in.Declared.ExternalSecrets {
		out = append(out, in.delivery(es, said[es.Ref]))
	}
	return out
}

func (in Input) delivery(es declaration.ExternalSecret, said map[string]finding.Finding) Delivery {
	d := Delivery{Object: es.Ref, State: secretsv1.DeliveryDelivered}
	live, exists := in.index.liveES[secretName{es.Ref.Namespace, es.Ref.Name}]
	if exists {
		d.Time = live.Refreshed
	}
	if !in.Live.ExternalSecrets.Known {
		d.State, d.Message = secretsv1.DeliveryUnknown, "ExternalSecrets were not read: "+in.Live.ExternalSecrets.Reason
		return d
	}
	for _, s := range states {
		if f, is := said[s.rule]; is {
			d.State, d.Message = s.state, f.Message
			if f.Severity == secretsv1.SeverityUnknown {
				d.State = secretsv1.DeliveryUnknown
			}
			return d
		}
	}
	switch {
	case !exists, !live.Ready.Present:
		d.State, d.Message = secretsv1.DeliveryUnknown, "it has no status yet"
	case live.Target.Creation == declaration.CreationNone:
		d.State, d.Message = secretsv1.DeliveryNotCreated, "creationPolicy None: no Secret is written"
	case !in.Live.Secrets.Known && !live.Target.Generic:
		d.State, d.Message = secretsv1.DeliveryUnknown, "whether the Secret is there was not read: "+in.Live.Secrets.Reason
	}
	return d
}
