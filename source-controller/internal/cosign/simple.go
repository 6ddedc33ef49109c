// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cosign

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/verify"
)

// Annotations of a layer of a signature manifest, whose blob is what was signed.
const (
	payloadType           = "application/vnd.dev.cosign.simplesigning.v1+json"
	signatureAnnotation   = "dev.cosignproject.cosign/signature"
	certificateAnnotation = "dev.sigstore.cosign/certificate"
	logAnnotation         = "dev.sigstore.cosign/bundle"
)

// manifest checks the signatures of a signature manifest; one is enough.
func (t *Trust) manifest(ctx context.Context, source Source, referrer ocispec.Descriptor, subject digest.Digest) error {
	manifest, err := readManifest(ctx, source, referrer)
	if err != nil {
		return err
	}
	refusal := fmt.Errorf("the manifest %s holds no signature", referrer.Digest)
	for _, layer := range manifest.Layers {
		if layer.MediaType != payloadType {
			continue
		}
		payload, err := source.Document(ctx, layer)
		if err != nil {
			return err
		}
		if refusal = t.simple(payload, layer.Annotations, subject); refusal == nil {
			return nil
		}
	}
	return refusal
}

// simple checks that the payload is about the artifact, and that somebody trusted
// signed it.
func (t *Trust) simple(payload []byte, annotations map[string]string, subject digest.Digest) error {
	var claim struct {
		Critical struct {
			Image struct {
				Digest string `json:"docker-manifest-digest"`
			} `json:"image"`
		} `json:"critical"`
	}
	if err := json.Unmarshal(payload, &claim); err != nil {
		return fmt.Errorf("the signed text cannot be read: %w", err)
	}
	if claim.Critical.Image.Digest != subject.String() {
		return fmt.Errorf("the signed text is about %q", claim.Critical.Image.Digest)
	}
	signed, err := base64.StdEncoding.DecodeString(annotations[signatureAnnotation])
	if err != nil || len(signed) == 0 {
		return fmt.Errorf("the annotation %s holds no signature", signatureAnnotation)
	}
	refusal := errors.New("no key fits")
	for _, j := range t.judges {
		if j.key != nil {
			refusal = j.key.VerifySignature(bytes.NewReader(signed), bytes.NewReader(payload))
		} else {
			refusal = t.certified(payload, signed, annotations)
		}
		if refusal == nil {
			return nil
		}
	}
	return refusal
}

// certified checks a signature by a certificate: it is what a bundle would hold,
// spread over annotations.
func (t *Trust) certified(payload, signed []byte, annotations map[string]string) error {
	sum := sha256.Sum256(payload)
	chain, err := certificates(annotations[certificateAnnotation])
	if err != nil {
		return err
	}
	entry, err := logEntry(annotations[logAnnotation])
	if err != nil {
		return err
	}
	entity, err := bundle.NewBundle(&protobundle.Bundle{
		MediaType: "application/vnd.dev.sigstore.bundle+json;version=0.1",
		VerificationMaterial: &protobundle.VerificationMaterial{
			Content:     &protobundle.VerificationMaterial_X509CertificateChain{X509CertificateChain: chain},
			TlogEntries: []*protorekor.TransparencyLogEntry{entry},
		},
		Content: &protobundle.Bundle_MessageSignature{MessageSignature: &protocommon.MessageSignature{
			MessageDigest: &protocommon.HashOutput{Algorithm: protocommon.HashAlgorithm_SHA2_256, Digest: sum[:]},
			Signature:     signed,
		}},
	})
	if err != nil {
		return fmt.Errorf("the signature's annotations do not fit together: %w", err)
	}
	return t.judge(entity, verify.WithArtifact(bytes.NewReader(payload)))
}

// certificates reads the certificate that signed. Those above it come from the
// trusted root alone.
func certificates(text string) (*protocommon.X509CertificateChain, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, fmt.Errorf("the annotation %s holds no certificate", certificateAnnotation)
	}
	return &protocommon.X509CertificateChain{Certificates: []*protocommon.X509Certificate{{RawBytes: block.Bytes}}}, nil
}

// logEntry reads what the transparency log promised.
func logEntry(text string) (*protorekor.TransparencyLogEntry, error) {
	var promise struct {
		Signed  []byte `json:"SignedEntryTimestamp"`
		Payload struct {
			Body  []byte `json:"body"`
			Time  int64  `json:"integratedTime"`
			Index int64  `json:"logIndex"`
			Log   string `json:"logID"`
		} `json:"Payload"`
	}
	var kind struct {
		Kind    string `json:"kind"`
		Version string `json:"apiVersion"`
	}
	if err := json.Unmarshal([]byte(text), &promise); err != nil {
		return nil, fmt.Errorf("the annotation %s holds no entry of a transparency log", logAnnotation)
	}
	if err := json.Unmarshal(promise.Payload.Body, &kind); err != nil {
		return nil, fmt.Errorf("the annotation %s: the entry cannot be read", logAnnotation)
	}
	log, err := hex.DecodeString(promise.Payload.Log)
	if err != nil {
		return nil, fmt.Errorf("the annotation %s: the log has no name", logAnnotation)
	}
	return &protorekor.TransparencyLogEntry{
		LogIndex:          promise.Payload.Index,
		LogId:             &protocommon.LogId{KeyId: log},
		KindVersion:       &protorekor.KindVersion{Kind: kind.Kind, Version: kind.Version},
		IntegratedTime:    promise.Payload.Time,
		InclusionPromise:  &protorekor.InclusionPromise{SignedEntryTimestamp: promise.Signed},
		CanonicalizedBody: promise.Payload.Body,
	}, nil
}
