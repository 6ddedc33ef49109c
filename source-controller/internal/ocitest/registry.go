// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ocitest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/distribution/distribution/v3/configuration"
	"github.com/distribution/distribution/v3/registry/handlers"
	"github.com/sirupsen/logrus"
	"golang.org/x/crypto/bcrypt"

	// The ways to store and to protect that the tests use.
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/auth/token"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
)

// Options say how a registry is protected. The zero value is open and plain.
type Options struct {
	TLS bool
	// ClientCA asks for a client certificate of this authority, in PEM.
	ClientCA []byte
	// Username and Password are asked for, unless empty.
	Username, Password string
	// Token asks for them at a token server instead, of another address.
	Token bool
}

// Registry is a running registry.
type Registry struct {
	// Host is its address without a scheme.
	Host string
	// CA is the authority of its certificate in PEM; nil for plain HTTP.
	CA []byte
	// Tokens is the token server; nil for none.
	Tokens *TokenServer

	options Options
	server  *httptest.Server

	mu       sync.Mutex
	requests []*http.Request
	before   func(http.ResponseWriter, *http.Request) bool
}

// Serve starts a registry that ends with the test.
func Serve(t testing.TB, options Options) *Registry {
	t.Helper()
	logrus.SetLevel(logrus.PanicLevel)
	r := &Registry{options: options}
	config := &configuration.Configuration{Storage: configuration.Storage{
		"filesystem": configuration.Parameters{"rootdirectory": t.TempDir()},
		"delete":     configuration.Parameters{"enabled": true},
	}}
	config.HTTP.Secret = "of a test"
	r.protect(t, config)
	app := handlers.NewApp(context.WithoutCancel(t.Context()), config)
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.admits(w, req) {
			app.ServeHTTP(w, req)
		}
	}))
	r.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if options.TLS {
		r.startTLS()
	} else {
		r.server.Start()
	}
	t.Cleanup(r.server.Close)
	_, r.Host, _ = strings.Cut(r.server.URL, "://")
	return r
}

func (r *Registry) startTLS() {
	if r.options.ClientCA != nil {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(r.options.ClientCA)
		r.server.TLS = &tls.Config{ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
	}
	r.server.StartTLS()
	r.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
}

func (r *Registry) protect(t testing.TB, config *configuration.Configuration) {
	t.Helper()
	switch {
	case r.options.Username == "":
	case r.options.Token:
		r.Tokens = serveTokens(t, r.options.Username, r.options.Password)
		config.Auth = configuration.Auth{"token": configuration.Parameters{
			"realm": r.Tokens.URL, "service": tokenService, "issuer": tokenIssuer, "rootcertbundle": r.Tokens.bundle,
		}}
	default:
		hash, err := bcrypt.GenerateFromPassword([]byte(r.options.Password), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "htpasswd")
		if err := os.WriteFile(path, []byte(r.options.Username+":"+string(hash)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		config.Auth = configuration.Auth{"htpasswd": configuration.Parameters{"realm": "test", "path": path}}
	}
}

func (r *Registry) admits(w http.ResponseWriter, req *http.Request) bool {
	r.mu.Lock()
	r.requests = append(r.requests, req.Clone(context.Background()))
	before := r.before
	r.mu.Unlock()
	return before == nil || before(w, req)
}

// Before sets a hook that sees each request first, and answers it itself where
// it gives false; nil takes it away.
func (r *Registry) Before(hook func(http.ResponseWriter, *http.Request) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = hook
}

// Requests gives what was asked since the last call, oldest first.
func (r *Registry) Requests() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.requests
	r.requests = nil
	return taken
}

// Certificate is what the server shows; it is also good for a client to trust.
func (r *Registry) Certificate() *x509.Certificate { return r.server.Certificate() }
