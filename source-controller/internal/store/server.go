// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Leadership is what a server asks to know whose artifacts are current.
type Leadership struct {
	// Elected is closed when this process leads.
	Elected <-chan struct{}
	// Leader gives the address at which the leader serves; empty for none.
	Leader func(context.Context) (string, error)
}

const (
	// passedOn marks a request that a standby passed on: two that take each
	// other for the leader must not play ball.
	passedOn = "Holdfast-Passed-On"
	// retryAfter is the pause that is advised while nobody leads.
	retryAfter = "2"
	// endWithin is how long downloads may go on when the process ends, as in Flux.
	endWithin = 5 * time.Second
)

// Serve serves the folder until the context ends: the leader from its own disk,
// a standby by asking the leader. So a standby is as good an address as the
// leader, and may be Ready.
func (s *Store) Serve(ctx context.Context, leadership Leadership) error {
	server := &http.Server{
		Addr: s.options.StorageAddress, Handler: s.handler(leadership), ReadHeaderTimeout: 10 * time.Second,
		// Requests end with the grace period, not with the signal.
	}
	failed := make(chan error, 1)
	go func() {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("cannot serve artifacts on --storage-addr %s: %w", s.options.StorageAddress, err)
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	if err := server.Shutdown(closing); err != nil {
		// A reader that is too slow gets a cut-off download, whose digest is wrong.
		return server.Close()
	}
	return nil
}

func (s *Store) handler(leadership Leadership) http.Handler {
	own := http.FileServer(http.Dir(s.options.StoragePath))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-leadership.Elected:
			s.tag(w, r)
			own.ServeHTTP(w, r)
		default:
			passOn(w, r, leadership)
		}
	})
}

// tag names the bytes of an artifact that was verified, so that who has them
// already is told so.
func (s *Store) tag(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	s.mu.Lock()
	p, found := s.known[path.Dir(name)]
	s.mu.Unlock()
	if !found || p.path != name {
		return
	}
	info, err := os.Lstat(filepath.Join(s.options.StoragePath, filepath.FromSlash(name)))
	if err == nil && os.SameFile(p.info, info) && p.info.ModTime().Equal(info.ModTime()) {
		w.Header().Set("ETag", `"`+p.digest+`"`)
	}
}

// passOn answers with what the leader says. A standby's own disk is never
// served: nobody keeps it up to date.
func passOn(w http.ResponseWriter, r *http.Request, leadership Leadership) {
	address, err := leadership.Leader(r.Context())
	if err != nil || address == "" || r.Header.Get(passedOn) != "" || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		unavailable(w)
		return
	}
	target := &url.URL{Scheme: "http", Host: address}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Header.Set(passedOn, "1")
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { unavailable(w) },
	}
	proxy.ServeHTTP(w, r)
}

func unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", retryAfter)
	http.Error(w, "no replica leads, ask again", http.StatusServiceUnavailable)
}
