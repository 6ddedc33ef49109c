// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeWebhookSecretLabel = Rule{
	ID:          "store-webhook-secret-label",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A webhook store reads only Secrets that bear the label external-secrets.io/type: webhook.",
	Remedy:      "Put the label on the Secret, in the template of what produces it.",
	Source:      "https://external-secrets.io/latest/provider/webhook/",
	Check:       checkStoreWebhookSecretLabel,
}

func checkStoreWebhookSecretLabel(in Input) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.credentials() {
		if !c.store.Webhook {
			continue
		}
		labels, known := in.labelsOfSecret(c.at())
		if known && labels["external-secrets.io/type"] != "webhook" {
			out = append(out, spot(c.store.Ref, c.At.Child("name"), "Secret %s lacks the label external-secrets.io/type: webhook, without which the store does not read it", c.Name))
		}
	}
	return out
}

// labelsOfSecret are the labels that a declared Secret will bear, where its
// producer says so in full.
func (in Input) labelsOfSecret(at secretName) (map[string]string, bool) {
	for _, secret := range in.Declared.Secrets {
		if secret.Ref.Namespace == at.namespace && secret.Ref.Name == at.name {
			return in.Declared.Metas[secret.Ref].Labels, true
		}
	}
	for _, sealed := range in.Declared.SealedSecrets {
		if sealed.Ref.Namespace == at.namespace && sealed.Ref.Name == at.name {
			return sealed.TemplateLabels, true
		}
	}
	for _, es := range in.Declared.ExternalSecrets {
		if es.Ref.Namespace == at.namespace && es.Target.Name == at.name {
			if es.Target.Template != nil {
				return es.Target.Template.Labels, true
			}
			return es.Labels, true
		}
	}
	return nil, false
}
