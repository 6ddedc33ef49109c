// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gittokens

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitaccess"
)

// api is the part of GitHub's API that an installation's token comes from.
type api struct {
	*httptest.Server
	asked int
}

func serveAPI(t *testing.T) *api {
	t.Helper()
	a := &api{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orgs/team/installation", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"id": 7})
	})
	mux.HandleFunc("POST /app/installations/7/access_tokens", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ey") {
			http.Error(w, `{"message":"no"}`, http.StatusUnauthorized)
			return
		}
		a.asked++
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": "inst-t0ken", "expires_at": time.Now().Add(time.Hour)})
	})
	a.Server = httptest.NewTLSServer(mux)
	t.Cleanup(a.Close)
	return a
}

func privateKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

func TestGitHubApp(t *testing.T) {
	server := serveAPI(t)
	p, err := New(nil, Settings{Cached: 10, Longest: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	key := privateKey(t)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	app := func(change map[string]string) gitaccess.App {
		data := map[string][]byte{"githubAppID": []byte("1"), "githubAppPrivateKey": []byte(key), "githubAppInstallationID": []byte("7"), "githubAppBaseURL": []byte(server.URL)}
		for name, value := range change {
			data[name] = []byte(value)
		}
		return gitaccess.App{Owner: gitaccess.Owner{Namespace: "apps", Name: "prod"}, Data: data, CA: authority}
	}
	for name, change := range map[string]map[string]string{
		"by installation": nil,
		"again":           nil,
		"by owner":        {"githubAppInstallationID": "", "githubAppInstallationOwner": "team"},
	} {
		got, err := p.GitHubApp(t.Context(), app(change))
		if err != nil || got != (gitaccess.Token{Username: "x-access-token", Password: "inst-t0ken"}) {
			t.Errorf("%s: got user %s, %v", name, got.Username, err)
		}
	}
	if server.asked != 2 {
		t.Errorf("a token that still holds is asked for again: %d requests for two installations", server.asked)
	}
	for name, change := range map[string]map[string]string{
		"no such installation": {"githubAppInstallationID": "8"},
		"no key":               {"githubAppPrivateKey": "n0-key"},
		"no number":            {"githubAppID": "n0-number"},
		"no address":           {"githubAppBaseURL": "http://127.0.0.1:1"},
	} {
		_, err := p.GitHubApp(t.Context(), app(change))
		if err == nil || strings.Contains(err.Error(), "n0-key") || strings.Contains(err.Error(), "inst-t0ken") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	unknown := app(map[string]string{"githubAppInstallationID": "7", "githubAppID": "2"})
	unknown.CA = nil
	if _, err := p.GitHubApp(t.Context(), unknown); err == nil {
		t.Error("a server that nobody vouches for got a signed request")
	}
}

func TestWorkloadIsRefusedWithoutACloud(t *testing.T) {
	address, _ := url.Parse("https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/r")
	p, err := New(nil, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Workload(t.Context(), gitaccess.Workload{Provider: "none", Address: address})
	if err == nil {
		t.Error("an unknown provider gave a token")
	}
}
