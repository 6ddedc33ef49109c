// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocitest"
)

// noRoot is a machine without a way to the public Sigstore.
type noRoot struct{}

func (noRoot) Material() (root.TrustedMaterial, error) { return nil, errors.New("no network") }

// signed pushes a signature as cosign does, and gives the key that it fits.
func signed(t *testing.T, registry *ocitest.Registry, artifact ocispec.Descriptor) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Appendf(nil, `{"critical":{"image":{"docker-manifest-digest":%q}}}`, artifact.Digest)
	sum := sha256.Sum256(text)
	signature, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	registry.Push(t, "app", strings.Replace(artifact.Digest.String(), ":", "-", 1)+".sig", ocitest.Artifact{Layers: []ocitest.Layer{{
		MediaType:   "application/vnd.dev.cosign.simplesigning.v1+json",
		Bytes:       text,
		Annotations: map[string]string{"dev.cosignproject.cosign/signature": base64.StdEncoding.EncodeToString(signature)},
	}}})
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func TestVerifyArtifact(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{})
	artifact := registry.Push(t, "app", "latest", ocitest.Files(t, map[string]string{"a.yaml": "A"}))
	key := signed(t, registry, artifact)
	stranger := signed(t, registry, registry.Push(t, "app", "other", ocitest.Files(t, map[string]string{"b": "B"})))
	const skip = `{"version":"1.0","trustPolicies":[{"name":"x","registryScopes":["*"],"signatureVerification":{"level":"skip"}}]}`
	objects := named{
		"good":     &corev1.Secret{Data: map[string][]byte{"cosign.pub": key, "notes.txt": []byte("x")}},
		"stranger": &corev1.Secret{Data: map[string][]byte{"cosign.pub": stranger}},
		"empty":    &corev1.Secret{Data: map[string][]byte{"cosign.txt": key}},
		"skip":     &corev1.Secret{Data: map[string][]byte{"trustpolicy.json": []byte(skip), "a.crt": ocitest.NewAuthority(t, "a").PEM}},
	}
	revision := "latest@" + artifact.Digest.String()
	verified := func(generation int64, status metav1.ConditionStatus) func(*sourcev1.OCIRepository) {
		return func(o *sourcev1.OCIRepository) {
			o.Status.Artifact = &meta.Artifact{Revision: revision}
			o.Status.Conditions = []metav1.Condition{{Type: sourcev1.SourceVerifiedCondition, Status: status, ObservedGeneration: generation}}
		}
	}
	ask := func(provider, secret string) *sourcev1.OCIRepositoryVerification {
		v := &sourcev1.OCIRepositoryVerification{Provider: provider}
		if secret != "" {
			v.SecretRef = &meta.LocalObjectReference{Name: secret}
		}
		return v
	}
	tests := map[string]struct {
		reason string
		ask    *sourcev1.OCIRepositoryVerification
		before func(*sourcev1.OCIRepository)
		off    bool
		claims bool
		fails  bool
	}{
		"not asked":          {"an earlier claim goes", nil, verified(1, metav1.ConditionTrue), true, false, false},
		"key":                {"it fits", ask("cosign", "good"), nil, false, true, false},
		"another key":        {"it does not", ask("cosign", "stranger"), nil, false, false, true},
		"no key":             {"nobody to trust", ask("cosign", "empty"), nil, false, false, true},
		"no secret":          {"it may still come", ask("cosign", "none"), nil, false, false, true},
		"keyless, no root":   {"the authorities are out of reach", ask("cosign", ""), nil, false, false, true},
		"notation, no trust": {"it cannot do without", ask("notation", ""), nil, false, false, true},
		"notation, no rule":  {"no policy in the Secret", ask("notation", "good"), nil, false, false, true},
		"notation, skip":     {"accepted, and nothing is claimed", ask("notation", "skip"), nil, true, false, false},
		"stands":             {"checked at this revision and generation: a key taken back is not noticed, as in Flux", ask("cosign", "stranger"), verified(1, metav1.ConditionTrue), false, false, false},
		"new generation":     {"checked again", ask("cosign", "stranger"), verified(0, metav1.ConditionTrue), false, false, true},
		"failed before":      {"checked again", ask("cosign", "good"), verified(1, metav1.ConditionFalse), false, true, false},
		"new revision": {"checked again", ask("cosign", "stranger"), func(o *sourcev1.OCIRepository) {
			verified(1, metav1.ConditionTrue)(o)
			o.Status.Artifact.Revision = "latest@sha256:old"
		}, false, false, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			oci := newOCI(t, objects, nil)
			oci.access.Roots = noRoot{}
			obj := ociSource(registry, tc.before)
			obj.Spec.Verify = tc.ask
			target, failure := oci.resolve(t.Context(), obj)
			if failure != nil {
				t.Fatal(failure.Halt)
			}
			got, failure := target.verify(t.Context())
			if got.Off != tc.off || (got.Message != "") != tc.claims || (failure != nil) != tc.fails {
				t.Fatalf("%s: got %+v, %+v", tc.reason, got, failure)
			}
			if failure != nil && (failure.Condition != sourcev1.SourceVerifiedCondition || failure.Halt.Reason != sourcev1.VerificationError || failure.Halt.Kind != halt.Retry) {
				t.Errorf("%s: got %s %s", tc.reason, failure.Condition, failure.Halt.Reason)
			}
		})
	}
}
