// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// ErrNotKept: no render that is kept has the object.
var ErrNotKept = errors.New("no render that the controller keeps on its volume has it")

// keptFor is how long what a render dropped is kept: longer than an undo is
// offered.
const keptFor = 30 * 24 * time.Hour

// kept is one manifest as the last render had it that declared it.
type kept struct {
	ID       manifest.ID    `json:"id"`
	Revision string         `json:"revision"`
	Object   map[string]any `json:"object"`
}

// Keep remembers a render for an undo: its manifests, and those of the render
// before that this one has no more. No Secret and nothing that holds a value of
// one is written down.
func (c *Cache) Keep(req Request, r *Rendered, set desired.Set) error {
	folder := filepath.Join(c.keptIn, c.secret(req.App))
	if err := os.MkdirAll(filepath.Join(folder, "gone"), 0o700); err != nil {
		return fmt.Errorf("keeping a render: %w", err)
	}
	before, err := lastKept(folder)
	if err != nil {
		return err
	}
	for _, k := range before {
		if !set.Declares(k.ID) {
			if err := writeJSON(goneFile(folder, k.ID), k); err != nil {
				return err
			}
		}
	}
	now := make([]kept, 0, len(set.Objects))
	for _, o := range set.Objects {
		if o.ID().Kind == "Secret" && o.ID().Group == "" || len(r.Result.Tainted(o.ID())) > 0 {
			continue
		}
		full, err := o.Full()
		if err != nil {
			return err
		}
		now = append(now, kept{ID: o.ID(), Revision: req.Artifact.Revision, Object: full.Object})
	}
	if err := writeJSON(filepath.Join(folder, "last.json"), now); err != nil {
		return err
	}
	return c.forgetOld(filepath.Join(folder, "gone"))
}

// Kept gives an object as it was last declared.
func (c *Cache) Kept(app types.NamespacedName, id manifest.ID) (*unstructured.Unstructured, error) {
	text, err := os.ReadFile(goneFile(filepath.Join(c.keptIn, c.secret(app)), id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotKept
	}
	if err != nil {
		return nil, fmt.Errorf("reading a kept render: %w", err)
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("a kept render is damaged (%w): %w", ErrNotKept, err)
	}
	if k.ID != id {
		return nil, fmt.Errorf("a kept render is of %s (%w)", k.ID, ErrNotKept)
	}
	return &unstructured.Unstructured{Object: k.Object}, nil
}

func lastKept(folder string) ([]kept, error) {
	text, err := os.ReadFile(filepath.Join(folder, "last.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the last render: %w", err)
	}
	var before []kept
	if json.Unmarshal(text, &before) != nil {
		return nil, nil // damaged: it is written anew, and an undo says what is missing
	}
	return before, nil
}

func goneFile(folder string, id manifest.ID) string {
	sum := sha256.Sum256([]byte(id.String()))
	return filepath.Join(folder, "gone", hex.EncodeToString(sum[:16])+".json")
}

func (c *Cache) forgetOld(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("listing kept renders: %w", err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err == nil && c.now().Sub(info.ModTime()) > keptFor {
			err = os.Remove(filepath.Join(folder, f.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forgetting an old render: %w", err)
		}
	}
	return nil
}

// writeJSON replaces a file as a whole, or leaves it as it is.
func writeJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("keeping a render: %w", err)
	}
	if err := os.WriteFile(path+".partial", text, 0o600); err != nil {
		return fmt.Errorf("keeping a render: %w", err)
	}
	if err := os.Rename(path+".partial", path); err != nil {
		return fmt.Errorf("keeping a render: %w", err)
	}
	return nil
}
