// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// Action is what live-action.md has to run, in order; empty if nothing.
type Action []Step

// Step is one thing that happens. Exactly one field is set.
type Step struct {
	// Shell is lines for a shell, as they stand.
	Shell string
	// Edit is a kubectl edit line: its editor has to write what live.yaml has.
	Edit string
	// Apply names a file that the drift-controller itself applies, by force.
	Apply string
	// CreateRecorded: somebody creates what live.yaml has and is not there yet.
	CreateRecorded bool
	// Delete is a KIND/NAME that a tool deletes.
	Delete string
	// Words are a remark that is none of these: the action cannot be replayed.
	Words string
}

// The remarks that stand for something a shell cannot do.
var (
	appliesItself = regexp.MustCompile(`the controller itself sends (\S+) as an apply patch`)
	creates       = regexp.MustCompile(`creates? .*as in live\.yaml`)
	deletes       = regexp.MustCompile(`^Helm deletes (\S+/\S+)`)
	scriptFence   = regexp.MustCompile("(?s)```sh\n(.*?)```")
)

// loadAction gives nil where there is no file or no script in it.
func loadAction(path string) (Action, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := scriptFence.FindSubmatch(data)
	if found == nil || !strings.Contains(string(found[1]), "kubectl") {
		return nil, nil
	}
	return parseAction(string(found[1])), nil
}

func parseAction(script string) Action {
	var action Action
	var shell, remark []string
	flush := func() {
		if len(shell) > 0 {
			action = append(action, Step{Shell: strings.Join(shell, "\n") + "\n"})
		}
		if len(remark) > 0 {
			action = append(action, remarkStep(strings.Join(remark, " ")))
		}
		shell, remark = nil, nil
	}
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		text, isRemark := strings.CutPrefix(strings.TrimSpace(line), "#")
		switch {
		case isRemark:
			if len(shell) > 0 {
				flush()
			}
			remark = append(remark, strings.TrimSpace(text))
		case strings.HasPrefix(line, "kubectl edit "):
			flush()
			action = append(action, Step{Edit: line})
		default:
			if len(remark) > 0 {
				flush()
			}
			shell = append(shell, line)
		}
	}
	flush()
	return action
}

func remarkStep(text string) Step {
	if found := appliesItself.FindStringSubmatch(text); found != nil {
		return Step{Apply: found[1]}
	}
	if found := deletes.FindStringSubmatch(text); found != nil {
		return Step{Delete: found[1]}
	}
	if creates.MatchString(text) {
		return Step{CreateRecorded: true}
	}
	return Step{Words: text}
}
