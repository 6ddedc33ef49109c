// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/conformance/casefile"
	"github.com/holdfast-gitops/holdfast/tests/conformance/play"
)

// workers of the subject, and cases that are played at the same time.
const workers = "--concurrent=8"

// TestCases plays every case on the subject, and on the oracle if there is one:
// there, what both showed must be the same but for what is deliberate.
func TestCases(t *testing.T) {
	h := open(t)
	cases, err := casefile.Load("cases")
	if err != nil {
		t.Fatal(err)
	}
	binary, oracle := os.Getenv(envSubject), os.Getenv(envOracle)
	players := []play.Player{h.player(t, binary, shardOf(oracle, "subject"))}
	if oracle != "" {
		players = append(players, h.player(t, oracle, "oracle"))
		players[0].Compared, players[1].Compared = true, true
	}
	t.Run("case", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				h.playOn(t, players, c)
			})
		}
	})
}

// shardOf labels objects only where two subjects have to share them.
func shardOf(oracle, name string) string {
	if oracle == "" {
		return ""
	}
	return name
}

func (h hall) player(t *testing.T, binary, shard string) play.Player {
	t.Helper()
	flags := []string{workers, "--requeue-dependency=1s"}
	if shard != "" {
		flags = append(flags, "--watch-label-selector="+play.ShardLabel+"="+shard)
	}
	s := h.subjectOf(t, binary, flags...)
	start(t, s)
	return play.Player{Stage: h.stage, Subject: s, Shard: shard, Ours: binary == ""}
}

func (h hall) playOn(t *testing.T, players []play.Player, c casefile.Case) {
	t.Helper()
	var records [][]play.Seen
	for _, player := range players {
		record, err := player.Play(t.Context(), cluster.Namespace(t, h.cluster), c)
		if err != nil {
			t.Errorf("%s%s: %v", player.Shard, c.About, err)
		}
		records = append(records, record)
	}
	if len(records) == 2 {
		compare(t, c, records[0], records[1])
	}
}

func compare(t *testing.T, c casefile.Case, got, want []play.Seen) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if reason := c.Deliberate(i); reason != "" {
			t.Logf("expectation %d differs on purpose: %s", i+1, reason)
			continue
		}
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Errorf("expectation %d (-oracle +subject):\n%s", i+1, diff)
		}
	}
}
