// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"strconv"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// waveAnnotations order the objects of an application, for the tools that
// people come from.
var waveAnnotations = []string{"argocd.argoproj.io/sync-wave", "helm.sh/hook-weight"}

// Waves reads the order that objects ask for; nil if none of them does. What
// is no number is the wave of everybody else.
func Waves(objects []Object) map[manifest.ID]int {
	waves := map[manifest.ID]int{}
	for _, o := range objects {
		if o.Unstructured == nil {
			continue
		}
		annotations := o.GetAnnotations()
		for _, key := range waveAnnotations {
			const widest = 1 << 20
			wave, err := strconv.Atoi(strings.TrimSpace(annotations[key]))
			if err == nil && wave != 0 && wave > -widest && wave < widest {
				waves[o.ID()] = wave
			}
		}
	}
	if len(waves) == 0 {
		return nil
	}
	return waves
}
