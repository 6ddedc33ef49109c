// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package credentials

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

const secretValue = "s3cr3t-v4lue"

func address(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestNew(t *testing.T) {
	basic := "Basic dXNlcjpzM2NyM3QtdjRsdWU=" // user:s3cr3t-v4lue
	tests := map[string]struct {
		reason string
		url    string
		data   map[string]string
		header string
		err    error
	}{
		"anonymous":          {"a public repository", "https://host/r", nil, "", nil},
		"basic":              {"username and password", "https://host/r", map[string]string{"username": "user", "password": secretValue}, basic, nil},
		"bearer":             {"a token", "https://host/r", map[string]string{"bearerToken": secretValue}, "Bearer " + secretValue, nil},
		"bearer beats basic": {"Flux reads such a Secret as the token", "https://host/r", map[string]string{"bearerToken": secretValue, "username": "user", "password": "x"}, "Bearer " + secretValue, nil},
		"user information":   {"in the address, where no Secret is", "https://user:" + secretValue + "@host/r", nil, basic, nil},
		"secret beats url":   {"the Secret is the more specific", "https://other:" + secretValue + "@host/r", map[string]string{"username": "user"}, basic, nil},
		"both kinds":         {"a token and a user in the address contradict", "https://user@host/r", map[string]string{"bearerToken": secretValue}, "", ErrInvalid},
		"password alone":     {"a password needs a name", "https://host/r", map[string]string{"password": secretValue}, "", ErrInvalid},
		"line break":         {"would forge a header", "https://host/r", map[string]string{"bearerToken": secretValue + "\r\nX: y"}, "", ErrInvalid},
		"bad authority":      {"no PEM", "https://host/r", map[string]string{"ca.crt": secretValue}, "", ErrInvalid},
		"old authority key":  {"caFile is read where ca.crt is empty", "https://host/r", map[string]string{"caFile": secretValue}, "", ErrInvalid},
		"half a pair":        {"a certificate without its key", "https://host/r", map[string]string{"tls.crt": secretValue}, "", ErrInvalid},
		"no pair":            {"neither is PEM", "https://host/r", map[string]string{"tls.crt": secretValue, "tls.key": secretValue}, "", ErrInvalid},
		"ssh":                {"proves itself by a key, not by a header", "ssh://git@host/r", map[string]string{"identity": "key", "known_hosts": "host", "password": secretValue}, "", nil},
		"ssh without a key":  {"nothing to prove it with", "ssh://git@host/r", map[string]string{"known_hosts": secretValue}, "", ErrInvalid},
		"ssh, unknown hosts": {"the key would be shown to anybody", "ssh://git@host/r", map[string]string{"identity": secretValue}, "", ErrInvalid},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			data := map[string][]byte{}
			for k, v := range tc.data {
				data[k] = []byte(v)
			}
			auth, err := New(address(t, tc.url), data)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s: got error %v, want kind %v", tc.reason, err, tc.err)
			}
			if err != nil {
				if strings.Contains(err.Error(), secretValue) {
					t.Fatalf("the error carries a value: %v", err)
				}
				return
			}
			if got := auth.Header(); got != tc.header {
				t.Errorf("%s: got header %q, want %q", tc.reason, got, tc.header)
			}
		})
	}
}

func TestSSHAndProxy(t *testing.T) {
	data := map[string][]byte{"identity": []byte("key"), "known_hosts": []byte("host"), "password": []byte(secretValue)}
	for raw, user := range map[string]string{"ssh://host/r": "git", "ssh://someone@host/r": "someone"} {
		auth, err := New(address(t, raw), data)
		if err != nil || auth.Username() != user || auth.SSH().Passphrase != secretValue {
			t.Errorf("%s: got user %s, %v", raw, auth.Username(), err)
		}
		if got := auth.Redact("passphrase " + secretValue + " for git"); got != "passphrase "+mask+" for git" {
			t.Errorf("%s: got %q", raw, got)
		}
	}
	proxied := Auth{}.WithProxy(address(t, "http://robot:"+secretValue+"@proxy:3128"))
	if got := proxied.Redact("407 for robot:" + secretValue + ", " + secretValue); strings.Contains(got, secretValue) {
		t.Errorf("the proxy's password is shown: %s", got)
	}
	if proxied.TrustOnly().Proxy() == nil {
		t.Error("another host is reached by another way")
	}
}

