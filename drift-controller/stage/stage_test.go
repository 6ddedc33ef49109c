// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package stage_test

import (
	"testing"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

var ascending = []api.Stage{api.StageObserve, api.StageSync, api.StageSelfHeal, api.StagePrune}

func TestIncludes(t *testing.T) {
	for g, granted := range ascending {
		for n, needed := range ascending {
			if got := stage.Includes(granted, needed); got != (g >= n) {
				t.Errorf("%s includes %s: want %t, got %t", granted, needed, g >= n, got)
			}
		}
	}
	for _, word := range []api.Stage{"", "observe", "Everything"} {
		if stage.Includes(word, api.StageObserve) || stage.Includes(api.StagePrune, word) {
			t.Errorf("%q is no stage: it grants nothing and nothing grants it", word)
		}
	}
}

func TestEffective(t *testing.T) {
	by := func(s api.Stage, name string) stage.Limit { return stage.Limit{Stage: s, By: name} }
	cases := map[string]struct {
		reason  string
		ceiling api.Stage
		limits  []stage.Limit
		want    api.Stage
		heldBy  string
	}{
		"no limit":           {"the ceiling decides", api.StageSelfHeal, nil, api.StageSelfHeal, ""},
		"no ceiling":         {"left out, it is Observe", "", nil, api.StageObserve, ""},
		"no stage":           {"a word that nobody knows grants nothing", "Heal", nil, api.StageObserve, ""},
		"lower limit":        {"the limit holds it", api.StagePrune, []stage.Limit{by(api.StageSync, "Project")}, api.StageSync, "Project"},
		"higher limit":       {"a limit never raises", api.StageSync, []stage.Limit{by(api.StagePrune, "Project")}, api.StageSync, ""},
		"same limit":         {"what holds nothing is not named", api.StageSync, []stage.Limit{by(api.StageSync, "Project")}, api.StageSync, ""},
		"the lowest":         {"whatever the order", api.StagePrune, []stage.Limit{by(api.StageSelfHeal, "rollout"), by(api.StageObserve, "build"), by(api.StageSync, "Project")}, api.StageObserve, "build"},
		"the first of equal": {"one name is enough", api.StagePrune, []stage.Limit{by(api.StageSync, "Project"), by(api.StageSync, "rollout")}, api.StageSync, "Project"},
		"a limit of nothing": {"a limit that cannot be read is the lowest", api.StagePrune, []stage.Limit{by("", "rollout")}, api.StageObserve, "rollout"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, heldBy := stage.Effective(tc.ceiling, tc.limits...)
			if got != tc.want || heldBy != tc.heldBy {
				t.Errorf("%s: want %s held by %q, got %s held by %q", tc.reason, tc.want, tc.heldBy, got, heldBy)
			}
		})
	}
}

// TestNothingRaisesAStage: whatever limits there are, one more never gives a
// higher stage (promise 4).
func TestNothingRaisesAStage(t *testing.T) {
	words := append([]api.Stage{"", "Heal"}, ascending...)
	for _, ceiling := range words {
		for _, a := range words {
			for _, b := range words {
				one, _ := stage.Effective(ceiling, stage.Limit{Stage: a})
				two, _ := stage.Effective(ceiling, stage.Limit{Stage: a}, stage.Limit{Stage: b})
				other, _ := stage.Effective(ceiling, stage.Limit{Stage: b}, stage.Limit{Stage: a})
				if !stage.Includes(one, two) || two != other {
					t.Errorf("ceiling %q, limits %q %q: %s, then %s, in the other order %s", ceiling, a, b, one, two, other)
				}
			}
		}
	}
}
