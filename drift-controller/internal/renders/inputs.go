// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

// ignoreFiles are those that leave files out without a word in any manifest.
var ignoreFiles = []string{".sourceignore", ".helmignore", ".krmignore"}

// inputs are short digests of what a render is made of beside manifests. What
// goes missing when one of them changes was perhaps not meant to.
func (c *Cache) inputs(req Request, o render.Options, external render.External, kind render.Kind, files fs.FS) map[string]string {
	in := map[string]string{
		"spec.path":               c.short(path.Clean(req.Spec.Path)),
		"spec.render":             c.short(req.Spec.Render),
		"spec.destination":        c.short(req.Namespace),
		"a value of the cluster":  c.short([]any{external.Layers, external.Variables}),
		"an ignore file":          c.short(ignored(files, req.Spec.Path)),
		"what the cluster serves": "",
	}
	if kind == render.Helm {
		in["what the cluster serves"] = c.short(o.Cluster) // only charts ask for it
	}
	return in
}

func (c *Cache) short(v any) string { return c.key.Digest(v)[:8] }

// ignored are the ignore files from the root of the artifact down to the path.
func ignored(files fs.FS, below string) []string {
	var found []string
	folder := "."
	steps := strings.Split(path.Clean(below), "/")
	for i := 0; ; i++ {
		for _, name := range ignoreFiles {
			text, err := fs.ReadFile(files, path.Join(folder, name))
			switch {
			case err == nil:
				found = append(found, path.Join(folder, name), string(text))
			case !errors.Is(err, fs.ErrNotExist):
				found = append(found, path.Join(folder, name), err.Error())
			}
		}
		if i == len(steps) {
			return found
		}
		folder = path.Join(folder, steps[i])
	}
}