func TestFingerprintTellsApart(t *testing.T) {
	key := []byte("key")
	base := Auth{username: "a", password: "b"}
	for name, other := range map[string]Auth{
		"password": {username: "a", password: "c"},
		"moved":    {username: "ab"},
		"proxy":    base.WithProxy(address(t, "http://proxy")),
		"ssh":      {ssh: SSH{Identity: []byte("a"), KnownHosts: []byte("b")}},
		"known":    {ssh: SSH{Identity: []byte("a"), KnownHosts: []byte("c")}},
		"lasting":  base.WithToken("a", "b", "", "app 1"),
	} {
		if other.Fingerprint(key) == base.Fingerprint(key) {
			t.Errorf("%s: other credentials look the same", name)
		}
	}
	first, second := base.WithToken("x", "token-1", "", "app 1"), base.WithToken("x", "token-2", "", "app 1")
	if first.Fingerprint(key) != second.Fingerprint(key) {
		t.Error("a new token of the same app looks like other credentials")
	}
}

func TestNothingPrintsAValue(t *testing.T) {
	auth, err := New(address(t, "https://host/r"), map[string][]byte{"username": []byte("long-robot-user"), "password": []byte(secretValue)})
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(auth)
	if err != nil {
		t.Fatal(err)
	}
	_, encoded, _ := strings.Cut(auth.Header(), " ")
	echo := "remote: got Authorization: " + auth.Header() + " from long-robot-user:" + secretValue
	texts := map[string]string{
		"%v":     fmt.Sprintf("%v", auth),
		"%+v":    fmt.Sprintf("%+v", auth),
		"%#v":    fmt.Sprintf("%#v", auth),
		"%s":     fmt.Sprintf("%s", auth),
		"within": fmt.Sprintf("%+v", struct{ A Auth }{auth}),
		"json":   string(asJSON),
		"redact": auth.Redact(echo),
		"finger": auth.Fingerprint([]byte("key")),
	}
	for name, text := range texts {
		for _, value := range []string{secretValue, encoded, "long-robot-user"} {
			if strings.Contains(text, value) {
				t.Errorf("%s prints a value: %s", name, text)
			}
		}
	}
}

func TestRedactKeepsReadableMessages(t *testing.T) {
	said := "unable to access 'https://github.com/x.git': t0ken in the name"
	tests := map[string]struct {
		reason string
		auth   Auth
		want   string
	}{
		"common name": {"git is no secret, and stands in every message", Auth{username: "git", password: "p4ssword"}, said},
		"token alone": {"some hosts take the token as the name", Auth{username: "t0ken"}, strings.ReplaceAll(said, "t0ken", mask)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.auth.Redact(said); got != tc.want {
				t.Errorf("%s: got %q", tc.reason, got)
			}
		})
	}
}

func TestFingerprint(t *testing.T) {
	key := []byte("key")
	one := Auth{username: "ab", password: "c"}
	two := Auth{username: "a", password: "bc"}
	if one.Fingerprint(key) == two.Fingerprint(key) {
		t.Error("values that only join alike share a fingerprint")
	}
	if one.Fingerprint(key) == one.Fingerprint([]byte("other")) {
		t.Error("the fingerprint does not depend on the key")
	}
	if same := (Auth{username: "ab", password: "c"}); one.Fingerprint(key) != same.Fingerprint(key) {
		t.Error("the fingerprint is not stable")
	}
	if got := (Auth{username: "u", ca: []byte("pem")}).TrustOnly(); !got.Anonymous() || string(got.CA()) != "pem" {
		t.Errorf("TrustOnly must keep the authorities and nothing else, got header %q", got.Header())
	}
}

func TestAddresses(t *testing.T) {
	u := address(t, "https://user:"+secretValue+"@host:8443/group/repo?token="+secretValue+"#frag")
	if got, want := Public(u), "https://host:8443/group/repo"; got != want {
		t.Errorf("Public: got %s, want %s", got, want)
	}
	if got := WithoutUser(u).String(); strings.Contains(got, "user") || !strings.Contains(got, "?token=") {
		t.Errorf("WithoutUser must drop the user and keep the query, got %s", got)
	}
}
