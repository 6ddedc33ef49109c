// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package credentials

import (
	"errors"
	"strings"
	"testing"
)

func TestProxy(t *testing.T) {
	tests := map[string]struct {
		reason string
		data   map[string]string
		want   string
		err    error
	}{
		"address":       {"all that is needed", map[string]string{"address": "http://proxy:3128"}, "http://proxy:3128", nil},
		"socks":         {"the other protocol", map[string]string{"address": "socks5://proxy:1080"}, "socks5://proxy:1080", nil},
		"with a name":   {"as Basic authentication", map[string]string{"address": "https://proxy", "username": "u", "password": secretValue}, "https://u:" + secretValue + "@proxy", nil},
		"name alone":    {"some proxies take a token as the name", map[string]string{"address": "http://proxy", "username": "u"}, "http://u@proxy", nil},
		"own name":      {"user information in the address works", map[string]string{"address": "http://u:p@proxy"}, "http://u:p@proxy", nil},
		"none":          {"nothing to connect to", map[string]string{"username": "u"}, "", ErrInvalid},
		"not an URL":    {"a parser would quote it", map[string]string{"address": "http://u:" + secretValue + "@proxy:port\x7f"}, "", ErrInvalid},
		"no host":       {"same", map[string]string{"address": "http:" + secretValue}, "", ErrInvalid},
		"other scheme":  {"would be dialled in the clear, or not at all", map[string]string{"address": "ftp://" + secretValue}, "", ErrInvalid},
		"far too large": {"as in Flux", map[string]string{"address": "http://" + strings.Repeat("x", 3000)}, "", ErrInvalid},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			data := map[string][]byte{}
			for k, v := range tc.data {
				data[k] = []byte(v)
			}
			got, err := Proxy(data)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s: got error %v, want kind %v", tc.reason, err, tc.err)
			}
			if err != nil {
				if strings.Contains(err.Error(), secretValue) {
					t.Errorf("the error carries a value: %v", err)
				}
				return
			}
			if got.String() != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	tests := map[string]struct {
		reason string
		data   map[string]string
	}{
		"empty":       {"would trust and show nothing new, in silence", nil},
		"other keys":  {"same", map[string]string{"username": "u"}},
		"no PEM":      {"cannot be trusted", map[string]string{"ca.crt": secretValue}},
		"old name":    {"read where the current one is empty", map[string]string{"caFile": secretValue}},
		"half a pair": {"a key without its certificate", map[string]string{"keyFile": secretValue}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			data := map[string][]byte{}
			for k, v := range tc.data {
				data[k] = []byte(v)
			}
			_, err := Certificates(data)
			if !errors.Is(err, ErrInvalid) || strings.Contains(err.Error(), secretValue) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}
