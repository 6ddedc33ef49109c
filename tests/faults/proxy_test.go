// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-gitops/holdfast/tests/holdfast"
)

// damage is what happens to an artifact on its way.
type damage string

const (
	cutShort   damage = "cut short"      // half of it, and the connection ends
	halfStated damage = "half, as whole" // half of it, as if that were all
	otherBytes damage = "other bytes"
	notFound   damage = "not found"
)

var damages = []damage{cutShort, halfStated, otherBytes, notFound}

// proxy stands before the source-controller's artifacts and damages those of
// some namespaces.
type proxy struct {
	address, behind string

	mu      sync.Mutex
	damaged map[string]damage
	served  map[string]int // damaged answers, by namespace
}

func startProxy() (*proxy, error) {
	behind, err := holdfast.FreeAddress()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening before the artifacts: %w", err)
	}
	p := &proxy{address: listener.Addr().String(), behind: behind, damaged: map[string]damage{}, served: map[string]int{}}
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: behind})
	forward.ModifyResponse = p.meddle
	server := &http.Server{Handler: forward, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // it ends with the test binary
	return p, nil
}

// damage sets what happens to the artifacts of a namespace; empty: nothing.
func (p *proxy) damage(namespace string, d damage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.damaged[namespace] = d
}

// meddle: the paths of artifacts are kind/namespace/name/file.
func (p *proxy) meddle(r *http.Response) error {
	parts := strings.Split(strings.Trim(r.Request.URL.Path, "/"), "/")
	if len(parts) < 2 || r.StatusCode != http.StatusOK {
		return nil
	}
	p.mu.Lock()
	d := p.damaged[parts[1]]
	if d != "" {
		p.served[parts[1]]++
	}
	p.mu.Unlock()
	if d == "" {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	stated := len(body)
	switch d {
	case cutShort:
		body = body[:len(body)/2]
	case halfStated:
		body, stated = body[:len(body)/2], len(body)/2
	case otherBytes:
		body = bytes.Repeat([]byte("x"), len(body))
	case notFound:
		r.StatusCode, body, stated = http.StatusNotFound, nil, 0
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(stated)
	r.Header.Set("Content-Length", strconv.Itoa(stated))
	return nil
}

// offset is the file from which a drift-controller that was built for this reads,
// when it begins, what its clock is off by.
type offset struct {
	path    string
	unmoved bool // in this batch
}

func (o *offset) jump(by time.Duration) error {
	next := o.path + ".next"
	if err := os.WriteFile(next, []byte(by.String()), 0o600); err != nil {
		return fmt.Errorf("the clock's offset: %w", err)
	}
	return os.Rename(next, o.path)
}
