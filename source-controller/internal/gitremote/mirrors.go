// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
)

// Remote is a repository and how to reach it. The address carries no user
// information.
type Remote struct {
	Address *url.URL
	Auth    credentials.Auth
}

// Config is what Open needs.
type Config struct {
	// Root is the folder of the mirrors. One process uses it at a time.
	Root string
	// Environ is the controller's environment; git sees PATH and proxies of it.
	Environ []string
	// SystemCAs is a bundle in PEM that replaces git's default; empty keeps it.
	SystemCAs string
	// MaxMirrorBytes ends a transfer that makes a mirror larger; zero: no bound.
	MaxMirrorBytes int64
	// MaxEntries ends the reading of a tree with more files; zero: no bound.
	MaxEntries int
	// SSHProgram is what git starts to reach a host over SSH: a program that
	// calls sshlink.Pipe where its environment asks for it. Empty: this one.
	SSHProgram string
	// ListOnly: nothing is fetched here, so the git program is not needed.
	ListOnly bool
	// Algorithms restrict what SSH connections negotiate.
	Algorithms sshlink.Algorithms
}

// Mirrors are the bare mirrors under one root. It is safe for concurrent use:
// transfers into one mirror wait for each other, reading waits for nobody.
type Mirrors struct {
	git            *program
	mirrors        string
	scratch        string
	systemCAs      string
	key            []byte // of the fingerprints that name mirrors
	maxMirrorBytes int64
	maxEntries     int
	lock           *os.File
	ssh            sshSettings

	mu    sync.Mutex
	slots map[string]*slot // by mirror
	links map[string]*link // by mirror too
}

// sshSettings hold for every connection over SSH.
type sshSettings struct {
	program    string // what git starts
	algorithms sshlink.Algorithms
}

// slot is who is at work on a mirror.
type slot struct {
	writing chan struct{} // one token
	readers int           // open trees
	seen    bool          // whether this process has tidied the mirror
}

// Open prepares the root and checks that git can be run.
func Open(ctx context.Context, config Config) (*Mirrors, error) {
	root, err := filepath.Abs(config.Root)
	if err != nil {
		return nil, err
	}
	m := &Mirrors{
		mirrors:        filepath.Join(root, "mirrors"),
		scratch:        filepath.Join(root, "scratch"),
		systemCAs:      config.SystemCAs,
		maxMirrorBytes: config.MaxMirrorBytes,
		maxEntries:     config.MaxEntries,
		ssh:            sshSettings{config.SSHProgram, config.Algorithms},
		slots:          map[string]*slot{},
		links:          map[string]*link{},
	}
	if m.ssh.program == "" {
		if m.ssh.program, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("this program cannot be found again to reach hosts over SSH: %w", err)
		}
	}
	if m.lock, err = claim(root); err != nil {
		return nil, err
	}
	home := filepath.Join(root, "home")
	// Certificates of a process that was killed must not stay.
	err = errors.Join(os.RemoveAll(m.scratch), os.MkdirAll(m.mirrors, 0o700), os.MkdirAll(m.scratch, 0o700), os.MkdirAll(home, 0o700))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot prepare the folder of the Git mirrors %s: %w", root, err), m.Close())
	}
	if m.key, err = readOrMakeKey(filepath.Join(root, "key")); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	if config.ListOnly {
		return m, nil
	}
	if m.git, err = findProgram(ctx, root, baseEnvironment(config.Environ, home)); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// Close gives the root free for another process.
func (m *Mirrors) Close() error { return m.lock.Close() }

// claim makes the root a private folder of this process. The default lies in a
// folder that others may write to, so an existing one is not taken on trust.
func claim(root string) (*os.File, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the folder of the Git mirrors: %w", err)
	}
	info, err := os.Lstat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("the folder of the Git mirrors %s is a link or can be written by others; give another one by --git-mirror-path", root)
	}
	if owner, known := info.Sys().(*syscall.Stat_t); known && int(owner.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("the folder of the Git mirrors %s belongs to user %d; give another one by --git-mirror-path", root, owner.Uid)
	}
	lock, err := os.OpenFile(filepath.Join(root, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another process uses the folder of the Git mirrors %s; give another one by --git-mirror-path: %w", root, err), lock.Close())
	}
	return lock, nil
}

// readOrMakeKey keeps the key of the fingerprints across restarts, so that
// mirrors are found again.
func readOrMakeKey(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if err == nil && len(key) == sha256.Size {
		return key, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key = make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return key, os.WriteFile(path, key, 0o600)
}

// name is the folder of a remote's mirror.
func (m *Mirrors) name(remote Remote) string {
	digest := sha256.Sum256([]byte(remote.Address.String() + "\n" + remote.Auth.Fingerprint(m.key)))
	return hex.EncodeToString(digest[:16])
}

// acquire waits for a mirror, at most as long as the context lasts.
func (m *Mirrors) acquire(ctx context.Context, name string) (release func(), err error) {
	token := m.slot(name).writing
	select {
	case token <- struct{}{}:
		return func() { <-token }, nil
	case <-ctx.Done():
		return nil, &Error{Fault: TimedOut, Cause: ctx.Err(), Message: "another source of the same repository was being fetched for the whole of spec.timeout"}
	}
}

func (m *Mirrors) slot(name string) *slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.slots[name] == nil {
		m.slots[name] = &slot{writing: make(chan struct{}, 1)}
	}
	return m.slots[name]
}

// firstUse tells whether this process sees a mirror for the first time.
func (m *Mirrors) firstUse(s *slot) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	first := !s.seen
	s.seen = true
	return first
}

// reading counts an open tree, which keeps the mirror's packs where they are.
func (m *Mirrors) reading(s *slot) (done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.readers++
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		s.readers--
	})
}

func (m *Mirrors) isRead(s *slot) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return s.readers > 0
}

// Sweep removes mirrors that were last used before the given time, and tells
// how many. Mirrors in use are left alone.
func (m *Mirrors) Sweep(before time.Time) (int, error) {
	entries, err := os.ReadDir(m.mirrors)
	if err != nil {
		return 0, err
	}
	removed := 0
	var failures []error
	for _, entry := range entries {
		slot := m.slot(entry.Name())
		select {
		case slot.writing <- struct{}{}:
		default:
			continue
		}
		path := filepath.Join(m.mirrors, entry.Name())
		if info, err := entry.Info(); err == nil && info.ModTime().Before(before) && !m.isRead(slot) {
			failures = append(failures, os.RemoveAll(path))
			removed++
			m.forget(entry.Name())
		}
		<-slot.writing
	}
	return removed, errors.Join(failures...)
}

// forget closes the connections to a remote that nothing asks for.
func (m *Mirrors) forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l, found := m.links[name]; found {
		l.close()
		delete(m.links, name)
	}
}
