// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

var (
	// location is how the engine names a place in a template.
	location  = regexp.MustCompile(`([^\s()"<>:]+/[^\s()"<>:]+):(\d+)(?::\d+)?`)
	executing = regexp.MustCompile(`at <(.+?)>:`)
	nilValue  = regexp.MustCompile(`^nil pointer evaluating .+$`)
	spaces    = regexp.MustCompile(`\s+`)
)

const maxMessage = 512

// explain makes one line of an error of the engine: the file and line in the
// tree, what was evaluated there, and the values files that were in effect.
func (r *release) explain(err error) error {
	text := err.Error()
	places := location.FindAllStringSubmatch(text, -1)
	if len(places) == 0 {
		return fmt.Errorf("%s: %s%s", path.Join(r.dir, ChartFile), short(text), r.valueFiles())
	}
	// The engine tells the way down; the last place is where it went wrong.
	first, last := places[0], places[len(places)-1]
	message := problem(text)
	if found := executing.FindAllStringSubmatch(text, -1); len(found) > 0 {
		expression := found[len(found)-1][1]
		if nilValue.MatchString(message) {
			message = "nil pointer evaluating " + expression
		}
	}
	at := r.place(last[1]) + ":" + last[2]
	if outer := r.place(first[1]) + ":" + first[2]; outer != at {
		message += " (included from " + outer + ")"
	}
	return errors.New(at + ": " + short(message) + r.valueFiles())
}

// problem is what is left of a message once places and the way are taken off.
func problem(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if found := executing.FindAllStringIndex(last, -1); len(found) > 0 {
		last = last[found[len(found)-1][1]:]
	} else if end := location.FindStringIndex(last); end != nil && strings.Contains(last, "error at (") {
		last = strings.TrimLeft(last[end[1]:], "): ")
	}
	return strings.TrimSpace(last)
}

func short(message string) string {
	message = strings.TrimSpace(spaces.ReplaceAllString(message, " "))
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return message
}

func (r *release) valueFiles() string {
	if len(r.options.ValuesFiles) == 0 {
		return ""
	}
	return "; value files: " + strings.Join(r.options.ValuesFiles, ", ")
}

// explainOutput: the lines of a fault in rendered text are not those of the
// template, and must not be taken for them.
func (r *release) explainOutput(err error) error {
	var fault *manifest.Error
	if !errors.As(err, &fault) {
		return err
	}
	message := fault.Message
	if fault.Source.Line > 0 {
		message = fmt.Sprintf("line %d of its output: %s", fault.Source.Line, fault.Message)
	}
	return &manifest.Error{Kind: fault.Kind, Source: manifest.Source{File: fault.Source.File}, Message: message + r.valueFiles()}
}
