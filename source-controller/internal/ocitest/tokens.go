// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ocitest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	tokenService = "registry"
	tokenIssuer  = "tokens"
)

// TokenServer gives bearer tokens for a name and a password.
type TokenServer struct {
	URL string

	username, password string
	key                *ecdsa.PrivateKey
	chain              []string // of the signing certificate
	bundle             string   // file with the authority

	mu     sync.Mutex
	issued int
}

func serveTokens(t testing.TB, username, password string) *TokenServer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	authority := NewAuthority(t, "token authority")
	leaf := authority.Sign(t, "token signer", key.Public())
	s := &TokenServer{username: username, password: password, key: key, bundle: filepath.Join(t.TempDir(), "ca.pem")}
	s.chain = []string{base64.StdEncoding.EncodeToString(leaf.Raw)}
	if err := os.WriteFile(s.bundle, authority.PEM, 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL + "/token"
	return s
}

// Issued is how many tokens were given.
func (s *TokenServer) Issued() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issued
}

// ServeHTTP gives a token, with no rights to whoever has no password.
func (s *TokenServer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	username, password, _ := req.BasicAuth()
	type access struct {
		Type    string   `json:"type"`
		Name    string   `json:"name"`
		Actions []string `json:"actions"`
	}
	var granted []access
	for _, scope := range req.URL.Query()["scope"] {
		parts := strings.Split(scope, ":")
		if len(parts) == 3 && username == s.username && password == s.password {
			granted = append(granted, access{parts[0], parts[1], strings.Split(parts[2], ",")})
		}
	}
	options := (&jose.SignerOptions{}).WithHeader("x5c", s.chain)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: s.key}, options)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	now := time.Now()
	token, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": tokenIssuer, "aud": tokenService, "sub": username, "access": granted,
		"iat": now.Unix(), "nbf": now.Add(-time.Minute).Unix(), "exp": now.Add(time.Hour).Unix(),
	}).Serialize()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.mu.Lock()
	s.issued++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"token": token, "expires_in": 3600})
}
