// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package health

// row is one group of kinds that kstatus alone judges wrong, and why.
type row struct {
	group                       string
	kinds                       []string
	why                         string
	current, inProgress, failed string
}

// Expressions that several rows use: a condition of a type, and its status.
const (
	isReady  = `has(status.conditions) && status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')`
	notReady = `has(status.conditions) && status.conditions.exists(c, c.type == 'Ready' && c.status == 'False')`
)

// table is in the order of groups. Flux's own kinds follow kstatus and need no
// row.
var table = []row{
	{
		group: "argoproj.io", kinds: []string{"Rollout"},
		why:        "observedGeneration is a text there, and the phase tells more than the conditions",
		current:    `has(status.phase) && status.phase == 'Healthy' && has(status.observedGeneration) && string(status.observedGeneration) == string(metadata.generation)`,
		inProgress: `!has(status.phase) || status.phase == 'Progressing' || status.phase == 'Paused'`,
		failed:     `has(status.phase) && status.phase == 'Degraded'`,
	},
	{
		group: "bitnami.com", kinds: []string{"SealedSecret"},
		why:     "it has no Ready, only Synced",
		current: `has(status.conditions) && status.conditions.exists(c, c.type == 'Synced' && c.status == 'True')`,
		failed:  `has(status.conditions) && status.conditions.exists(c, c.type == 'Synced' && c.status == 'False')`,
	},
	{
		group: "cert-manager.io", kinds: []string{"Certificate"},
		why:        "Ready is False while the first one is issued, which is no failure",
		current:    isReady,
		inProgress: `has(status.conditions) && status.conditions.exists(c, c.type == 'Issuing' && c.status == 'True')`,
		failed:     notReady,
	},
	{
		group: "cert-manager.io", kinds: []string{"ClusterIssuer", "Issuer"},
		why:     "one that is not Ready stays so until somebody helps",
		current: isReady, failed: notReady,
	},
	{
		group: "external-secrets.io", kinds: []string{"ClusterExternalSecret", "ClusterSecretStore", "ExternalSecret", "PushSecret", "SecretStore"},
		why:     "kstatus takes Ready=False for progress, and here it is an error of the store",
		current: isReady, failed: notReady,
	},
	{
		group: "flagger.app", kinds: []string{"Canary"},
		why:     "it has a phase, and Promoted instead of Ready",
		current: `has(status.phase) && (status.phase == 'Initialized' || status.phase == 'Succeeded')`,
		failed:  `has(status.phase) && status.phase == 'Failed'`,
	},
	{
		group: "keda.sh", kinds: []string{"ScaledJob", "ScaledObject"},
		why:     "not Ready is an error of the trigger",
		current: isReady, failed: notReady,
	},
}
