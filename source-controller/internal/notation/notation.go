// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package notation

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/notaryproject/notation-go"
	notationregistry "github.com/notaryproject/notation-go/registry"
	"github.com/notaryproject/notation-go/verifier"
	"github.com/notaryproject/notation-go/verifier/trustpolicy"
	"github.com/notaryproject/notation-go/verifier/truststore"
	"oras.land/oras-go/v2"
)

// PolicyKey names the trust policy in a Secret.
const PolicyKey = "trustpolicy.json"

// maxAttempts bounds how many signatures of one artifact are looked at.
const maxAttempts = 50

// ErrTrust is the kind of error for trust that cannot be read.
var ErrTrust = errors.New("invalid trust")

// ErrUnsigned is the kind of error for an artifact without a signature that
// holds.
var ErrUnsigned = errors.New("no matching signatures were found")

// Trust is a policy and the certificates that it speaks of.
type Trust struct {
	verifier notation.Verifier
}

// NewTrust reads a trust policy in JSON, and certificates in PEM or DER.
func NewTrust(policy []byte, certificates map[string][]byte) (*Trust, error) {
	var document trustpolicy.Document
	if err := json.Unmarshal(policy, &document); err != nil {
		return nil, fmt.Errorf("%w: %s cannot be read: %w", ErrTrust, PolicyKey, err)
	}
	// A statement that skips the check must not name whom to trust; people leave
	// that in when they turn the check off.
	for i, statement := range document.TrustPolicies {
		if statement.SignatureVerification.VerificationLevel == trustpolicy.LevelSkip.Name {
			document.TrustPolicies[i].TrustStores = nil
			document.TrustPolicies[i].TrustedIdentities = nil
		}
	}
	if len(certificates) == 0 {
		return nil, fmt.Errorf("%w: no certificates found; give them under names that end in .crt or .pem", ErrTrust)
	}
	var store memory
	for name, raw := range certificates {
		parsed, err := parse(raw)
		if err != nil {
			return nil, fmt.Errorf("%w: %s holds no certificate", ErrTrust, name)
		}
		store = append(store, parsed...)
	}
	v, err := verifier.New(&document, store, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrTrust, PolicyKey, err)
	}
	return &Trust{verifier: v}, nil
}

func parse(raw []byte) ([]*x509.Certificate, error) {
	var all []*x509.Certificate
	for rest := raw; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		parsed, err := x509.ParseCertificates(block.Bytes)
		if err != nil {
			return nil, err
		}
		all = append(all, parsed...)
	}
	if len(all) > 0 {
		return all, nil
	}
	return x509.ParseCertificates(raw)
}

// memory is a trust store that is not on disk.
type memory []*x509.Certificate

// GetCertificates gives the same certificates for every store that a policy names.
func (m memory) GetCertificates(context.Context, truststore.Type, string) ([]*x509.Certificate, error) {
	return m, nil
}

// Verify checks the artifact with the given reference, which ends in its digest.
// It tells whether a signature holds; false without an error where the policy
// accepts the artifact as it is.
func (t *Trust) Verify(ctx context.Context, store oras.GraphTarget, reference string) (bool, error) {
	_, outcomes, err := notation.Verify(ctx, t.verifier, notationregistry.NewRepository(store),
		notation.VerifyOptions{ArtifactReference: reference, MaxSignatureAttempts: maxAttempts})
	if err != nil {
		return false, fmt.Errorf("%w for '%s': %w", ErrUnsigned, reference, err)
	}
	if len(outcomes) == 0 {
		return false, fmt.Errorf("%w for '%s'", ErrUnsigned, reference)
	}
	outcome := outcomes[0]
	if outcome.VerificationLevel.Name == trustpolicy.LevelSkip.Name {
		return false, nil
	}
	for _, result := range outcome.VerificationResults {
		// The policy only logs it, so the artifact is accepted; but who signed it
		// is not known.
		if result.Error != nil && result.Type == trustpolicy.TypeAuthenticity {
			return false, nil
		}
	}
	return true, nil
}
