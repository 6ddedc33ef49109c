// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"strconv"
	"strings"
	"time"
)

// Commit is what is known of a commit besides its tree.
type Commit struct {
	Hash      string
	Subject   string // the first line of the message, at most 50 characters
	Committed time.Time
}

// maxSubject is the length that events cut a subject to.
const maxSubject = 50

// parseCommit reads a commit object. Its text is whatever its author made it,
// so nothing of it is required: a missing part stays empty.
func parseCommit(hash, raw string) Commit {
	commit := Commit{Hash: hash}
	headers, message, _ := strings.Cut(raw, "\n\n")
	for _, line := range strings.Split(headers, "\n") {
		if who, found := strings.CutPrefix(line, "committer "); found {
			commit.Committed = commitTime(who)
			break
		}
	}
	subject, _, _ := strings.Cut(message, "\n")
	runes := []rune(strings.ToValidUTF8(subject, "?"))
	if len(runes) > maxSubject {
		runes = append(runes[:maxSubject:maxSubject], []rune("...")...)
	}
	commit.Subject = string(runes)
	return commit
}

// commitTime reads the seconds in "Name <mail> 1764500000 +0100".
func commitTime(who string) time.Time {
	fields := strings.Fields(who[strings.LastIndexByte(who, '>')+1:])
	if len(fields) == 0 {
		return time.Time{}
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
