// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitserver serves real Git repositories over HTTP, HTTPS and SSH:
// Git's own programs behind a loopback port.
//
// In: a folder. Out: bare repositories with a URL each, into which trees are
// committed. It has no working trees: commits are made from file contents.
package gitserver

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Server serves the repositories below its folder.
type Server struct {
	dir      string
	listener net.Listener
	http     *http.Server
	user     string
	password string
	scheme   string

	// CA is what a client of StartTLS has to trust, as PEM.
	CA []byte
	// BeforePush is called before a push is taken, after its client has read the
	// references: whoever commits in it was faster. It is set before any request.
	BeforePush func()
}

// Start serves a folder. With a user, every request has to carry it and the
// password.
func Start(dir, user, password string) (*Server, error) {
	s := &Server{dir: dir, user: user, password: password, scheme: "http"}
	backend, err := s.backend()
	if err != nil {
		return nil, err
	}
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("listening for the Git server: %w", err)
	}
	s.http = &http.Server{Handler: s.guard(backend), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(s.listener) }() // it ends with Stop
	return s, nil
}

// StartTLS does the same with a certificate that nobody trusts yet.
func StartTLS(dir, user, password string) (*Server, error) {
	s := &Server{dir: dir, user: user, password: password, scheme: "https"}
	backend, err := s.backend()
	if err != nil {
		return nil, err
	}
	secure := httptest.NewUnstartedServer(s.guard(backend))
	secure.StartTLS()
	s.listener, s.http = secure.Listener, secure.Config
	s.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	return s, nil
}

func (s *Server) backend() (http.Handler, error) {
	root, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return nil, fmt.Errorf("asking git where its programs are: %w", err)
	}
	return &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(root)), "git-http-backend"),
		Env: []string{
			"GIT_PROJECT_ROOT=" + s.dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
			// Whoever may ask may push: the server is on loopback, or asks for a password.
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.receivepack", "GIT_CONFIG_VALUE_0=true",
		},
		Stderr: io.Discard,
	}, nil
}

func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if s.user != "" && (user != s.user || password != s.password) {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "authentication required", http.StatusUnauthorized)
			return
		}
		if s.BeforePush != nil && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/git-receive-pack") {
			s.BeforePush()
		}
		next.ServeHTTP(w, r)
	})
}

// URL is where a repository is served.
func (s *Server) URL(name string) string {
	return s.scheme + "://" + s.listener.Addr().String() + "/" + name
}

// Stop ends the server.
func (s *Server) Stop() error { return s.http.Close() }

// Repository is a bare repository with one branch, main.
type Repository struct {
	dir  string
	Name string
	URL  string
}

// Create makes an empty repository.
func (s *Server) Create(ctx context.Context, name string) (*Repository, error) {
	r := &Repository{dir: filepath.Join(s.dir, name), Name: name, URL: s.URL(name)}
	if _, err := r.git(ctx, nil, nil, "init", "--quiet", "--bare", "--initial-branch=main", r.dir); err != nil {
		return nil, err
	}
	return r, nil
}

// Commit puts files on top of the branch and gives the new commit. A nil
// content removes the file. Times are the caller's, so that history can be old.
func (r *Repository) Commit(ctx context.Context, message string, at time.Time, files map[string][]byte) (string, error) {
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(r.dir, "commit.index")}
	defer os.Remove(filepath.Join(r.dir, "commit.index"))
	parent, err := r.git(ctx, nil, nil, "rev-parse", "--verify", "--quiet", "refs/heads/main")
	if err == nil {
		if _, err := r.git(ctx, index, nil, "read-tree", parent); err != nil {
			return "", err
		}
	}
	for path, content := range files {
		if err := r.stage(ctx, index, path, content); err != nil {
			return "", err
		}
	}
	tree, err := r.git(ctx, index, nil, "write-tree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree, "-m", message}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	commit, err := r.git(ctx, identity(at), nil, args...)
	if err != nil {
		return "", err
	}
	_, err = r.git(ctx, nil, nil, "update-ref", "refs/heads/main", commit)
	return commit, err
}

func (r *Repository) stage(ctx context.Context, index []string, path string, content []byte) error {
	if content == nil {
		_, err := r.git(ctx, index, nil, "update-index", "--force-remove", path)
		return err
	}
	blob, err := r.git(ctx, nil, content, "hash-object", "-w", "--stdin")
	if err != nil {
		return err
	}
	_, err = r.git(ctx, index, nil, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+path)
	return err
}

// CommitFolder commits every file of a folder, at the root of the repository.
func (r *Repository) CommitFolder(ctx context.Context, message string, at time.Time, dir string) (string, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = content
		return err
	})
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", dir, err)
	}
	return r.Commit(ctx, message, at, files)
}

func identity(at time.Time) []string {
	date := at.UTC().Format(time.RFC3339)
	return []string{
		"GIT_AUTHOR_NAME=Anna Example", "GIT_AUTHOR_EMAIL=anna@example.com", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=Anna Example", "GIT_COMMITTER_EMAIL=anna@example.com", "GIT_COMMITTER_DATE=" + date,
	}
}

func (r *Repository) git(ctx context.Context, env []string, stdin []byte, args ...string) (string, error) {
	if args[0] != "init" {
		args = append([]string{"--git-dir", r.dir}, args...)
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	}, env...)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return "", fmt.Errorf("git %s: %w: %s", args[len(args)-1], err, exit.Stderr)
		}
		return "", fmt.Errorf("git: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
