// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gittest

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Server is an HTTP server of the repositories under one folder.
type Server struct {
	URL  string
	root string

	mu      sync.Mutex
	asked   []string
	headers []string // the Authorization headers that came in
	sent    int64
	before  func(http.ResponseWriter, *http.Request) bool
}

// Serve starts a server that ends with the test.
func Serve(t testing.TB) *Server {
	t.Helper()
	server := newServer(t)
	listener := httptest.NewServer(server.handler(t))
	t.Cleanup(listener.Close)
	server.URL = listener.URL
	return server
}

// ServeTLS starts a server with a certificate of its own, and gives the
// authority that a client has to trust, in PEM.
func ServeTLS(t testing.TB) (*Server, *httptest.Server) {
	t.Helper()
	server := newServer(t)
	listener := httptest.NewTLSServer(server.handler(t))
	t.Cleanup(listener.Close)
	server.URL = listener.URL
	return server, listener
}

func newServer(t testing.TB) *Server {
	t.Helper()
	return &Server{root: t.TempDir()}
}

// handler runs git's own server behind the test's conditions.
func (s *Server) handler(t testing.TB) http.Handler {
	t.Helper()
	execPath, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatalf("git is needed: %v", err)
	}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(execPath)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + s.root, "GIT_HTTP_EXPORT_ALL=1"},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.headers = append(s.headers, r.Header.Get("Authorization"))
		before := s.before
		s.mu.Unlock()
		if before != nil && !before(w, r) {
			return
		}
		backend.ServeHTTP(&counter{ResponseWriter: w, server: s}, r)
	})
}

// counter adds up what is sent.
type counter struct {
	http.ResponseWriter
	server *Server
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.sent += int64(n)
	return n, err
}

// Before runs a function ahead of each request; false means that it answered.
func (s *Server) Before(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// RequireBasic asks every request for this name and password.
func (s *Server) RequireBasic(username, password string) {
	s.Before(func(w http.ResponseWriter, r *http.Request) bool {
		gotUser, gotPassword, _ := r.BasicAuth()
		if gotUser == username && gotPassword == password {
			return true
		}
		w.Header().Set("WWW-Authenticate", "Basic realm=\"git\"")
		http.Error(w, "no", http.StatusUnauthorized)
		return false
	})
}

// RequireHeader asks every request for this Authorization header.
func (s *Server) RequireHeader(value string) {
	s.Before(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == value {
			return true
		}
		http.Error(w, "no, not "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		return false
	})
}

// RedirectTo sends every request to the same path of another address.
func (s *Server) RedirectTo(base string) {
	s.Before(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, base+r.URL.RequestURI(), http.StatusMovedPermanently)
		return false
	})
}

// Traffic gives the requests since the last call, and the bytes sent, and
// starts counting anew.
func (s *Server) Traffic() (requests []string, sent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, sent = s.asked, s.sent
	s.asked, s.sent, s.headers = nil, 0, nil
	return requests, sent
}

// Headers gives the Authorization headers that came in since the last Traffic.
func (s *Server) Headers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.headers...)
}

// Address is the address of one repository.
func (s *Server) Address(t testing.TB, name string) *url.URL {
	t.Helper()
	address, err := url.Parse(s.URL + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return address
}
