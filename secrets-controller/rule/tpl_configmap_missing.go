// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"maps"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplConfigmapMissing = Rule{
	ID:          "tpl-configmap-missing",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The template comes from a ConfigMap, or a key of one, that nothing in Git declares: the operator cannot render and writes nothing.",
	Remedy:      "Correct the name, or declare the ConfigMap.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/255",
	Check:       checkTplConfigmapMissing,
}

func checkTplConfigmapMissing(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		var out []finding.Finding
		for _, from := range templateSources(es, "configMap") {
			texts, declared := in.configMap(es.Ref.Namespace, from.Name)
			if !declared {
				f := spot(es.Ref, from.NameAt(), "ConfigMap %s, from which the template comes, is not in Git%s", from.Name, suggestion(from.Name, in.configMapsIn(es.Ref.Namespace)))
				if unread, any := in.unreadIn(es.Ref.Namespace); any {
					f = graded(f, secretsv1.SeverityUnknown)
					f.Message = "whether Git declares ConfigMap " + from.Name + " cannot be told: " + unread.because()
				}
				out = append(out, f)
				continue
			}
			for _, item := range from.Items {
				if _, has := texts[item.Key]; !has {
					out = append(out, spot(es.Ref, item.At.Child("key"), "ConfigMap %s has no key %s; it has %s", from.Name, item.Key, listed(slices.Sorted(maps.Keys(texts)))))
				}
			}
		}
		return out
	})
}

func templateSources(es declaration.ExternalSecret, source string) []declaration.TemplateFrom {
	if es.Target.Template == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(es.Target.Template.From), func(from declaration.TemplateFrom) bool { return from.Source != source })
}

// configMap finds a declared ConfigMap and its texts by key.
func (in Input) configMap(namespace, name string) (map[string]declaration.TemplateText, bool) {
	for _, c := range slices.Concat(in.Declared.ConfigMaps, in.Neighbours.ConfigMaps) {
		if c.Ref.Namespace != namespace || c.Ref.Name != name {
			continue
		}
		texts := map[string]declaration.TemplateText{}
		for _, text := range c.Texts {
			texts[text.Key] = text
		}
		return texts, true
	}
	return nil, false
}

func (in Input) configMapsIn(namespace string) []string {
	var names []string
	for _, c := range slices.Concat(in.Declared.ConfigMaps, in.Neighbours.ConfigMaps) {
		if c.Ref.Namespace == namespace {
			names = append(names, c.Ref.Name)
		}
	}
	return names
}
