// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cosign

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocireference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocitest"
)

const (
	signer = "release@example.org"
	issuer = "https://issuer.example.org"
)

// bench is a registry with one artifact.
type bench struct {
	registry *ocitest.Registry
	source   *ociremote.Repository
	artifact ocispec.Descriptor
}

func newBench(t *testing.T) bench {
	t.Helper()
	registry := ocitest.Serve(t, ocitest.Options{})
	registries, err := ociremote.Open(ociremote.Config{Root: t.TempDir(), UserAgent: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = registries.Close() })
	address, err := ocireference.ParseURL("oci://" + registry.Host + "/app")
	if err != nil {
		t.Fatal(err)
	}
	source, err := registries.Repository(ociremote.Remote{Repository: address})
	if err != nil {
		t.Fatal(err)
	}
	return bench{registry: registry, source: source, artifact: registry.Push(t, "app", "v1", ocitest.Files(t, map[string]string{"a": "a"}))}
}

// key is one that signs.
type key struct {
	private *ecdsa.PrivateKey
	pem     []byte
}

func newKey(t *testing.T) key {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	return key{private: private, pem: pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})}
}

func payload(about digest.Digest) []byte {
	return fmt.Appendf(nil, `{"critical":{"identity":{"docker-reference":"app"},"image":{"docker-manifest-digest":%q},"type":"cosign container image signature"},"optional":null}`, about)
}

