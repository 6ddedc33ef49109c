// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitclone

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/config"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitobject"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
)

// maxText bounds commits, tags and configuration files.
const maxText = 1 << 20

// tree reads what was cloned as gitremote reads a mirror.
func (c *Clones) tree(ctx context.Context, got cloned, disk *disk) (*gitremote.Tree, error) {
	content := gitremote.Content{Copy: disk.copy, Settings: disk.settings, Close: disk.close}
	commit, err := disk.text(plumbing.CommitObject, got.commit)
	if err == nil {
		content.Commit = gitobject.ParseCommit(got.commit, commit)
		content.Tag, err = disk.tag(got.tag)
	}
	if err == nil {
		content.Entries, err = disk.list(ctx, got.commit, c.config.MaxEntries)
	}
	if err != nil {
		disk.close()
		return nil, err
	}
	return gitremote.NewTree(content), nil
}

func (d *disk) tag(hash string) (*gitobject.Tag, error) {
	if hash == "" {
		return nil, nil
	}
	raw, err := d.text(plumbing.TagObject, hash)
	if err != nil {
		return nil, err
	}
	tag := gitobject.ParseTag(hash, raw)
	return &tag, nil
}

// text reads a small object as it is stored.
func (d *disk) text(kind plumbing.ObjectType, hash string) ([]byte, error) {
	found, err := d.objects.EncodedObject(kind, plumbing.NewHash(hash))
	if err != nil {
		return nil, broken(fmt.Sprintf("cannot read the %s %s", kind, hash), err)
	}
	if found.Size() > maxText {
		return nil, &gitremote.Error{Fault: gitremote.TooLarge, Message: fmt.Sprintf("the %s %s has %d bytes, at most %d are read", kind, hash, found.Size(), maxText)}
	}
	var raw bytes.Buffer
	err = copyObject(&raw, found)
	return raw.Bytes(), err
}

func copyObject(w io.Writer, from plumbing.EncodedObject) error {
	r, err := from.Reader()
	if err != nil {
		return broken("cannot read the object "+from.Hash().String(), err)
	}
	defer r.Close()
	if _, err := io.Copy(w, r); err != nil {
		return fmt.Errorf("cannot copy object %s: %w", from.Hash(), err)
	}
	return nil
}

func (d *disk) copy(w io.Writer, entry archive.Entry) error {
	blob, err := d.objects.EncodedObject(plumbing.BlobObject, plumbing.NewHash(entry.ID))
	if err != nil {
		return broken("cannot read the object "+entry.ID, err)
	}
	return copyObject(w, blob)
}

// close removes the clone.
func (d *disk) close() {
	_ = d.objects.Close()
	_ = os.RemoveAll(d.folder)
}

// list walks the tree. Names are joined as they are: cleaning them would hide
// those that nobody may pack.
func (d *disk) list(ctx context.Context, commit string, most int) ([]archive.Entry, error) {
	top, err := object.GetCommit(d.objects, plumbing.NewHash(commit))
	if err != nil {
		return nil, broken("cannot read the commit "+commit, err)
	}
	type folder struct {
		prefix string
		hash   plumbing.Hash
	}
	var entries []archive.Entry
	folders := []folder{{hash: top.TreeHash}}
	for seen := 0; len(folders) > 0; seen++ {
		at := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tree, err := object.GetTree(d.objects, at.hash)
		if err != nil {
			return nil, broken("cannot read the folder "+at.prefix, err)
		}
		for _, e := range tree.Entries {
			if e.Mode == filemode.Dir {
				folders = append(folders, folder{prefix: at.prefix + e.Name + "/", hash: e.Hash})
				continue
			}
			entry, err := d.entry(at.prefix, e)
			if err != nil {
				return nil, err
			}
			entries = append(entries, entry)
		}
		// A tree of empty folders has no file that would count.
		if most > 0 && max(len(entries), seen+len(folders)) > most {
			return nil, &gitremote.Error{Fault: gitremote.TooLarge, Message: fmt.Sprintf("the tree has more than %d files", most)}
		}
	}
	return entries, nil
}

func (d *disk) entry(prefix string, e object.TreeEntry) (archive.Entry, error) {
	entry := archive.Entry{Path: prefix + e.Name, ID: e.Hash.String(), Digest: e.Hash.String()}
	switch e.Mode {
	case filemode.Submodule:
		entry.Kind = archive.Folder
		return entry, nil
	case filemode.Symlink:
		entry.Kind = archive.Symlink
	case filemode.Executable:
		entry.Kind = archive.Executable
	case filemode.Regular, filemode.Deprecated:
		entry.Kind = archive.File
	default:
		return entry, &gitremote.Error{Fault: gitremote.Unsupported, Message: fmt.Sprintf("the path %q has the unknown mode %s", entry.Path, e.Mode)}
	}
	size, err := d.objects.EncodedObjectSize(e.Hash)
	if err != nil {
		return entry, broken(fmt.Sprintf("cannot read the size of %q", entry.Path), err)
	}
	entry.Size = size
	return entry, nil
}

// settings reads a configuration file and prints it as git config does.
func (d *disk) settings(_ context.Context, id string) (string, error) {
	raw, err := d.text(plumbing.BlobObject, id)
	if err != nil {
		return "", err
	}
	read := config.New()
	if err := config.NewDecoder(bytes.NewReader(raw)).Decode(read); err != nil {
		return "", err
	}
	var out strings.Builder
	for _, section := range read.Sections {
		for _, sub := range section.Subsections {
			for _, option := range sub.Options {
				fmt.Fprintf(&out, "%s.%s.%s\n%s\x00", strings.ToLower(section.Name), sub.Name, strings.ToLower(option.Key), option.Value)
			}
		}
	}
	return out.String(), nil
}

func broken(message string, cause error) error {
	return &gitremote.Error{Fault: gitremote.Broken, Message: message + ": " + cause.Error(), Cause: cause}
}
