// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
)

func TestCredentials(t *testing.T) {
	const password = "s3cr3t-p4ss"
	server := gittest.Serve(t)
	repository := server.Create(t, "private.git")
	want := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	server.RequireBasic("robot", password)
	m := openMirrors(t, nil)
	address := server.Address(t, "private.git")

	good := secret(t, address, map[string]string{"username": "robot", "password": password})
	if commit, _ := look(t, m, good, "refs/heads/main"); commit != want {
		t.Fatalf("got %s, want %s", commit, want)
	}
	for name, data := range map[string]map[string]string{
		"none":  nil,
		"wrong": {"username": "robot", "password": "wr0ng-p4ss"},
	} {
		t.Run(name, func(t *testing.T) {
			remote := secret(t, address, data)
			_, err := m.List(t.Context(), remote, []string{"refs/heads/"})
			if FaultOf(err) != Unauthorized {
				t.Fatalf("got %v, want fault Unauthorized", err)
			}
			if strings.Contains(err.Error(), "wr0ng") {
				t.Errorf("the error carries a value: %v", err)
			}
			// The mirror of the good credentials holds the commit.
			_, err = m.Checkout(t.Context(), remote, reference.Choice{Ref: "refs/heads/main", Commit: want}, time.Now().Add(patience))
			if FaultOf(err) != Unauthorized {
				t.Errorf("other credentials read the mirror: got %v", err)
			}
		})
	}
	t.Run("token, echoed by the server", func(t *testing.T) {
		server.RequireHeader("Bearer right")
		remote := secret(t, address, map[string]string{"bearerToken": "t0ken-v4lue"})
		_, err := m.List(t.Context(), remote, []string{"refs/heads/"})
		if FaultOf(err) != Unauthorized || strings.Contains(err.Error(), "t0ken-v4lue") {
			t.Errorf("got %v, want Unauthorized without the value", err)
		}
		if _, err := m.List(t.Context(), secret(t, address, map[string]string{"bearerToken": "right"}), []string{"refs/heads/"}); err != nil {
			t.Errorf("the right token: %v", err)
		}
	})
}

// authority is the certificate that a client has to trust.
func authority(listener *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: listener.Certificate().Raw}))
}

// is tells kinds of errors, nil being of every kind.
func is(err, kind error) bool { return kind == nil || errors.Is(err, kind) }

func TestTrust(t *testing.T) {
	server, listener := gittest.ServeTLS(t)
	repository := server.Create(t, "r.git")
	want := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	m := openMirrors(t, nil)
	address := server.Address(t, "r.git")

	if _, err := m.List(t.Context(), Remote{Address: address}, []string{"refs/heads/"}); FaultOf(err) != Unreachable {
		t.Errorf("an unknown authority: got %v, want fault Unreachable", err)
	}
	remote := secret(t, address, map[string]string{"ca.crt": authority(listener)})
	if commit, _ := look(t, m, remote, "refs/heads/main"); commit != want {
		t.Errorf("got %s, want %s", commit, want)
	}
	left, err := os.ReadDir(m.scratch)
	if err != nil || len(left) != 0 {
		t.Errorf("certificates stay on disk: %v, %v", left, err)
	}
}

func TestRedirects(t *testing.T) {
	const password = "s3cr3t-p4ss"
	target := gittest.Serve(t)
	repository := target.Create(t, "r.git")
	want := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	front := gittest.Serve(t)
	front.RedirectTo(target.URL)
	m := openMirrors(t, nil)
	remote := secret(t, front.Address(t, "r.git"), map[string]string{"username": "robot", "password": password})

	// A transfer finds its own way, also before anything was listed.
	if commit, _ := take(t, m, remote, reference.Choice{Ref: "refs/heads/main", Commit: want}); commit != want {
		t.Fatalf("got %s, want %s", commit, want)
	}
	if commit, _ := look(t, m, remote, "refs/heads/main"); commit != want {
		t.Fatalf("got %s, want %s", commit, want)
	}
	for _, header := range target.Headers() {
		if header != "" {
			t.Fatalf("another host got credentials: %s", header)
		}
	}

	target.RequireBasic("robot", password)
	_, err := m.List(t.Context(), remote, []string{"refs/heads/"})
	if FaultOf(err) != Unauthorized || !strings.Contains(err.Error(), target.URL) {
		t.Errorf("got %v, want Unauthorized that names the other host", err)
	}

	front.Before(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
		return false
	})
	if _, err := m.List(t.Context(), remote, []string{"refs/heads/"}); FaultOf(err) != Redirected {
		t.Errorf("a redirect to a login page: got %v, want fault Redirected", err)
	}
	front.Before(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, r.URL.RequestURI(), http.StatusFound)
		return false
	})
	if _, err := m.List(t.Context(), remote, []string{"refs/heads/"}); FaultOf(err) != Redirected {
		t.Errorf("a redirect to itself: got %v, want fault Redirected", err)
	}
}

func TestSlowServer(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	server.Before(func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done() // until the client hangs up
		return false
	})
	m := openMirrors(t, nil)
	remote := Remote{Address: server.Address(t, "r.git")}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := m.List(ctx, remote, []string{"refs/heads/"})
	if FaultOf(err) != TimedOut {
		t.Errorf("got %v, want fault TimedOut", err)
	}
	if took := time.Since(start); took > graceful {
		t.Errorf("git outlived its time: %s", took)
	}
	server.Before(nil)
	if _, err := m.List(t.Context(), remote, []string{"refs/heads/"}); err != nil {
		t.Errorf("the mirror is stuck after a timeout: %v", err)
	}
}
