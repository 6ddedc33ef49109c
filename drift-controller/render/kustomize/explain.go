// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package kustomize

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// explain finds the fault behind an error of kustomize, which wraps the same
// text several times and may hold the content of a generator.
func explain(files *fileSystem, err error) error {
	if files.refusal != nil {
		return files.refusal
	}
	if interrupted := files.tree.Interrupted(); interrupted != nil {
		return interrupted
	}
	if fault := faultyFile(files, err); fault != nil {
		return fault
	}
	return errors.New(files.root + ": " + tidy(err.Error()))
}

// faultyFile reads the files that the error names again, with a reader that
// knows lines. A file that is only data of a ConfigMap is not named there.
func faultyFile(files *fileSystem, err error) error {
	for _, name := range files.tree.Inputs().Files() {
		isYAML := slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
		if !isYAML || !strings.Contains(err.Error(), path.Base(name)) {
			continue
		}
		data, readErr := files.tree.ReadFile(name)
		if readErr != nil {
			continue
		}
		if _, fault := (manifest.Decoder{}).Check(name, data); fault != nil {
			return fault
		}
	}
	return nil
}

var (
	// config and contents are parts of messages that quote text of generators
	// and patches, which may hold secrets.
	config   = regexp.MustCompile("(?s) with config: `.*`: ")
	contents = regexp.MustCompile("(?s)(with config: `|patch from \\[|literal sources?|invalid utf8 bytes).*")
	spaces   = regexp.MustCompile(`\s+`)
)

const maxMessage = 512

// tidy makes one readable line of a message of kustomize.
func tidy(message string) string {
	message = strings.ReplaceAll(message, mount+"/", "")
	message = strings.ReplaceAll(message, mount, ".")
	message = config.ReplaceAllString(message, ": ")
	message = contents.ReplaceAllString(message, "(content left out)")
	message = decisive(message)
	message = strings.TrimSpace(spaces.ReplaceAllString(message, " "))
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return message
}

// decisive picks the half of a message that matters. kustomize tries a name as
// a file and then as a folder, and reports both: what it said of the file is
// the fault if there is no such folder.
func decisive(message string) string {
	const (
		tried     = "accumulation err='"
		notFolder = "': must build at directory"
	)
	before, rest, found := strings.Cut(message, tried)
	if !found {
		return message
	}
	if asFile, _, isFile := strings.Cut(rest, notFolder); isFile {
		return before + decisive(asFile)
	}
	if end := strings.LastIndex(rest, "': "); end >= 0 {
		return before + decisive(rest[end+len("': "):])
	}
	return message
}
