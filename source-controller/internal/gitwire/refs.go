// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitwire

import (
	"fmt"
	"io"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
)

// Service is the program on the other side.
const Service = "git-upload-pack"

// Protocol is the value of the header Git-Protocol and the variable
// GIT_PROTOCOL.
const Protocol = "version=2"

const (
	peelSuffix   = "^{}"
	formatSHA1   = "sha1"
	formatSHA256 = "sha256"
	agent        = "agent=git/holdfast"
	// sentinel stands in for a first reference where a repository has none.
	sentinel = "capabilities" + peelSuffix
)

// Greeting is what a server says before it is asked anything.
type Greeting struct {
	// Lists tells that references have to be asked for (protocol 2). Otherwise
	// they are in Refs already.
	Lists bool
	// Refs are all of the server's, in protocol 0 and 1.
	Refs []reference.Ref
	// Format is how objects are named: sha1 or sha256.
	Format string
	// Filters tells that the server can leave out blobs of a transfer.
	Filters bool
}

// ReadGreeting reads a greeting up to its end.
func ReadGreeting(in io.Reader) (Greeting, error) {
	p := newPackets(in)
	what, line, err := p.next()
	if err == nil && what == data && strings.HasPrefix(line, "# service=") {
		// HTTP puts a line of its own before it.
		if what, _, err = p.next(); err == nil && what != flush {
			err = fmt.Errorf("%w: its greeting has no end after the name of the service", ErrProtocol)
		}
		if err == nil {
			what, line, err = p.next()
		}
	}
	switch {
	case err != nil:
		return Greeting{}, err
	case what == data && line == "version 2":
		return readCapabilities(p)
	case what == data && line == "version 1":
		if what, line, err = p.next(); err != nil {
			return Greeting{}, err
		}
	}
	if what != data {
		return Greeting{}, fmt.Errorf("%w: it said nothing", ErrProtocol)
	}
	return readAdvertised(p, line)
}

// readCapabilities reads the greeting of protocol 2.
func readCapabilities(p *packets) (Greeting, error) {
	greeting := Greeting{Format: formatSHA1}
	for {
		what, line, err := p.next()
		switch {
		case err != nil:
			return Greeting{}, err
		case what != data:
			if !greeting.Lists {
				return Greeting{}, fmt.Errorf("%w: it speaks version 2 and lists no references", ErrProtocol)
			}
			return greeting, checkFormat(greeting.Format)
		}
		key, value, _ := strings.Cut(line, "=")
		switch key {
		case "ls-refs":
			greeting.Lists = true
		case "object-format":
			greeting.Format = value
		case "fetch":
			greeting.Filters = hasWord(value, "filter")
		}
	}
}

// readAdvertised reads the greeting of protocol 0, whose first line carries the
// capabilities behind a NUL.
func readAdvertised(p *packets, first string) (Greeting, error) {
	line, capabilities, _ := strings.Cut(first, "\x00")
	greeting := Greeting{Format: formatSHA1, Filters: hasWord(capabilities, "filter")}
	for _, word := range strings.Fields(capabilities) {
		if format, found := strings.CutPrefix(word, "object-format="); found {
			greeting.Format = format
		}
	}
	if err := checkFormat(greeting.Format); err != nil {
		return Greeting{}, err
	}
	list := listing{format: greeting.Format}
	for {
		if err := list.addAdvertised(line); err != nil {
			return Greeting{}, err
		}
		what, next, err := p.next()
		switch {
		case err != nil:
			return Greeting{}, err
		case what != data:
			greeting.Refs = list.refs
			return greeting, nil
		}
		line = next
	}
}

func checkFormat(format string) error {
	if format == formatSHA1 || format == formatSHA256 {
		return nil
	}
	return fmt.Errorf("%w: it names objects by %.20q; sha1 and sha256 are known", ErrProtocol, format)
}

func hasWord(text, word string) bool {
	for _, w := range strings.Fields(text) {
		if w == word {
			return true
		}
	}
	return false
}

// Request asks a server of protocol 2 for the references that begin with one of
// the prefixes; none asks for all.
func Request(format string, prefixes []string) string {
	var b strings.Builder
	b.WriteString(packet("command=ls-refs"))
	b.WriteString(packet(agent))
	b.WriteString(packet("object-format=" + format))
	b.WriteString("0001")
	b.WriteString(packet("peel"))
	for _, prefix := range prefixes {
		b.WriteString(packet("ref-prefix " + prefix))
	}
	b.WriteString("0000")
	return b.String()
}

// Goodbye ends a conversation without a request.
const Goodbye = "0000"

// ReadRefs reads the answer to Request.
func ReadRefs(in io.Reader, format string) ([]reference.Ref, error) {
	p := newPackets(in)
	list := listing{format: format}
	for {
		what, line, err := p.next()
		switch {
		case err != nil:
			return nil, err
		case what == flush:
			return list.refs, nil
		case what != data:
			return nil, fmt.Errorf("%w: its list of references has no end", ErrProtocol)
		}
		if err := list.addListed(line); err != nil {
			return nil, err
		}
	}
}

// listing collects references.
type listing struct {
	format string
	refs   []reference.Ref
}

// addAdvertised takes "<object> <name>", and for the commit of an annotated tag
// a line of its own after it.
func (l *listing) addAdvertised(line string) error {
	hash, name, found := strings.Cut(line, " ")
	if name == sentinel || strings.HasPrefix(line, "shallow ") {
		return nil
	}
	if !found || !l.isHash(hash) || name == "" {
		return noReference(line)
	}
	if target, peeled := strings.CutSuffix(name, peelSuffix); peeled {
		if last := len(l.refs) - 1; last >= 0 && l.refs[last].Name == target {
			l.refs[last].Peeled = hash
		}
		return nil
	}
	l.refs = append(l.refs, reference.Ref{Name: name, Hash: hash})
	return nil
}

// addListed takes "<object> <name> [attribute:value]...".
func (l *listing) addListed(line string) error {
	fields := strings.Split(line, " ")
	if len(fields) < 2 || fields[1] == "" {
		return noReference(line)
	}
	if fields[0] == "unborn" {
		return nil
	}
	ref := reference.Ref{Name: fields[1], Hash: fields[0]}
	for _, attribute := range fields[2:] {
		if peeled, found := strings.CutPrefix(attribute, "peeled:"); found {
			ref.Peeled = peeled
		}
	}
	if !l.isHash(ref.Hash) || (ref.Peeled != "" && !l.isHash(ref.Peeled)) {
		return noReference(line)
	}
	l.refs = append(l.refs, ref)
	return nil
}

func noReference(line string) error {
	return fmt.Errorf("%w: it listed %.80q, which is no reference", ErrProtocol, line)
}

func (l *listing) isHash(text string) bool {
	length := 40
	if l.format == formatSHA256 {
		length = 64
	}
	return len(text) == length && strings.Trim(text, "0123456789abcdef") == ""
}
