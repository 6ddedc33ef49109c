// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitobject

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// Signed is an object's signature and the bytes that it was made over.
type Signed struct {
	Signature string // armored; empty for an object without one
	Payload   []byte
}

// Commit is what is known of a commit besides its tree.
type Commit struct {
	Signed
	Hash      string
	Subject   string // the first line of the message, at most 50 characters
	Committed time.Time
}

const (
	// maxSubject is the length that events cut a subject to.
	maxSubject   = 50
	sha256Length = 64
)

// Signature headers. Each names the kind of repository that it was made for.
const (
	signatureSHA1   = "gpgsig"
	signatureSHA256 = "gpgsig-sha256"
)

// ParseCommit reads a commit object.
func ParseCommit(hash string, raw []byte) Commit {
	commit := Commit{Hash: hash, Signed: splitHeaders(raw, headerFor(hash))}
	headers, message, _ := strings.Cut(string(raw), "\n\n")
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

func headerFor(hash string) string {
	if len(hash) == sha256Length {
		return signatureSHA256
	}
	return signatureSHA1
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

// splitHeaders takes the signature headers out, as Git does before it verifies:
// the one asked for is the signature, that of the other kind is dropped. A
// second signature of one kind makes the object unsigned: tools differ in which
// one they look at, and that difference would be somebody's way in.
func splitHeaders(raw []byte, own string) Signed {
	signed := Signed{Payload: make([]byte, 0, len(raw))}
	var signature strings.Builder
	seen, current := 0, ""
	rest := raw
	for len(rest) > 0 && rest[0] != '\n' {
		line := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line = rest[:end+1]
		}
		rest = rest[len(line):]
		text := string(line)
		switch {
		case strings.HasPrefix(text, " ") && current != "":
			text = text[1:]
		case strings.HasPrefix(text, signatureSHA1+" "), strings.HasPrefix(text, signatureSHA256+" "):
			current, text, _ = strings.Cut(text, " ")
			if current == own {
				seen++
			}
		default:
			current = ""
			signed.Payload = append(signed.Payload, line...)
			continue
		}
		if current == own {
			signature.WriteString(text)
		}
	}
	signed.Payload = append(signed.Payload, rest...)
	if seen == 1 {
		signed.Signature = signature.String()
	}
	return signed
}
