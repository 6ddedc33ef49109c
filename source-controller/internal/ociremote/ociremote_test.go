// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocireference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocitest"
)

const (
	username = "robot"
	password = "s3cr3t-p4ss"
)

func open(t testing.TB, maxBlob int64) *Registries {
	t.Helper()
	r, err := Open(Config{Root: t.TempDir(), MaxBlobBytes: maxBlob, UserAgent: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// remoteOf is how the repository app of a registry is reached.
func remoteOf(t testing.TB, registry *ocitest.Registry, change func(*Remote)) Remote {
	t.Helper()
	address, err := ocireference.ParseURL("oci://" + registry.Host + "/app")
	if err != nil {
		t.Fatal(err)
	}
	remote := Remote{Repository: address}
	if registry.CA != nil {
		certificates, err := credentials.Certificates(map[string][]byte{"ca.crt": registry.CA})
		if err != nil {
			t.Fatal(err)
		}
		remote.Certificates = &certificates
	}
	if change != nil {
		change(&remote)
	}
	return remote
}

func repository(t testing.TB, registries *Registries, remote Remote) *Repository {
	t.Helper()
	r, err := registries.Repository(remote)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func withLogin(r *Remote) {
	r.Login = NewLogin(authn.AuthConfig{Username: username, Password: password})
}

func TestWaysIn(t *testing.T) {
	authority := ocitest.NewAuthority(t, "clients")
	certificate, key := authority.Client(t, "controller")
	tests := map[string]struct {
		reason  string
		options ocitest.Options
		change  func(*Remote)
		fault   Fault
	}{
		"open":             {"loopback may be plain", ocitest.Options{}, nil, ""},
		"TLS":              {"the authority is given", ocitest.Options{TLS: true}, nil, ""},
		"TLS, unknown":     {"nobody vouches for it", ocitest.Options{TLS: true}, func(r *Remote) { r.Certificates = nil }, Untrusted},
		"TLS, insecure":    {"Flux drops the check where no certificate is given", ocitest.Options{TLS: true}, func(r *Remote) { r.Certificates, r.Insecure = nil, true }, ""},
		"insecure, CA":     {"a given authority is still checked", ocitest.Options{TLS: true}, func(r *Remote) { r.Insecure = true; r.Certificates = other(t) }, Untrusted},
		"basic":            {"name and password", ocitest.Options{TLS: true, Username: username, Password: password}, withLogin, ""},
		"basic, none":      {"anonymous", ocitest.Options{TLS: true, Username: username, Password: password}, nil, Unauthorized},
		"basic, wrong":     {"another password", ocitest.Options{TLS: true, Username: username, Password: "x"}, withLogin, Unauthorized},
		"token":            {"given by another server", ocitest.Options{Username: username, Password: password, Token: true}, withLogin, ""},
		"token, wrong":     {"a token without rights", ocitest.Options{Username: username, Password: "x", Token: true}, withLogin, Unauthorized},
		"client":           {"a certificate of its own", ocitest.Options{TLS: true, ClientCA: authority.PEM}, mutual(t, certificate, key), ""},
		"client, without":  {"the server asks for one", ocitest.Options{TLS: true, ClientCA: authority.PEM}, nil, Unreachable},
		"no such registry": {"nothing listens", ocitest.Options{}, func(r *Remote) { r.Repository.Registry = "127.0.0.1:1" }, Unreachable},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			registry := ocitest.Serve(t, tc.options)
			var want ocispec.Descriptor
			if tc.options.ClientCA == nil {
				want = registry.Push(t, "app", "v1", ocitest.Files(t, map[string]string{"a.yaml": "a"}))
			}
			registry.Requests()
			got, err := repository(t, open(t, 0), remoteOf(t, registry, tc.change)).Resolve(t.Context(), "v1")
			if tc.options.ClientCA != nil && tc.fault == "" {
				tc.fault = NotFound // it was let in, and has nothing to give
			}
			if FaultOf(err) != tc.fault {
				t.Fatalf("%s: got %v, want fault %q", tc.reason, err, tc.fault)
			}
			if err == nil && got.Digest != want.Digest {
				t.Errorf("%s: got %s", tc.reason, got.Digest)
			}
			if err != nil && strings.Contains(err.Error(), password) {
				t.Errorf("the error carries a value: %v", err)
			}
		})
	}
}

func other(t testing.TB) *credentials.Auth {
	t.Helper()
	certificates, err := credentials.Certificates(map[string][]byte{"ca.crt": ocitest.NewAuthority(t, "other").PEM})
	if err != nil {
		t.Fatal(err)
	}
	return &certificates
}

func mutual(t testing.TB, certificate, key []byte) func(*Remote) {
	t.Helper()
	return func(r *Remote) {
		both, err := credentials.Certificates(map[string][]byte{"ca.crt": r.Certificates.CA(), "tls.crt": certificate, "tls.key": key})
		if err != nil {
			t.Fatal(err)
		}
		r.Certificates = &both
	}
}

// TestUnchangedCostsOneRequest: what is known of a registry, and the token, are
// kept between passes.
func TestUnchangedCostsOneRequest(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{Username: username, Password: password, Token: true})
	registry.Push(t, "app", "v1", ocitest.Files(t, map[string]string{"a.yaml": "a"}))
	registries := open(t, 0)
	issued := 0
	for pass := range 3 {
		registry.Requests()
		if _, err := repository(t, registries, remoteOf(t, registry, withLogin)).Resolve(t.Context(), "v1"); err != nil {
			t.Fatal(err)
		}
		asked := registry.Requests()
		if pass == 0 {
			issued = registry.Tokens.Issued()
			continue
		}
		if len(asked) != 1 || asked[0].Method != http.MethodHead || registry.Tokens.Issued() != issued {
			t.Errorf("pass %d sent %d requests and took %d tokens", pass, len(asked), registry.Tokens.Issued()-issued)
		}
	}
}

func TestResolveWithoutHead(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{})
	want := registry.Push(t, "app", "v1", ocitest.Files(t, map[string]string{"a.yaml": "a"}))
	registry.Before(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return false
		}
		return true
	})
	got, err := repository(t, open(t, 0), remoteOf(t, registry, nil)).Resolve(t.Context(), "v1")
	if err != nil || got.Digest != want.Digest {
		t.Errorf("got %s, %v", got.Digest, err)
	}
}

