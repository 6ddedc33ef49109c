// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// row is one way to end, as the reference lists them.
type row struct {
	name string
	// stores are the contents of the fake provider and specs the bodies of the
	// ExternalSecret, one after the other; the last stays.
	stores, specs []string
	// seen is what its status has to say in the end.
	seen seen
	want secretsv1.DeliveryState
	// or is how other releases of the operator end it, if any do.
	or *end
}

// end is a status and the state that the rules are to make of it.
type end struct {
	seen seen
	want secretsv1.DeliveryState
}

// frozenFails is what release 0.16.2 says of a Secret that may not change and
// should; later ones record it as synced.
var frozenFails = &end{seen: seen{ready: "False", reason: "SecretSyncedError", secret: yes}, want: secretsv1.DeliveryFailed}

// seen is a status as far as rules look at it. Empty fields are not compared.
type seen struct {
	ready, reason, message string
	// synced is whether the present generation is the one that was synced.
	synced string
	// secret: whether the target is there.
	secret string
}

const (
	yes, no = "yes", "no"

	full  = "{key: db, value: one}, {key: user, value: app}"
	short = "{key: user, value: app}"
	empty = "{key: other, value: x}"

	fetch = "refreshInterval: 2s\nsecretStoreRef: {name: fake}\ndata: [{secretKey: db, remoteRef: {key: db}}]\n"
	both  = "refreshInterval: 2s\nsecretStoreRef: {name: fake}\ndata: [{secretKey: db, remoteRef: {key: db}}, {secretKey: user, remoteRef: {key: user}}]\n"
	still = "refreshInterval: 0s\nsecretStoreRef: {name: fake}\n"
	one   = "data: [{secretKey: db, remoteRef: {key: db}}]\n"
	two   = "data: [{secretKey: db, remoteRef: {key: db}}, {secretKey: user, remoteRef: {key: user}}]\n"
	find  = "refreshInterval: 2s\nsecretStoreRef: {name: fake}\ndataFrom: [{find: {name: {regexp: '^db$'}}}]\n"
)

var rows = []row{
	{
		name: "delivered", stores: []string{full}, specs: []string{fetch},
		seen: seen{ready: "True", reason: "SecretSynced", synced: yes, secret: yes}, want: secretsv1.DeliveryDelivered,
	},
	{
		name: "failed", stores: []string{short}, specs: []string{fetch},
		seen: seen{ready: "False", reason: "SecretSyncedError", secret: no}, want: secretsv1.DeliveryFailed,
	},
	{
		name: "merge-without-target", stores: []string{full}, specs: []string{fetch + "target: {name: nowhere, creationPolicy: Merge}\n"},
		seen: seen{ready: "True", reason: "SecretMissing", secret: no}, want: secretsv1.DeliveryMissing,
	},
	{
		name: "deleted", stores: []string{full, short}, specs: []string{fetch + "target: {deletionPolicy: Delete}\n"},
		seen: seen{ready: "True", reason: "SecretDeleted", secret: no}, want: secretsv1.DeliveryMissing,
	},
	{
		name: "retained", stores: []string{full, empty}, specs: []string{find},
		seen: seen{ready: "True", reason: "SecretSynced", message: "retain", secret: yes}, want: secretsv1.DeliveryKeptOld,
	},
	{
		name: "never-created", stores: []string{empty}, specs: []string{find},
		seen: seen{ready: "True", reason: "SecretSynced", message: "retain", secret: no}, want: secretsv1.DeliveryMissing,
	},
	{
		name: "frozen", stores: []string{full}, specs: []string{fetch + "target: {immutable: true}\n", both + "target: {immutable: true}\n"},
		seen: seen{ready: "True", reason: "SecretSynced", synced: yes, secret: yes}, want: secretsv1.DeliveryKeptOld,
		or: frozenFails,
	},
	{
		name: "none-by-design", stores: []string{full}, specs: []string{fetch + "target: {creationPolicy: None}\n"},
		seen: seen{ready: "True", reason: "SecretSynced", secret: no}, want: secretsv1.DeliveryNotCreated,
	},
	{
		name: "partly", stores: []string{short}, specs: []string{both + "target: {deletionPolicy: Merge}\n"},
		seen: seen{ready: "True", reason: "SecretSynced", secret: yes}, want: secretsv1.DeliveryPartial,
	},
	{
		name: "no-longer-listening", stores: []string{full}, specs: []string{still + one, still + two},
		seen: seen{ready: "True", reason: "SecretSynced", synced: no, secret: yes}, want: secretsv1.DeliveryStale,
	},
	{
		name: "no-controller", stores: []string{full}, specs: []string{fetch},
		seen: seen{ready: no, secret: no}, want: secretsv1.DeliveryNoController,
	},
}
