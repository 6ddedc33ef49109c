// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// ErrNoAction means that nothing of the case can be run as a command.
var ErrNoAction = errors.New("live-action.md has nothing that can be replayed")

// Acts says whether Act can make the state of the case: there are commands, and
// every remark between them stands for something that is understood.
func Acts(c casefile.Case) bool {
	for _, step := range c.Action {
		if step.Words != "" {
			return false
		}
	}
	return len(c.Action) > 0
}

// Act makes the live state anew with the commands of live-action.md, in a copy
// of the case's folder.
func (s *Stage) Act(ctx context.Context, c casefile.Case) error {
	return s.act(ctx, c, func(context.Context) error { return nil })
}

// act calls look after every step.
func (s *Stage) act(ctx context.Context, c casefile.Case, look func(context.Context) error) (err error) {
	if !Acts(c) {
		return ErrNoAction
	}
	if err := s.setUp(ctx, c); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "holdfast-case-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(dir, os.DirFS(c.Dir)); err != nil {
		return fmt.Errorf("copy of the case: %w", err)
	}
	if err := writeCA(filepath.Join(dir, "any-ca.pem")); err != nil {
		return err
	}
	for _, step := range c.Action {
		if err := s.step(ctx, c, dir, step); err != nil {
			return fmt.Errorf("live-action.md: %w", err)
		}
		if err := look(ctx); err != nil {
			return err
		}
	}
	return s.later(ctx, c)
}

func (s *Stage) step(ctx context.Context, c casefile.Case, dir string, step casefile.Step) error {
	switch {
	case step.Shell != "":
		return s.shell(ctx, dir, step.Shell, "")
	case step.Edit != "":
		editor, err := s.prepareEdit(ctx, c, dir, step.Edit)
		if err != nil {
			return err
		}
		return s.shell(ctx, dir, step.Edit, editor)
	case step.Apply != "":
		return s.cluster.ApplyFile(ctx, filepath.Join(dir, step.Apply), contract.DriftFieldManager)
	case step.CreateRecorded:
		return s.createRecorded(ctx, c)
	case step.Delete != "":
		return s.shell(ctx, dir, "kubectl delete "+step.Delete+namespaceFlag(c), "")
	}
	return fmt.Errorf("%q cannot be replayed", step.Words)
}

// namespaceFlag: what a tool deletes stands in the case's own namespace.
func namespaceFlag(c casefile.Case) string {
	if namespaces := c.Namespaces(); len(namespaces) == 1 {
		return " -n " + namespaces[0]
	}
	return ""
}

// createRecorded creates what live.yaml has and is not there, each in the name
// of the manager that is recorded for it.
func (s *Stage) createRecorded(ctx context.Context, c casefile.Case) error {
	uids := map[types.UID]types.UID{}
	for _, recorded := range inOrder(c.Live) {
		present, err := s.get(ctx, recorded.Unstructured)
		if err != nil {
			return err
		}
		if present == nil {
			if present, err = s.createAs(ctx, recorded, uids); err != nil {
				return err
			}
		}
		uids[recorded.GetUID()] = present.GetUID()
	}
	return nil
}

// others is the manager of a recorded object: the first that is not ours.
func others(recorded manifest.Object) string {
	for _, entry := range recorded.GetManagedFields() {
		if entry.Manager != contract.DriftFieldManager {
			return entry.Manager
		}
	}
	return setupManager
}

// prepareEdit writes what the editor of a kubectl edit has to leave behind: the
// object as it is, with the content of live.yaml.
func (s *Stage) prepareEdit(ctx context.Context, c casefile.Case, dir, line string) (editor string, err error) {
	fields := strings.Fields(line)
	if len(fields) < 4 {
		return "", fmt.Errorf("%q: want kubectl edit KIND NAME", line)
	}
	for _, recorded := range c.Live {
		if !strings.EqualFold(recorded.GetKind(), fields[2]) || recorded.GetName() != fields[3] {
			continue
		}
		present, err := s.get(ctx, recorded.Unstructured)
		if err != nil || present == nil {
			return "", errors.Join(err, fmt.Errorf("%q: the object is not there to edit", line))
		}
		path := filepath.Join(dir, "edited.json")
		return "cp -f " + path, writeEdited(path, present, recorded.Unstructured)
	}
	return "", fmt.Errorf("%q: live.yaml has no such object", line)
}
