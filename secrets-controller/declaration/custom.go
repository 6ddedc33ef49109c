// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import "strings"

// crSecret is a field of a custom resource that names a Secret in its own
// namespace: path to the name and, where there is one, to the key beside it.
// An asterisk goes through a list.
type crSecret struct{ name, key string }

// customConsumers say where custom resources of widespread operators name
// Secrets. What is not listed is not followed; the rule crd-consumers says so.
var customConsumers = map[string][]crSecret{
	"cert-manager.io/Issuer": {
		{"spec.ca.secretName", ""}, {"spec.vault.auth.tokenSecretRef.name", "spec.vault.auth.tokenSecretRef.key"},
		{"spec.acme.externalAccountBinding.keySecretRef.name", "spec.acme.externalAccountBinding.keySecretRef.key"},
		{"spec.acme.solvers.*.dns01.cloudflare.apiTokenSecretRef.name", "spec.acme.solvers.*.dns01.cloudflare.apiTokenSecretRef.key"},
		{"spec.acme.solvers.*.dns01.route53.secretAccessKeySecretRef.name", "spec.acme.solvers.*.dns01.route53.secretAccessKeySecretRef.key"},
	},
	"monitoring.coreos.com/ServiceMonitor": {
		{"spec.endpoints.*.basicAuth.password.name", "spec.endpoints.*.basicAuth.password.key"},
		{"spec.endpoints.*.basicAuth.username.name", "spec.endpoints.*.basicAuth.username.key"},
		{"spec.endpoints.*.bearerTokenSecret.name", "spec.endpoints.*.bearerTokenSecret.key"},
		{"spec.endpoints.*.authorization.credentials.name", "spec.endpoints.*.authorization.credentials.key"},
		{"spec.endpoints.*.tlsConfig.keySecret.name", "spec.endpoints.*.tlsConfig.keySecret.key"},
	},
	"monitoring.coreos.com/PodMonitor": {
		{"spec.podMetricsEndpoints.*.basicAuth.password.name", "spec.podMetricsEndpoints.*.basicAuth.password.key"},
		{"spec.podMetricsEndpoints.*.bearerTokenSecret.name", "spec.podMetricsEndpoints.*.bearerTokenSecret.key"},
	},
	"monitoring.coreos.com/Alertmanager": {{"spec.configSecret", ""}},
	"postgresql.cnpg.io/Cluster": {
		{"spec.superuserSecret.name", ""}, {"spec.bootstrap.initdb.secret.name", ""},
		{"spec.backup.barmanObjectStore.s3Credentials.accessKeyId.name", "spec.backup.barmanObjectStore.s3Credentials.accessKeyId.key"},
		{"spec.backup.barmanObjectStore.s3Credentials.secretAccessKey.name", "spec.backup.barmanObjectStore.s3Credentials.secretAccessKey.key"},
	},
	"keda.sh/TriggerAuthentication":           {{"spec.secretTargetRef.*.name", "spec.secretTargetRef.*.key"}},
	"traefik.io/IngressRoute":                 {{"spec.tls.secretName", ""}},
	"traefik.io/Middleware":                   {{"spec.basicAuth.secret", ""}, {"spec.digestAuth.secret", ""}},
	"traefik.io/ServersTransport":             {{"spec.certificatesSecrets.*", ""}, {"spec.rootCAsSecrets.*", ""}},
	"networking.istio.io/Gateway":             {{"spec.servers.*.tls.credentialName", ""}},
	"velero.io/BackupStorageLocation":         {{"spec.credential.name", "spec.credential.key"}},
	"source.toolkit.fluxcd.io/Bucket":         {{"spec.secretRef.name", ""}},
	"notification.toolkit.fluxcd.io/Provider": {{"spec.secretRef.name", ""}},
	"notification.toolkit.fluxcd.io/Receiver": {{"spec.secretRef.name", ""}},
	"image.toolkit.fluxcd.io/ImageRepository": {{"spec.secretRef.name", ""}},
	"kafka.strimzi.io/KafkaUser":              {{"spec.authentication.password.valueFrom.secretKeyRef.name", "spec.authentication.password.valueFrom.secretKeyRef.key"}},
	"actions.github.com/AutoscalingRunnerSet": {{"spec.githubConfigSecret", ""}},
}

func readCustom(s *Set, object Object, _ Options) {
	for _, field := range customConsumers[object.group()+"/"+object.Ref.Kind] {
		names := object.root().each(strings.Split(field.name, "."))
		var keys []node
		if field.key != "" {
			keys = object.root().each(strings.Split(field.key, "."))
		}
		for i, name := range names {
			ref := Reference{By: object.Ref, Use: UseField, Namespace: object.Ref.Namespace, Secret: name.text(), SecretAt: name.at}
			if i < len(keys) {
				ref.Key, ref.KeyAt = keys[i].text(), keys[i].at
			}
			s.refer(ref)
		}
	}
}

// each follows a path through lists; every item stands for itself, also where
// the rest of the path is missing, so that two paths go side by side.
func (n node) each(path []string) []node {
	if len(path) == 0 {
		return []node{n}
	}
	if path[0] != "*" {
		return n.get(path[0]).each(path[1:])
	}
	var out []node
	for _, item := range n.items() {
		out = append(out, item.each(path[1:])...)
	}
	return out
}
