// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package notation

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/notaryproject/notation-core-go/signature/jws"
	"github.com/notaryproject/notation-core-go/testhelper"
	"github.com/notaryproject/notation-go"
	notationregistry "github.com/notaryproject/notation-go/registry"
	"github.com/notaryproject/notation-go/signer"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocitest"
)

func policy(level, stores string) []byte {
	return fmt.Appendf(nil, `{"version":"1.0","trustPolicies":[{"name":"all","registryScopes":["*"],"signatureVerification":{"level":%q},"trustStores":[%s],"trustedIdentities":["*"]}]}`, level, stores)
}

func encoded(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

func TestVerify(t *testing.T) {
	authority, leaf := testhelper.GetRSARootCertificate(), testhelper.GetRSALeafCertificate()
	stranger := testhelper.GetRSASelfSignedSigningCertificate()
	tests := map[string]struct {
		reason  string
		sign    bool
		level   string
		trusted *x509.Certificate
		holds   bool
		err     error
	}{
		"strict":           {"signed by whom we trust", true, "strict", authority.Cert, true, nil},
		"permissive":       {"same", true, "permissive", authority.Cert, true, nil},
		"stranger":         {"signed by somebody else", true, "strict", stranger.Cert, false, ErrUnsigned},
		"stranger, audit":  {"accepted, and nothing is claimed", true, "audit", stranger.Cert, false, nil},
		"unsigned":         {"nobody vouches for it", false, "strict", authority.Cert, false, ErrUnsigned},
		"unsigned, audit":  {"a policy cannot look at what is not there", false, "audit", authority.Cert, false, ErrUnsigned},
		"skip":             {"accepted, and nothing is claimed", false, "skip", authority.Cert, false, nil},
		"skip, though sig": {"same", true, "skip", authority.Cert, false, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			registry := ocitest.Serve(t, ocitest.Options{})
			artifact := registry.Push(t, "app", "v1", ocitest.Files(t, map[string]string{"a": "a"}))
			reference := registry.Host + "/app@" + artifact.Digest.String()
			store := registry.Store(t, "app")
			if tc.sign {
				s, err := signer.NewGenericSigner(leaf.PrivateKey, []*x509.Certificate{leaf.Cert, authority.Cert})
				if err != nil {
					t.Fatal(err)
				}
				options := notation.SignOptions{ArtifactReference: reference}
				options.SignatureMediaType = jws.MediaTypeEnvelope
				if _, err := notation.Sign(t.Context(), s, notationregistry.NewRepository(store), options); err != nil {
					t.Fatal(err)
				}
			}
			trust, err := NewTrust(policy(tc.level, `"ca:all"`), map[string][]byte{"a.crt": encoded(tc.trusted)})
			if err != nil {
				t.Fatal(err)
			}
			got, err := trust.Verify(t.Context(), store, reference)
			if got != tc.holds || !errors.Is(err, tc.err) {
				t.Errorf("%s: got %v, %v", tc.reason, got, err)
			}
		})
	}
}

func TestTrustIsChecked(t *testing.T) {
	authority := testhelper.GetRSARootCertificate()
	good := map[string][]byte{"a.crt": encoded(authority.Cert)}
	tests := map[string]struct {
		reason string
		policy []byte
		certs  map[string][]byte
	}{
		"no JSON":        {"cannot be read", []byte("s3cr3t"), good},
		"no policy":      {"says nothing", []byte("{}"), good},
		"no level":       {"nobody knows what is asked", policy("lax", `"ca:all"`), good},
		"no store":       {"nobody is trusted", policy("strict", ""), good},
		"no certificate": {"same", policy("strict", `"ca:all"`), nil},
		"no PEM":         {"same", policy("strict", `"ca:all"`), map[string][]byte{"a.crt": []byte("s3cr3t")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := NewTrust(tc.policy, tc.certs); !errors.Is(err, ErrTrust) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}