func TestChoose(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{})
	for _, tag := range []string{"1.0.0", "1.2.0", "1.10.0", "latest"} {
		registry.Push(t, "app", tag, ocitest.Files(t, map[string]string{"a": tag}))
	}
	repo := repository(t, open(t, 0), remoteOf(t, registry, nil))
	got, err := repo.Choose(t.Context(), ranged(t, "1.x"))
	if err != nil || got != "1.10.0" {
		t.Errorf("got %q, %v", got, err)
	}
	registry.Before(func(w http.ResponseWriter, req *http.Request) bool {
		// A listing that never ends.
		w.Header().Set("Link", `</v2/app/tags/list?last=x&n=1>; rel="next"`)
		_, _ = io.WriteString(w, `{"tags":["`+strings.Repeat("x", 100)+`"]}`)
		return false
	})
	if _, err = repo.Choose(t.Context(), ranged(t, "1.x")); FaultOf(err) != TooLarge {
		t.Errorf("an endless listing: %v", err)
	}
}

func ranged(t testing.TB, expression string) ocireference.Wish {
	t.Helper()
	wish, err := ocireference.Parse(&sourceRef{SemVer: expression}, "")
	if err != nil {
		t.Fatal(err)
	}
	return wish
}

// TestRubbish: whatever a registry answers is an error that can be shown.
func TestRubbish(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{})
	pushed := registry.Push(t, "app", "v1", ocitest.Files(t, map[string]string{"a": "a"}))
	answer := func(status int, headers map[string]string, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, req *http.Request) bool {
			if req.URL.Path == "/v2/" {
				return true
			}
			for name, value := range headers {
				w.Header().Set(name, value)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return false
		}
	}
	manifest := map[string]string{"Content-Type": ocispec.MediaTypeImageManifest}
	tests := map[string]struct {
		reason string
		hook   func(http.ResponseWriter, *http.Request) bool
		fault  Fault
	}{
		"page":        {"a portal in between", answer(200, map[string]string{"Content-Type": "text/html"}, "<html>"), Rubbish},
		"no type":     {"nothing said", answer(200, map[string]string{"Content-Type": ""}, ""), Rubbish},
		"bad digest":  {"no digest", answer(200, map[string]string{"Content-Type": ocispec.MediaTypeImageManifest, "Docker-Content-Digest": "sha256:zz"}, ""), Rubbish},
		"other bytes": {"other bytes than were promised", answer(200, manifest, `{"schemaVersion":2}`), Rubbish},
		"long error":  {"a status must stay small", answer(500, nil, `{"errors":[{"code":"X","message":"`+strings.Repeat("y", 7000)+`\u0000\n"}]}`), Unreachable},
		"forbidden":   {"no right", answer(403, nil, `{"errors":[{"code":"DENIED"}]}`), Unauthorized},
		"gone":        {"no such thing", answer(404, nil, ""), NotFound},
		"loop": {"redirected in a circle", func(w http.ResponseWriter, req *http.Request) bool {
			http.Redirect(w, req, req.URL.Path, http.StatusFound)
			return false
		}, Unreachable},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			registry.Before(tc.hook)
			_, err := repository(t, open(t, 0), remoteOf(t, registry, nil)).Manifest(t.Context(), pushed)
			if FaultOf(err) != tc.fault {
				t.Errorf("%s: got %v, want fault %q", tc.reason, err, tc.fault)
			}
			if err != nil && (len(err.Error()) > maxText+10 || strings.ContainsAny(err.Error(), "\n\x00")) {
				t.Errorf("%s: not fit to be shown: %q", tc.reason, err)
			}
		})
	}
}

