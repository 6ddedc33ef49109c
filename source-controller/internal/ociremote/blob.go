// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Bounds on how often a blob that breaks off is asked for again in one call: in
// all, and without getting further. The next call goes on where this one ended.
const (
	maxReconnects = 20
	maxFruitless  = 3
)

// Blob is the bytes of a blob. Read gives io.EOF only after all of them came
// and have the digest that was asked for; until then nothing may be believed.
type Blob struct {
	// Whoever stores a blob reads it beside the goroutine that closes it.
	mu sync.Mutex

	repository *Repository
	ctx        context.Context
	descriptor ocispec.Descriptor
	verifier   digest.Verifier

	part   part
	offset int64 // bytes given so far

	body       io.ReadCloser // nil while not connected
	reconnects int
	fruitless  int // since the last byte
	complete   bool
	failed     error
}

// part is what has come so far, for the next attempt.
type part struct {
	file   *os.File
	stored int64 // bytes in it when it was opened
}

// Blob opens a blob. What broke off earlier for the same owner is given from
// disk, and the registry is asked for the rest.
func (r *Repository) Blob(ctx context.Context, descriptor ocispec.Descriptor, owner string) (*Blob, error) {
	limit := r.registries.config.MaxBlobBytes
	if descriptor.Size < 0 || (limit > 0 && descriptor.Size > limit) {
		return nil, r.remote.fault(TooLarge, fmt.Sprintf("the layer %s of %s has %d bytes, the limit is %d", descriptor.Digest, r.Name(), descriptor.Size, limit))
	}
	if err := descriptor.Digest.Validate(); err != nil {
		return nil, r.remote.fault(Rubbish, fmt.Sprintf("%s names a layer by %q, which is no digest", r.Name(), descriptor.Digest))
	}
	b := &Blob{repository: r, ctx: ctx, descriptor: descriptor, verifier: descriptor.Digest.Verifier()}
	if err := b.open(owner); err != nil {
		return nil, &Error{Fault: Local, text: "cannot keep the layer on disk: " + err.Error(), cause: err}
	}
	return b, nil
}

// open finds what is there. Owners do not share: whoever can name a digest must
// not get bytes that another's credentials brought.
func (b *Blob) open(owner string) error {
	name := sha256.Sum256([]byte(owner + "\x00" + b.repository.Name() + "\x00" + b.descriptor.Digest.String()))
	path := filepath.Join(b.repository.registries.partials, hex.EncodeToString(name[:]))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	b.part = part{file: file, stored: min(info.Size(), b.descriptor.Size)}
	return nil
}

// Read gives the next bytes, from disk first.
func (b *Blob) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.next(p)
	if n > 0 {
		// Never fails, as a hash does not.
		_, _ = b.verifier.Write(p[:n])
		b.offset += int64(n)
	}
	if err != nil {
		b.failed = err
	}
	return n, err
}

func (b *Blob) next(p []byte) (int, error) {
	if b.offset < b.part.stored {
		n, err := b.part.file.ReadAt(p[:min(int64(len(p)), b.part.stored-b.offset)], b.offset)
		if n > 0 || err == nil {
			return n, nil
		}
		return 0, &Error{Fault: Local, text: "cannot read the layer from disk: " + err.Error(), cause: err}
	}
	if b.offset == b.descriptor.Size {
		return 0, b.verify()
	}
	n, err := b.receive(p[:min(int64(len(p)), b.descriptor.Size-b.offset)])
	if n > 0 {
		if _, err := b.part.file.WriteAt(p[:n], b.offset); err != nil {
			return 0, &Error{Fault: Local, text: "cannot keep the layer on disk: " + err.Error(), cause: err}
		}
	}
	return n, err
}

// verify decides about all that was given. Bytes that do not fit are thrown
// away, since going on from them could never succeed.
func (b *Blob) verify() error {
	if b.complete = b.verifier.Verified(); b.complete {
		return io.EOF
	}
	_ = b.part.file.Truncate(0)
	hint := "; the registry does not keep what it promised"
	if b.part.stored > 0 {
		hint = "; a part of it had come earlier and is fetched anew"
	}
	return b.repository.remote.fault(Rubbish, fmt.Sprintf("the layer of %s does not have the digest %s%s", b.repository.Name(), b.descriptor.Digest, hint))
}

// receive reads from the registry and reconnects where it breaks off.
func (b *Blob) receive(p []byte) (int, error) {
	for {
		if b.body == nil {
			if err := b.connect(); err != nil {
				return 0, err
			}
		}
		n, err := b.body.Read(p)
		if n > 0 {
			b.fruitless = 0
			return n, nil
		}
		if err == nil {
			continue
		}
		_ = b.body.Close()
		b.body = nil
		b.reconnects++
		b.fruitless++
		if b.ctx.Err() != nil || b.reconnects > maxReconnects || b.fruitless > maxFruitless {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, b.repository.remote.fail(fmt.Sprintf("the layer %s of %s broke off after %d of %d bytes",
				b.descriptor.Digest, b.repository.Name(), b.offset, b.descriptor.Size), cause(b.ctx, err))
		}
	}
}

// cause prefers the reason why a context ended to what a connection says then.
func cause(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	return err
}

// Close ends the transfer. A blob that is complete leaves nothing on disk; one
// that broke off leaves what came.
func (b *Blob) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed == nil {
		b.failed = fs.ErrClosed
	}
	var err error
	if b.body != nil {
		err = b.body.Close()
	}
	info, failed := b.part.file.Stat()
	if b.complete || (failed == nil && info.Size() == 0) {
		err = errors.Join(err, os.Remove(b.part.file.Name()))
	}
	return errors.Join(err, b.part.file.Close())
}