func (k key) sign(t *testing.T, raw []byte) string {
	t.Helper()
	sum := sha256.Sum256(raw)
	signed, err := ecdsa.SignASN1(rand.Reader, k.private, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(signed)
}

// tagged pushes a signature as cosign 2 does.
func (b bench) tagged(t *testing.T, raw []byte, annotations map[string]string) {
	t.Helper()
	tag := strings.Replace(b.artifact.Digest.String(), ":", "-", 1) + ".sig"
	b.registry.Push(t, "app", tag, ocitest.Artifact{Layers: []ocitest.Layer{{MediaType: payloadType, Bytes: raw, Annotations: annotations}}})
}

func statement(about digest.Digest, predicate string) []byte {
	return fmt.Appendf(nil, `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"app","digest":{"sha256":%q}}],"predicateType":%q,"predicate":{}}`, about.Encoded(), predicate)
}

// bundled pushes a statement as cosign 3 does and gives the key that signed it.
func (b bench) bundled(t *testing.T, raw []byte) []byte {
	t.Helper()
	pair, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := sign.Bundle(&sign.DSSEData{Data: raw, PayloadType: "application/vnd.in-toto+json"}, pair, sign.BundleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := protojson.Marshal(signed)
	if err != nil {
		t.Fatal(err)
	}
	const media = "application/vnd.dev.sigstore.bundle.v0.3+json"
	b.registry.Push(t, "app", "", ocitest.Artifact{ArtifactType: media, Subject: &b.artifact, Layers: []ocitest.Layer{{MediaType: media, Bytes: encoded}}})
	public, err := pair.GetPublicKeyPem()
	if err != nil {
		t.Fatal(err)
	}
	return []byte(public)
}

func TestKeys(t *testing.T) {
	mine, theirs := newKey(t), newKey(t)
	other := digest.FromString("another artifact")
	tests := map[string]struct {
		reason string
		sign   func(t *testing.T, b bench) []byte // gives the key to trust
		err    error
	}{
		"unsigned": {"nobody vouches for it", func(*testing.T, bench) []byte { return mine.pem }, ErrUnsigned},
		"cosign 2": {"a tag beside the artifact", func(t *testing.T, b bench) []byte {
			raw := payload(b.artifact.Digest)
			b.tagged(t, raw, map[string]string{signatureAnnotation: mine.sign(t, raw)})
			return mine.pem
		}, nil},
		"another key": {"somebody signed it", func(t *testing.T, b bench) []byte {
			raw := payload(b.artifact.Digest)
			b.tagged(t, raw, map[string]string{signatureAnnotation: theirs.sign(t, raw)})
			return mine.pem
		}, ErrUnsigned},
		"another artifact": {"a true signature of something else", func(t *testing.T, b bench) []byte {
			raw := payload(other)
			b.tagged(t, raw, map[string]string{signatureAnnotation: mine.sign(t, raw)})
			return mine.pem
		}, ErrUnsigned},
		"changed text": {"signed, then changed", func(t *testing.T, b bench) []byte {
			b.tagged(t, payload(b.artifact.Digest), map[string]string{signatureAnnotation: mine.sign(t, payload(other))})
			return mine.pem
		}, ErrUnsigned},
		"no signature": {"an empty annotation", func(t *testing.T, b bench) []byte {
			b.tagged(t, payload(b.artifact.Digest), nil)
			return mine.pem
		}, ErrUnsigned},
		"cosign 3": {"a bundle that refers to the artifact", func(t *testing.T, b bench) []byte {
			return b.bundled(t, statement(b.artifact.Digest, predicateType))
		}, nil},
		"bundle, another artifact": {"refers to ours, speaks of another", func(t *testing.T, b bench) []byte {
			return b.bundled(t, statement(other, predicateType))
		}, ErrUnsigned},
		"bundle, another statement": {"a list of parts is no signature", func(t *testing.T, b bench) []byte {
			return b.bundled(t, statement(b.artifact.Digest, "https://spdx.dev/Document"))
		}, ErrUnsigned},
		"bundle, another key": {"somebody signed it", func(t *testing.T, b bench) []byte {
			b.bundled(t, statement(b.artifact.Digest, predicateType))
			return mine.pem
		}, ErrUnsigned},
		"both": {"an old signature counts beside a bundle that does not", func(t *testing.T, b bench) []byte {
			b.bundled(t, statement(b.artifact.Digest, predicateType))
			raw := payload(b.artifact.Digest)
			b.tagged(t, raw, map[string]string{signatureAnnotation: mine.sign(t, raw)})
			return mine.pem
		}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			trusted := tc.sign(t, b)
			trust, err := Keys(map[string][]byte{"a.pub": newKey(t).pem, "b.pub": trusted})
			if err != nil {
				t.Fatal(err)
			}
			if err := trust.Verify(t.Context(), b.source, b.artifact); !errors.Is(err, tc.err) {
				t.Errorf("%s: got %v, want kind %v", tc.reason, err, tc.err)
			}
		})
	}
}

func TestTrustIsChecked(t *testing.T) {
	for name, keys := range map[string]map[string][]byte{"none": nil, "no PEM": {"a.pub": []byte("s3cr3t")}} {
		if _, err := Keys(keys); !errors.Is(err, ErrTrust) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := ParseRoot([]byte("{")); !errors.Is(err, ErrTrust) {
		t.Errorf("no root: got %v", err)
	}
}

// sigstore is a whole Sigstore of a test, and its root as people write it into a
// Secret.
func sigstore(t *testing.T) (*ca.VirtualSigstore, root.TrustedMaterial) {
	t.Helper()
	authorities, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	logs := authorities.RekorLogs()
	for name, log := range logs {
		// The fixture writes the name of the log as text; a root holds its bytes.
		if log.ID, err = hex.DecodeString(name); err != nil {
			t.Fatal(err)
		}
	}
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01, authorities.FulcioCertificateAuthorities(), nil,
		authorities.TimestampingAuthorities(), logs)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := trusted.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	material, err := ParseRoot(raw)
	if err != nil {
		t.Fatal(err)
	}
	return authorities, material
}

func TestKeyless(t *testing.T) {
	authorities, material := sigstore(t)
	_, elsewhere := sigstore(t)
	subject := digest.FromString("artifact")
	tests := map[string]struct {
		reason     string
		material   root.TrustedMaterial
		identities []Identity
		statement  []byte
		holds      bool
	}{
		"identity":          {"it was them", material, []Identity{{"^https://issuer.example.org$", "^release@example.org$"}}, statement(subject, predicateType), true},
		"one of two":        {"any of the identities", material, []Identity{{"x", "y"}, {"issuer.example", "release@"}}, statement(subject, predicateType), true},
		"anybody":           {"no identity is asked for, as in Flux", material, nil, statement(subject, predicateType), true},
		"another subject":   {"somebody else signed it", material, []Identity{{issuer, "^intern@example.org$"}}, statement(subject, predicateType), false},
		"another issuer":    {"who says who they are counts", material, []Identity{{"^https://other$", signer}}, statement(subject, predicateType), false},
		"another root":      {"authorities that nobody here trusts", elsewhere, nil, statement(subject, predicateType), false},
		"another artifact":  {"a true signature of something else", material, nil, statement(digest.FromString("x"), predicateType), false},
		"another statement": {"is no signature", material, nil, statement(subject, "https://slsa.dev/provenance/v1"), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			entity, err := authorities.Attest(signer, issuer, tc.statement)
			if err != nil {
				t.Fatal(err)
			}
			trust, err := Keyless(tc.material, tc.identities)
			if err != nil {
				t.Fatal(err)
			}
			if err := trust.entity(entity, subject); (err == nil) != tc.holds {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestKeylessByAnnotations: what cosign 2 spreads over annotations is judged like
// a bundle.
func TestKeylessByAnnotations(t *testing.T) {
	authorities, material := sigstore(t)
	b := newBench(t)
	raw := payload(b.artifact.Digest)
	entity, err := authorities.Sign(signer, issuer, raw)
	if err != nil {
		t.Fatal(err)
	}
	content, err := entity.VerificationContent()
	if err != nil {
		t.Fatal(err)
	}
	signed, err := entity.SignatureContent()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := entity.TlogEntries()
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	entry := entries[0].TransparencyLogEntry()
	promise, err := authorities.RekorSignPayload(tlog.RekorPayload{
		Body: entries[0].Body(), IntegratedTime: entry.GetIntegratedTime(),
		LogIndex: entry.GetLogIndex(), LogID: hex.EncodeToString(entry.GetLogId().GetKeyId()),
	})
	if err != nil {
		t.Fatal(err)
	}
	log, err := json.Marshal(map[string]any{
		"SignedEntryTimestamp": promise,
		"Payload": map[string]any{
			"body": entry.GetCanonicalizedBody(), "integratedTime": entry.GetIntegratedTime(),
			"logIndex": entry.GetLogIndex(), "logID": hex.EncodeToString(entry.GetLogId().GetKeyId()),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	annotations := map[string]string{
		signatureAnnotation:   base64.StdEncoding.EncodeToString(signed.Signature()),
		certificateAnnotation: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content.Certificate().Raw})),
		logAnnotation:         string(log),
	}
	b.tagged(t, raw, annotations)
	for name, tc := range map[string]struct {
		identity Identity
		holds    bool
	}{"them": {Identity{issuer, signer}, true}, "another": {Identity{issuer, "^nobody$"}, false}} {
		trust, err := Keyless(material, []Identity{tc.identity})
		if err != nil {
			t.Fatal(err)
		}
		if err := trust.Verify(t.Context(), b.source, b.artifact); (err == nil) != tc.holds {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, missing := range []string{signatureAnnotation, certificateAnnotation, logAnnotation} {
		kept := annotations[missing]
		annotations[missing] = ""
		trust, err := Keyless(material, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := trust.simple(raw, annotations, b.artifact.Digest); err == nil {
			t.Errorf("it holds without %s", missing)
		}
		annotations[missing] = kept
	}
}
