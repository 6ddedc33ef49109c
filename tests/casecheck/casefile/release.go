// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// Release is one record of a Helm release: release-3-shop.yaml holds the
// manifest of revision 3 of the release shop.
type Release struct {
	Name     string
	Revision int
	Manifest string
	// Status is Helm's word, from a first line "# status: failed"; deployed
	// for the newest and superseded for the others if the file has none.
	Status string
}

var (
	releaseFile   = regexp.MustCompile(`^release-(\d+)-(.+)\.yaml$`)
	releaseStatus = regexp.MustCompile(`(?m)\A# status: (\S+)\n`)
)

func loadReleases(dir string) ([]Release, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "release-*.yaml"))
	if err != nil {
		return nil, err
	}
	var releases []Release
	for _, path := range paths {
		found := releaseFile.FindStringSubmatch(filepath.Base(path))
		if found == nil {
			return nil, fmt.Errorf("%s: want release-REVISION-NAME.yaml", filepath.Base(path))
		}
		revision, err := strconv.Atoi(found[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		r := Release{Name: found[2], Revision: revision, Manifest: string(data)}
		if status := releaseStatus.FindSubmatch(data); status != nil {
			r.Status = string(status[1])
		}
		releases = append(releases, r)
	}
	slices.SortFunc(releases, func(a, b Release) int { return a.Revision - b.Revision })
	return withStatuses(releases), nil
}

func withStatuses(releases []Release) []Release {
	for i := range releases {
		if releases[i].Status != "" {
			continue
		}
		releases[i].Status = "superseded"
		if i == len(releases)-1 {
			releases[i].Status = "deployed"
		}
	}
	return releases
}
