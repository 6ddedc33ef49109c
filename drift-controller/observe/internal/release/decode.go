// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Label keys by which Helm finds the Secrets of a release.
const (
	OwnerLabel   = "owner"
	NameLabel    = "name"
	VersionLabel = "version"
	Owner        = "helm"
)

// Key of the Secret's data that holds the release.
const Key = "release"

// largest release that is read: the API server stores at most 1.5 MiB, and
// YAML compresses about tenfold.
const largest = 32 << 20

// ErrNotRelease means that the data is not what Helm writes.
var ErrNotRelease = errors.New("not a Helm release")

// Objects decodes the manifest of a release: base64 of gzip of JSON. Objects
// without a namespace live in that of the release; the caller knows the scopes.
func Objects(data []byte) ([]manifest.Object, error) {
	text, err := unpack(data)
	if err != nil {
		return nil, err
	}
	// Only the manifest is looked at: values and chart stay undecoded.
	var stored struct {
		Manifest string `json:"manifest"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("%w: its JSON does not parse", ErrNotRelease)
	}
	objects, err := manifest.Decoder{LastKeyWins: true}.Decode("manifest", []byte(stored.Manifest))
	if err != nil {
		return nil, fmt.Errorf("manifest of the release: %w", err)
	}
	return objects, nil
}

func unpack(data []byte) ([]byte, error) {
	packed := make([]byte, base64.StdEncoding.DecodedLen(len(data)))
	n, err := base64.StdEncoding.Decode(packed, data)
	if err != nil {
		return nil, fmt.Errorf("%w: no base64", ErrNotRelease)
	}
	packed = packed[:n]
	if !bytes.HasPrefix(packed, []byte{0x1f, 0x8b, 0x08}) {
		return packed, nil // Helm before 3.0 stored some without compression
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotRelease, err)
	}
	text, err := io.ReadAll(io.LimitReader(reader, largest+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotRelease, err)
	}
	if len(text) > largest {
		return nil, fmt.Errorf("%w: larger than %d MiB when unpacked", ErrNotRelease, largest>>20)
	}
	return text, nil
}
