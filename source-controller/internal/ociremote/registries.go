// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"
)

// Config is what Open needs.
type Config struct {
	// Root is the folder of blobs that are under way. One process uses it at a
	// time.
	Root string
	// MaxBlobBytes refuses larger blobs; zero: no bound.
	MaxBlobBytes int64
	// UserAgent is how the controller names itself to a registry.
	UserAgent string
}

// maxClients bounds how many connections settings are kept; an estate has a few
// registries and a few pull secrets.
const maxClients = 128

// Registries reads repositories of any registry. It is safe for concurrent use.
type Registries struct {
	config   Config
	partials string
	lock     *os.File
	key      []byte // of the fingerprints of connections

	mu      sync.Mutex
	clients map[string]*client
	used    map[string]time.Time
	tick    time.Time // a counter in the shape of a time, for the oldest
}

// Open prepares the folder.
func Open(config Config) (*Registries, error) {
	root, err := filepath.Abs(config.Root)
	if err != nil {
		return nil, err
	}
	r := &Registries{
		config:   config,
		partials: filepath.Join(root, "partial"),
		key:      make([]byte, sha256.Size),
		clients:  map[string]*client{},
		used:     map[string]time.Time{},
	}
	if r.lock, err = claim(root); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.partials, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot prepare the folder of OCI blobs %s: %w", root, err), r.Close())
	}
	if _, err := rand.Read(r.key); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close gives the folder free for another process.
func (r *Registries) Close() error { return r.lock.Close() }

// Scratch gives a file that vanishes when it is closed or the process ends.
func (r *Registries) Scratch() (*os.File, error) {
	file, err := os.CreateTemp(filepath.Dir(r.partials), "scratch-")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}

// claim makes the root a private folder of this process. The default lies in a
// folder that others may write to, so an existing one is not taken on trust.
func claim(root string) (*os.File, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the folder of OCI blobs: %w", err)
	}
	info, err := os.Lstat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("the folder of OCI blobs %s is a link or can be written by others; give another one by --oci-blob-path", root)
	}
	if owner, known := info.Sys().(*syscall.Stat_t); known && int(owner.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("the folder of OCI blobs %s belongs to user %d; give another one by --oci-blob-path", root, owner.Uid)
	}
	lock, err := os.OpenFile(filepath.Join(root, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another process uses the folder of OCI blobs %s; give another one by --oci-blob-path: %w", root, err), lock.Close())
	}
	return lock, nil
}

// Repository opens a repository. Connections, tokens and what is known of the
// registry are kept between calls with the same remote.
func (r *Registries) Repository(remote Remote) (*Repository, error) {
	print := remote.fingerprint(r.key)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tick = r.tick.Add(1)
	c, found := r.clients[print]
	if !found {
		var err error
		if c, err = newClient(remote, r.config.UserAgent); err != nil {
			return nil, err
		}
		r.makeRoom()
		r.clients[print] = c
	}
	r.used[print] = r.tick
	return &Repository{registries: r, client: c, remote: remote}, nil
}

// makeRoom drops what was not used for the longest time.
func (r *Registries) makeRoom() {
	if len(r.clients) < maxClients {
		return
	}
	oldest := ""
	for print, used := range r.used {
		if oldest == "" || used.Before(r.used[oldest]) {
			oldest = print
		}
	}
	r.clients[oldest].close()
	delete(r.clients, oldest)
	delete(r.used, oldest)
}

// Sweep removes blobs that broke off and were not asked for since.
func (r *Registries) Sweep(before time.Time) (int, error) {
	entries, err := os.ReadDir(r.partials)
	if err != nil {
		return 0, err
	}
	removed := 0
	var failed error
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || info.ModTime().After(before) {
			continue
		}
		if err := os.Remove(filepath.Join(r.partials, entry.Name())); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		removed++
	}
	return removed, failed
}

var _ auth.CredentialFunc = (&client{}).credential
