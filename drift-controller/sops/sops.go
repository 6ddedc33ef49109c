// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sops

import (
	"bytes"
	"path"

	"filippo.io/age"
)

// File is a decrypted one.
type File struct {
	Plain []byte
	// Opened are the values that were encrypted, as text.
	Opened []string
}

// Decrypt gives the file in the clear. is tells whether SOPS encrypted it at
// all; a file that it did not is none of our business.
func Decrypt(name string, raw []byte, identities []age.Identity) (file File, is bool, err error) {
	// Whatever SOPS wrote has both words; most files have neither.
	if !bytes.Contains(raw, []byte("sops")) || !bytes.Contains(raw, []byte("ENC[AES256_GCM,")) {
		return File{}, false, nil
	}
	switch path.Ext(name) {
	case ".yaml", ".yml":
		return decryptYAML(name, raw, identities)
	case ".json":
		return decryptJSON(name, raw, identities)
	case ".env":
		return decryptEnv(name, raw, identities)
	case ".ini":
		if bytes.Contains(raw, []byte("[sops]")) {
			return File{}, true, fault(ErrProvider, name, "encrypted INI files are not offered: use YAML, JSON, dotenv or a binary file")
		}
		return File{}, false, nil
	}
	return decryptBinary(name, raw, identities)
}
