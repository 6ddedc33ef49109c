// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package credentials

import "fmt"

// Keys of older Secrets with certificates, read where the current ones are empty.
const (
	oldCertKey       = "certFile"
	oldPrivateKeyKey = "keyFile"
)

// Certificates reads a Secret that holds certificates and nothing else: what is
// trusted beside the system's authorities, and what a client shows.
func Certificates(data map[string][]byte) (Auth, error) {
	a := Auth{
		ca:   either(data, caKey, oldCAKey),
		cert: either(data, certKey, oldCertKey),
		key:  either(data, privateKeyKey, oldPrivateKeyKey),
	}
	if len(a.ca) == 0 && len(a.cert) == 0 && len(a.key) == 0 {
		return Auth{}, fmt.Errorf("%w: it must have the key %q, or %q together with %q, or all three", ErrInvalid, caKey, certKey, privateKeyKey)
	}
	return a, a.validate()
}

func either(data map[string][]byte, current, old string) []byte {
	if value := data[current]; len(value) > 0 {
		return value
	}
	return data[old]
}
