// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package leak

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
)

const modified = "2026-11-30T12:00:00Z"

// seal writes a Secret with one value as SOPS would, and the key that opens it.
func seal(t *testing.T, name, value string) (file, key string) {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	must(t, err)
	dataKey := make([]byte, 32)
	_, err = rand.Read(dataKey)
	must(t, err)
	// What is summed up are all values of the file, encrypted or not.
	sum := sha512.Sum512([]byte("v1" + "Secret" + name + value))
	meta, err := json.Marshal(map[string]any{
		"age":             []map[string]string{{"recipient": identity.Recipient().String(), "enc": wrapped(t, identity, dataKey)}},
		"lastmodified":    modified,
		"mac":             encrypted(t, dataKey, strings.ToUpper(hex.EncodeToString(sum[:])), modified),
		"encrypted_regex": "^(data|stringData)$", "version": "3.13.2",
	})
	must(t, err)
	file = fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\nstringData:\n  password: %s\nsops: %s\n",
		name, encrypted(t, dataKey, value, "stringData:password:"), meta)
	return file, identity.String()
}

func encrypted(t *testing.T, key []byte, plain, additional string) string {
	t.Helper()
	block, err := aes.NewCipher(key)
	must(t, err)
	gcm, err := cipher.NewGCMWithNonceSize(block, 32)
	must(t, err)
	iv := make([]byte, 32)
	_, err = rand.Read(iv)
	must(t, err)
	out := gcm.Seal(nil, iv, []byte(plain), []byte(additional))
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("ENC[AES256_GCM,data:%s,iv:%s,tag:%s,type:str]", text(out[:len(out)-16]), text(iv), text(out[len(out)-16:]))
}

func wrapped(t *testing.T, to *age.X25519Identity, key []byte) string {
	t.Helper()
	var out bytes.Buffer
	armored := armor.NewWriter(&out)
	w, err := age.Encrypt(armored, to.Recipient())
	must(t, err)
	_, err = w.Write(key)
	must(t, err)
	must(t, w.Close())
	must(t, armored.Close())
	return out.String()
}
