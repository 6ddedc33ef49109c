// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// typeKeys are the keys without which the API server refuses a Secret of a
// type. Where any of several is enough they stand in one group.
var typeKeys = map[string][][]string{
	"kubernetes.io/tls":              {{"tls.crt"}, {"tls.key"}},
	"kubernetes.io/dockerconfigjson": {{".dockerconfigjson"}},
	"kubernetes.io/dockercfg":        {{".dockercfg"}},
	"kubernetes.io/basic-auth":       {{"username", "password"}},
	"kubernetes.io/ssh-auth":         {{"ssh-privatekey"}},
}

// missingTypeKeys finds ExternalSecrets whose template sets a type and whose
// keys cannot be those of the type.
func (in Input) missingTypeKeys(types ...string) []finding.Finding {
	var out []finding.Finding
	for _, es := range in.Declared.ExternalSecrets {
		template := es.Target.Template
		if template == nil || adds(es.Target.Creation) {
			continue // with Merge the type and the keys are the base's
		}
		for _, kind := range types {
			if template.Type != kind {
				continue
			}
			if missing := absentGroups(in.Declared.TargetKeys(es.Spec, es.Ref.Namespace), typeKeys[kind]); len(missing) > 0 {
				out = append(out, finding.Finding{
					Object: es.Ref, Path: string(template.At),
					Message: fmt.Sprintf("a Secret of type %s needs %s, and the template writes %s",
						kind, strings.Join(missing, " and "), listed(in.Declared.TargetKeys(es.Spec, es.Ref.Namespace).Known)),
				})
			}
		}
	}
	return out
}

func absentGroups(keys declaration.Keys, groups [][]string) []string {
	var missing []string
	for _, group := range groups {
		satisfied := false
		for _, key := range group {
			if certainty, _ := keys.Has(key); certainty != declaration.KeyAbsent {
				satisfied = true
			}
		}
		if !satisfied {
			missing = append(missing, strings.Join(group, " or "))
		}
	}
	return missing
}
