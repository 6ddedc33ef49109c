// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package pki

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func parse(t *testing.T, pair Pair) *x509.Certificate {
	t.Helper()
	// X509KeyPair also checks that the key belongs to the certificate.
	loaded, err := tls.X509KeyPair(pair.Public, pair.Private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(loaded.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

func newAuthority(t *testing.T) *Authority {
	t.Helper()
	authority, err := NewAuthority("test", now)
	if err != nil {
		t.Fatal(err)
	}
	return authority
}

func TestIssue(t *testing.T) {
	authority, stranger := newAuthority(t), newAuthority(t)
	server := Subject{User: "server", Hosts: []string{"127.0.0.1", "localhost"}}
	client := Subject{User: "system:serviceaccount:a:b", Groups: []string{"x", "y"}}
	tests := map[string]struct {
		issuer  *Authority
		subject Subject
		host    string
		usage   x509.ExtKeyUsage
		at      time.Time
		valid   bool
		reason  string
	}{
		"serves by address": {authority, server, "127.0.0.1", x509.ExtKeyUsageServerAuth, now, true, "an address is no DNS name"},
		"serves by name":    {authority, server, "localhost", x509.ExtKeyUsageServerAuth, now, true, "it is one of its hosts"},
		"other host":        {authority, server, "example.com", x509.ExtKeyUsageServerAuth, now, false, "it is for its hosts only"},
		"identifies":        {authority, client, "", x509.ExtKeyUsageClientAuth, now, true, "it is a client's"},
		"does not serve":    {authority, client, "", x509.ExtKeyUsageServerAuth, now, false, "a user must not pose as the server"},
		"late clock":        {authority, client, "", x509.ExtKeyUsageClientAuth, now.Add(-time.Minute), true, "clocks differ"},
		"over":              {authority, client, "", x509.ExtKeyUsageClientAuth, now.Add(lifetime + time.Second), false, "nothing is for ever"},
		"other authority":   {stranger, client, "", x509.ExtKeyUsageClientAuth, now, false, "two control planes know different users"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pair, err := test.issuer.Issue(test.subject, now)
			if err != nil {
				t.Fatal(err)
			}
			certificate := parse(t, pair)
			if diff := cmp.Diff(test.subject.Groups, certificate.Subject.Organization); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
			if certificate.Subject.CommonName != test.subject.User {
				t.Errorf("user %q, want %q", certificate.Subject.CommonName, test.subject.User)
			}
			roots := x509.NewCertPool()
			roots.AddCert(parse(t, authority.Pair))
			_, err = certificate.Verify(x509.VerifyOptions{
				Roots: roots, DNSName: test.host, CurrentTime: test.at, KeyUsages: []x509.ExtKeyUsage{test.usage},
			})
			if (err == nil) != test.valid {
				t.Errorf("verify: %v, want valid %t: %s", err, test.valid, test.reason)
			}
		})
	}
}