func TestHangsEndWithTheDeadline(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{})
	registry.Push(t, "app", "v1", ocitest.Files(t, map[string]string{"a": "a"}))
	registry.Before(func(_ http.ResponseWriter, req *http.Request) bool {
		<-req.Context().Done()
		return false
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := repository(t, open(t, 0), remoteOf(t, registry, nil)).Resolve(ctx, "v1")
	if FaultOf(err) != TimedOut {
		t.Errorf("got %v", err)
	}
}

// TestRedirects: credentials of the registry do not follow to a blob's host, and
// the query that opens it does not stand in an error.
func TestRedirects(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{Username: username, Password: password})
	pushed := registry.Push(t, "app", "v1", ocitest.Files(t, map[string]string{"a": "a"}))
	var seen []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		seen = append(seen, req.Header.Get("Authorization")+req.Header.Get("Cookie"))
		w.Header().Set("Www-Authenticate", `Basic realm="give me"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(elsewhere.Close)
	registry.Before(func(w http.ResponseWriter, req *http.Request) bool {
		if !strings.Contains(req.URL.Path, "/blobs/") || req.Header.Get("Authorization") == "" {
			return true
		}
		http.Redirect(w, req, elsewhere.URL+"/blob?X-Signature=s1gn4ture", http.StatusTemporaryRedirect)
		return false
	})
	repo := repository(t, open(t, 0), remoteOf(t, registry, withLogin))
	manifest, err := repo.Manifest(t.Context(), pushed)
	if err != nil {
		t.Fatal(err)
	}
	blob, err := repo.Blob(t.Context(), manifest.Layers[0], "ns/name")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, blob)
	_ = blob.Close()
	if FaultOf(err) != Unauthorized || strings.Contains(err.Error(), "s1gn4ture") {
		t.Errorf("got %v", err)
	}
	if len(seen) == 0 || strings.Join(seen, "") != "" {
		t.Errorf("the other host was sent %q", seen)
	}
}

func TestErrorsHideWhatIsSecret(t *testing.T) {
	remote := Remote{Login: NewLogin(authn.AuthConfig{Password: "p&ssw0rd", RegistryToken: "t0ken"}), Proxy: &url.URL{User: url.UserPassword("u", "pr0xy")}}
	err := remote.fail("reading", fmt.Errorf("Get \"https://h/b?sig=abc\": p&ssw0rd p%%26ssw0rd t0ken pr0xy"))
	for _, value := range []string{"abc", "ssw0rd", "t0ken", "pr0xy"} {
		if strings.Contains(err.Error(), value) {
			t.Errorf("%q stands in %v", value, err)
		}
	}
	if text := fmt.Sprintf("%v %+v %#v %s", remote.Login, remote.Login, remote.Login, remote.Login); strings.Contains(text, "ssw0rd") {
		t.Errorf("a login prints %s", text)
	}
	if errors.Is(err, nil) {
		t.Error("no error")
	}
}

func TestProxy(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{})
	want := registry.Push(t, "app", "v1", ocitest.Files(t, map[string]string{"a": "a"}))
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked = append(asked, req.Header.Get("Proxy-Authorization"))
		req.RequestURI = ""
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(proxy.Close)
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("u", "p")
	repo := repository(t, open(t, 0), remoteOf(t, registry, func(r *Remote) { r.Proxy, r.Insecure = address, true }))
	got, err := repo.Resolve(t.Context(), "v1")
	if err != nil || got.Digest != want.Digest || len(asked) == 0 || asked[len(asked)-1] == "" {
		t.Errorf("got %s, %v; the proxy saw %q", got.Digest, err, asked)
	}
}
