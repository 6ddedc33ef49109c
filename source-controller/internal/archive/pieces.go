// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// errDamaged is an earlier archive whose bytes changed since they were stored.
var errDamaged = errors.New("an earlier archive is damaged")

const (
	// A group ends at an entry whose path says so, once it is groupAim long, so
	// that an edit moves the ends of the groups near it and of no others. A group
	// ends at groupMax in any case.
	groupAim  = 64 << 10
	groupMax  = 1 << 20
	groupOdds = 16
	// pieceSize cuts the tar of a group into members, so that a large file is
	// neither held in memory nor compressed again as a whole.
	pieceSize = 4 << 20
	blockSize = 512
)

// group is a run of entries that is packed together.
type group struct {
	nodes []node
	size  int64 // of its tar
	key   key   // zero if a digest is not known
}

// writePieces packs nodes as members, and copies from the donor those whose
// content follows from the same. It gives how many bytes were copied.
func writePieces(w io.Writer, tree Tree, nodes []node, donor *Donor) (int64, error) {
	groups, err := split(nodes)
	if err != nil {
		return 0, err
	}
	p := &packer{w: w, tree: tree, donor: donor, line: newLine(w)}
	defer p.line.leave()
	for _, g := range groups {
		if err := p.group(g); err != nil {
			return p.reused, err
		}
	}
	// A tar ends with two empty blocks.
	end := p.line.next()
	end.key = sha256.Sum256([]byte("end"))
	end.content.Write(make([]byte, 2*blockSize))
	if err := p.line.start(end); err != nil {
		return p.reused, err
	}
	return p.reused, p.line.drain()
}

// split makes groups of nodes. Where one ends depends on its own entries alone.
func split(nodes []node) ([]group, error) {
	var groups []group
	var current group
	for i, n := range nodes {
		size, err := sizeInTar(n)
		if err != nil {
			return nil, err
		}
		current.nodes = append(current.nodes, n)
		current.size += size
		if i == len(nodes)-1 || current.size >= groupMax || (current.size >= groupAim && isEnd(n.entry.Path)) {
			current.key = keyOf(current.nodes)
			groups = append(groups, current)
			current = group{}
		}
	}
	return groups, nil
}

func isEnd(path string) bool {
	h := fnv.New32a()
	_, _ = io.WriteString(h, path) // a hash takes everything
	return h.Sum32()%groupOdds == 0
}

// sizeInTar is what an entry takes in the tar. Long names take more headers.
func sizeInTar(n node) (int64, error) {
	size := int64(blockSize)
	if len(n.entry.Path) >= 100 || !isPlain(n.entry.Path) || n.entry.Size >= 1<<33 {
		var headers counter
		if err := tar.NewWriter(&headers).WriteHeader(header(n)); err != nil {
			return 0, fmt.Errorf("cannot pack %q: %w", n.entry.Path, err)
		}
		size = int64(headers)
	}
	if n.folder {
		return size, nil
	}
	return size + (n.entry.Size+blockSize-1)/blockSize*blockSize, nil
}

func isPlain(name string) bool {
	for i := range len(name) {
		if name[i] >= 0x80 || name[i] == 0 {
			return false
		}
	}
	return true
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// keyOf names what a group's tar follows from.
func keyOf(nodes []node) key {
	h := sha256.New()
	for _, n := range nodes {
		if !n.folder && n.entry.Digest == "" {
			return key{}
		}
		digest := n.entry.Digest
		if n.folder {
			digest = ""
		}
		// Lengths first, so that no two lists read the same.
		fmt.Fprintf(h, "%d %d %d %d ", n.entry.Kind, n.entry.Size, len(n.entry.Path), len(digest))
		_, _ = io.WriteString(h, n.entry.Path)
		_, _ = io.WriteString(h, digest)
	}
	return key(h.Sum(nil))
}

// piece is the key of one member of a group.
func (g group) piece(number int64) key {
	if g.key == (key{}) {
		return key{}
	}
	var text [keyLength + 8]byte
	copy(text[:], g.key[:])
	binary.LittleEndian.PutUint64(text[keyLength:], uint64(number))
	return sha256.Sum256(text[:])
}

func (g group) pieces() int64 { return (g.size + pieceSize - 1) / pieceSize }

// packer writes members.
type packer struct {
	w      io.Writer
	tree   Tree
	donor  *Donor
	reused int64

	line    *line
	filling *job // the piece that is being filled, nil for none
	current group
	number  int64
}

// group writes the members of a group: copied if the donor has all of them, or
// else made from the tree.
func (p *packer) group(g group) error {
	if g.key != (key{}) {
		if copied, err := p.copied(g); copied || err != nil {
			return err
		}
	}
	p.current, p.number = g, 0
	tarball := tar.NewWriter(p)
	if err := addNodes(tarball, p.tree, g.nodes); err != nil {
		return err
	}
	// Flush pads the last file; Close would end the tar.
	if err := tarball.Flush(); err != nil {
		return fmt.Errorf("cannot pack %q: %w", g.nodes[len(g.nodes)-1].entry.Path, err)
	}
	return p.flush()
}

// copied writes a group from the donor, if all of it is there and whole: the
// tree cannot take over once something was written.
func (p *packer) copied(g group) (bool, error) {
	for i := range g.pieces() {
		if !p.donor.has(g.piece(i)) {
			return false, nil
		}
		if _, err := p.donor.read(g.piece(i)); err != nil {
			return false, nil // damaged: the tree has it too
		}
	}
	if err := p.line.drain(); err != nil {
		return false, err
	}
	for i := range g.pieces() {
		member, err := p.donor.read(g.piece(i))
		if err != nil {
			return false, err
		}
		if _, err := p.w.Write(member); err != nil {
			return false, err
		}
		p.reused += int64(len(member))
	}
	return true, nil
}

// Write takes the tar of the current group, and cuts it into pieces.
func (p *packer) Write(b []byte) (int, error) {
	written := len(b)
	for len(b) > 0 {
		if p.filling == nil {
			p.filling = p.line.next()
		}
		content := &p.filling.content
		room := min(pieceSize-content.Len(), len(b))
		content.Write(b[:room])
		b = b[room:]
		if content.Len() == pieceSize {
			if err := p.flush(); err != nil {
				return 0, err
			}
		}
	}
	return written, nil
}

func (p *packer) flush() error {
	if p.filling == nil {
		return nil
	}
	full := p.filling
	p.filling = nil
	full.key = p.current.piece(p.number)
	p.number++
	return p.line.start(full)
}
