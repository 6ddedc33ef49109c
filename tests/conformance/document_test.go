// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/conformance/casefile"
)

const document = root + "/docs/conformance.md"

// items are all of the contract. One that is missing here would be missing in
// the document unseen.
func items() []string {
	all := []string{"A-obs", "1.4", "1.5", "1.11 events", "1.11 receiver", "1.11 metrics"}
	for _, series := range []struct {
		letter string
		last   int
	}{{"A", 6}, {"G", 18}, {"O", 11}, {"C", 6}, {"R", 19}, {"S", 13}, {"I", 5}, {"AU", 8}, {"V", 6}, {"D", 8}, {"trap ", 18}} {
		for i := range series.last {
			all = append(all, fmt.Sprintf("%s%d", series.letter, i+1))
		}
	}
	return append(all,
		"--metrics-addr", "--health-addr", "--events-addr", "--concurrent", "--requeue-dependency", "--storage-path", "--storage-addr",
		"--storage-adv-addr", "--artifact-retention-ttl", "--artifact-retention-records", "--artifact-digest-algo", "--ssh-kex-algos",
		"--ssh-hostkey-algos", "--default-service-account", "--helm-index-max-size", "--helm-chart-max-size", "--helm-chart-file-max-size",
		"--helm-cache-max-size", "--helm-cache-ttl", "--helm-cache-purge-interval", "--log-level", "--log-encoding",
		"--enable-leader-election", "--leader-election-lease-duration", "--leader-election-renew-deadline", "--leader-election-retry-period",
		"--leader-election-release-on-cancel", "--min-retry-delay", "--max-retry-delay", "--interval-jitter-percentage",
		"--kube-api-qps", "--kube-api-burst", "--watch-all-namespaces", "--watch-label-selector", "--watch-configs-label-selector",
		"--token-cache-max-size", "--token-cache-max-duration", "--feature-gates",
	)
}

// row is a line of the document's tables.
type row struct{ item, result, what, shown string }

func rows(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var found []row
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 {
			continue
		}
		r := row{strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3]), strings.TrimSpace(cells[4])}
		if r.item != "item" && !strings.HasPrefix(r.item, "---") {
			found = append(found, r)
		}
	}
	return found
}

// TestDocumentIsComplete: no item is without a result, no result without a test
// that exists, and no difference without its reason.
func TestDocumentIsComplete(t *testing.T) {
	shown := proofs(t)
	seen := map[string]bool{}
	for _, r := range rows(t) {
		if seen[r.item] {
			t.Errorf("%s stands there twice", r.item)
		}
		seen[r.item] = true
		if !slices.Contains([]string{"identical", "deliberate", "unproven", "not offered"}, r.result) {
			t.Errorf("%s has the result %q", r.item, r.result)
		}
		if r.result != "identical" && r.what == "" {
			t.Errorf("%s differs without a reason", r.item)
		}
		for proof := range strings.SplitSeq(r.shown, ",") {
			if proof = strings.TrimSpace(proof); !shown[proof] && !exists(t, proof) {
				t.Errorf("%s is shown by %q, which is no case, test or file", r.item, proof)
			}
		}
	}
	for _, item := range items() {
		if !seen[item] {
			t.Errorf("%s has no result", item)
		}
		delete(seen, item)
	}
	for item := range seen {
		t.Errorf("%s is no item of the contract", item)
	}
}

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(root, path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return path != "" && err == nil
}

// proofs are the names of all cases and tests of the source-controller.
func proofs(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	cases, err := casefile.Load("cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		names[c.Name] = true
	}
	for _, folder := range []string{".", root + "/source-controller"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for line := range strings.Lines(string(text)) {
				if name, found := strings.CutPrefix(line, "func Test"); found {
					name, _, _ = strings.Cut(name, "(")
					names["Test"+name] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// TestCasesNameItems: what a case says it shows is in the contract.
func TestCasesNameItems(t *testing.T) {
	cases, err := casefile.Load("cases")
	if err != nil {
		t.Fatal(err)
	}
	all := items()
	for _, c := range cases {
		for _, item := range c.Items {
			if !slices.Contains(all, item) {
				t.Errorf("case %s shows %q, which is no item", c.Name, item)
			}
		}
	}
}
