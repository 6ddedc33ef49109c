// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	yaml2 "go.yaml.in/yaml/v2"
)

var (
	yamlProblem   = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// syntaxError finds the line of a YAML error. The reader's own line cannot be
// used as it is: for an error of structure it names the line before the one
// where the enclosing block begins, which may be hundreds of lines away.
func syntaxError(file string, data []byte, cause error) error {
	line, problem := splitProblem(cause)
	switch {
	case strings.HasPrefix(problem, "did not find expected"):
		line = olderLine(data, problem, line) + 1
	case strings.HasPrefix(problem, "found a tab character"):
		line = olderLine(data, problem, line)
	case unknownAnchor.MatchString(problem):
		name := unknownAnchor.FindStringSubmatch(problem)[1]
		line = lineAt(data, bytes.Index(data, []byte("*"+name)))
	}
	return &Error{Kind: ErrSyntax, Source: Source{File: file, Line: max(line, 1)}, Message: problem}
}

func splitProblem(err error) (line int, problem string) {
	parts := yamlProblem.FindStringSubmatch(err.Error())
	if parts == nil {
		return 0, err.Error()
	}
	line, _ = strconv.Atoi(parts[1])
	return line, parts[2]
}

// olderLine asks the older reader for the line of the same problem: it names
// the line of the offending token (counted from zero for errors of structure)
// where its successor names the block around it.
func olderLine(data []byte, problem string, fallback int) int {
	documents := yaml2.NewDecoder(bytes.NewReader(data))
	for {
		var ignored any
		err := documents.Decode(&ignored)
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			return fallback
		}
		line, same := splitProblem(err)
		if same != problem {
			return fallback
		}
		return line
	}
}

// lineAt counts lines up to an offset, from 1.
func lineAt(data []byte, offset int) int {
	if offset < 0 {
		return 1
	}
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}
