// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/artifact/config"
	"github.com/google/go-cmp/cmp"
)

// leads is the leadership of a process that leads.
func leads() Leadership {
	elected := make(chan struct{})
	close(elected)
	return Leadership{Elected: elected}
}

// follows is that of a standby.
func follows(leader string, err error) Leadership {
	return Leadership{Elected: make(chan struct{}), Leader: func(context.Context) (string, error) { return leader, err }}
}

// answer is what a client sees.
type answer struct {
	Status int
	Body   string
	ETag   string
}

func ask(t *testing.T, server *httptest.Server, method, path string, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, string(body), response.Header.Get("ETag")}
}

func TestServe(t *testing.T) {
	s := open(t, nil)
	artifact := put(t, s, "abc", "hello")
	leader := httptest.NewServer(s.handler(leads()))
	defer leader.Close()
	path, tag := "/"+artifact.Path, `"`+artifact.Digest+`"`
	tests := map[string]struct {
		reason  string
		method  string
		path    string
		headers []string
		want    answer
	}{
		"whole":         {"the bytes, named by their digest", "GET", path, nil, answer{200, "hello", tag}},
		"head":          {"consumers may ask first", "HEAD", path, nil, answer{200, "", tag}},
		"range":         {"a download may go on", "GET", path, []string{"Range", "bytes=1-3"}, answer{206, "ell", tag}},
		"known":         {"who has it moves nothing", "GET", path, []string{"If-None-Match", tag}, answer{304, "", tag}},
		"other range":   {"a range of other bytes is no continuation", "GET", path, []string{"Range", "bytes=1-3", "If-Range", `"sha256:0"`}, answer{200, "hello", tag}},
		"not there":     {"consumers take it for: later", "GET", "/gitrepository/apps/prod/none.tar.gz", nil, answer{404, "404 page not found\n", ""}},
		"out of folder": {"nothing but the folder is served", "GET", "/../../../../etc/passwd", nil, answer{404, "404 page not found\n", ""}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ask(t, leader, tc.method, tc.path, tc.headers...)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStandby(t *testing.T) {
	s := open(t, nil)
	artifact := put(t, s, "abc", "hello")
	leader := httptest.NewServer(s.handler(leads()))
	defer leader.Close()
	down := httptest.NewServer(nil)
	down.Close()
	none := answer{503, "no replica leads, ask again\n", ""}
	tests := map[string]struct {
		reason     string
		leadership Leadership
		method     string
		want       answer
	}{
		"passes on":        {"the leader's bytes under this address too", follows(leader.Listener.Addr().String(), nil), "GET", answer{200, "hello", `"` + artifact.Digest + `"`}},
		"nobody leads":     {"its own disk may be old", follows("", nil), "GET", none},
		"cannot ask":       {"same", follows("", errors.New("no lease")), "GET", none},
		"leader is down":   {"for as long as a lease lasts", follows(down.Listener.Addr().String(), nil), "GET", none},
		"nothing to write": {"the server only reads", follows(leader.Listener.Addr().String(), nil), "DELETE", none},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			// A disk of its own with another artifact under the same path.
			own := open(t, nil)
			put(t, own, "abc", "old")
			standby := httptest.NewServer(own.handler(tc.leadership))
			defer standby.Close()
			if diff := cmp.Diff(tc.want, ask(t, standby, tc.method, "/"+artifact.Path)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	t.Run("no ball game", func(t *testing.T) {
		var second *httptest.Server
		first := httptest.NewServer(s.handler(Leadership{Elected: make(chan struct{}), Leader: func(context.Context) (string, error) {
			return second.Listener.Addr().String(), nil
		}}))
		defer first.Close()
		second = httptest.NewServer(s.handler(follows(first.Listener.Addr().String(), nil)))
		defer second.Close()
		if diff := cmp.Diff(none, ask(t, first, "GET", "/x")); diff != "" {
			t.Errorf("two standbys ask each other (-want +got):\n%s", diff)
		}
	})
}

func TestServeEnds(t *testing.T) {
	free := httptest.NewServer(nil)
	address := free.Listener.Addr().String()
	free.Close()
	s := open(t, func(o *config.Options) { o.StorageAddress = address })
	artifact := put(t, s, "abc", "hello")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, leads()) }()
	if got := download(t, artifact.URL); got != "hello" {
		t.Errorf("got %q", got)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
	taken := httptest.NewServer(nil)
	defer taken.Close()
	s = open(t, func(o *config.Options) { o.StorageAddress = taken.Listener.Addr().String() })
	if err := s.Serve(t.Context(), leads()); err == nil {
		t.Error("an address that is taken is no failure")
	}
}

func download(t *testing.T, url string) string {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		body, err := fetch(url)
		if err == nil {
			return body
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func fetch(url string) (string, error) {
	response, err := (&http.Client{Timeout: 5 * time.Second}).Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var body strings.Builder
	if _, err := io.Copy(&body, response.Body); err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", url, response.Status)
	}
	return body.String(), nil
}
