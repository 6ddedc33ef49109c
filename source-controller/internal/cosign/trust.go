// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cosign

import (
	"crypto"
	"errors"
	"fmt"
	"time"

	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
)

// ErrTrust is the kind of error for trust that cannot be read.
var ErrTrust = errors.New("invalid trust")

// Identity is who may sign without a key: expressions for the issuer of the
// identity and for its name. Empty ones match everybody.
type Identity struct {
	Issuer, Subject string
}

// Trust is whom to believe. One of its forms is enough for a signature.
type Trust struct {
	judges []judge
}

// judge is one key, or one Sigstore.
type judge struct {
	key      signature.Verifier // nil for a Sigstore
	verifier *verify.Verifier
	policy   []verify.PolicyOption
}

// Keys trusts public keys in PEM. The transparency log is not asked for.
func Keys(pems map[string][]byte) (*Trust, error) {
	trust := &Trust{}
	for name, raw := range pems {
		public, err := cryptoutils.UnmarshalPEMToPublicKey(raw)
		if err != nil {
			return nil, fmt.Errorf("%w: %s is no public key in PEM", ErrTrust, name)
		}
		key, err := signature.LoadVerifier(public, crypto.SHA256)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrTrust, name, err)
		}
		material := root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) {
			return root.NewExpiringKey(key, time.Time{}, time.Time{}), nil
		})
		verifier, err := verify.NewVerifier(material, verify.WithNoObserverTimestamps())
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrTrust, err)
		}
		trust.judges = append(trust.judges, judge{key: key, verifier: verifier, policy: []verify.PolicyOption{verify.WithKey()}})
	}
	if len(trust.judges) == 0 {
		return nil, fmt.Errorf("%w: there is no public key; give one under a name that ends in .pub", ErrTrust)
	}
	return trust, nil
}

// ParseRoot reads a trusted_root.json.
func ParseRoot(raw []byte) (root.TrustedMaterial, error) {
	material, err := root.NewTrustedRootFromJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: unable to parse trusted root: %w", ErrTrust, err)
	}
	return material, nil
}

// Keyless trusts certificates that the authorities gave to the identities; to
// anybody where there are none. A signature needs proof of its time from the
// transparency log, and proof of its certificate where the root has logs for
// those.
func Keyless(material root.TrustedMaterial, identities []Identity) (*Trust, error) {
	options := []verify.VerifierOption{verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1)}
	if len(material.CTLogs()) > 0 {
		options = append(options, verify.WithSignedCertificateTimestamps(1))
	}
	verifier, err := verify.NewVerifier(material, options...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTrust, err)
	}
	j := judge{verifier: verifier}
	for _, identity := range identities {
		who, err := verify.NewShortCertificateIdentity("", orAny(identity.Issuer), "", orAny(identity.Subject))
		if err != nil {
			return nil, fmt.Errorf("%w: spec.verify.matchOIDCIdentity: %w", ErrTrust, err)
		}
		j.policy = append(j.policy, verify.WithCertificateIdentity(who))
	}
	if len(identities) == 0 {
		j.policy = append(j.policy, verify.WithoutIdentitiesUnsafe())
	}
	return &Trust{judges: []judge{j}}, nil
}

func orAny(expression string) string {
	if expression == "" {
		return ".*"
	}
	return expression
}

// judge asks every form of trust about an entity, and gives the last refusal.
func (t *Trust) judge(entity verify.SignedEntity, content verify.ArtifactPolicyOption) error {
	var refusal error
	for _, j := range t.judges {
		_, err := j.verifier.Verify(entity, verify.NewPolicy(content, j.policy...))
		if err == nil {
			return nil
		}
		refusal = err
	}
	return refusal
}
