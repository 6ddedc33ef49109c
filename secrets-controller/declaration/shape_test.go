// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"encoding/base64"
	"testing"
)

func TestShapeOf(t *testing.T) {
	sealed := base64.StdEncoding.EncodeToString(append([]byte{2, 0}, make([]byte, 512+16)...))
	for value, want := range map[string]struct {
		shape  Shape
		reason string
	}{
		"":                            {ShapeEmpty, "nothing"},
		"  \n":                        {ShapeEmpty, "space only"},
		"sommer":                      {ShapeOpaque, "a short word may be a password"},
		"true":                        {ShapeOpaque, "whether a value is harmless is not for its shape to say"},
		"REPLACE_ME":                  {ShapePlaceholder, "asks to be replaced"},
		"change-me-in-production":     {ShapePlaceholder, "asks to be replaced, at length"},
		"changeme123":                 {ShapeOpaque, "has been changed"},
		"<password>":                  {ShapePlaceholder, "angle brackets"},
		"your-api-token-here":         {ShapePlaceholder, "documentation"},
		"your-dog-eats-fish":          {ShapeOpaque, "a passphrase"},
		"xxxx":                        {ShapePlaceholder, "crosses"},
		"${DB_PASSWORD}":              {ShapeReference, "shell and Flux"},
		"$(DB_PASSWORD)":              {ShapeReference, "Kubernetes"},
		"{{ .password }}":             {ShapeReference, "a template"},
		`{{ index . "pw" | quote }}`:  {ShapeReference, "a template"},
		"Bearer ${TOKEN}":             {ShapeReference, "a scheme and a reference"},
		"postgres://$(U):$(P)@db/x":   {ShapeReference, "both halves are references"},
		"postgres://app:${P}@db/x":    {ShapeReference, "the password is a reference"},
		"postgres://${U}:pw1@db/x":    {ShapeOpaque, "only the user is a reference"},
		"pw1${SUFFIX}":                {ShapeOpaque, "a value with a variable behind it"},
		"vault:secret/data/db#pw":     {ShapeReference, "bank-vaults"},
		"ref+vault://secret/db#/pw":   {ShapeReference, "vals"},
		"<path:secret/data/db#pw>":    {ShapeReference, "Argo CD Vault plugin"},
		"op://vault/item/field":       {ShapeReference, "1Password"},
		"ENC[AES256_GCM,data:a,iv:b]": {ShapeEncrypted, "a leaf of SOPS"},
		"password=ENC[AES256_GCM,data:a]\nsops_mac=ENC[AES256_GCM,data:b]": {ShapeEncrypted, "a dotenv file of SOPS"},
		sealed:                               {ShapeEncrypted, "kubeseal"},
		"aHVudGVyMg==":                       {ShapeOpaque, "base64 is no encryption"},
		"-----BEGIN AGE ENCRYPTED FILE-----": {ShapeEncrypted, "age"},
		"(masked empty)":                     {ShapeEmpty, "a mask without a digest"},
		"(masked opaque hmac:8c1f2a)":        {ShapeOpaque, "a mask"},
		"(masked reference hmac:8c1f2a)":     {ShapeReference, "a mask"},
		"(masked placeholder hmac:8c1f2a patterns:aws,jwt)": {ShapePlaceholder, "a mask with words of a newer version"},
		"(masked shiny hmac:8c1f2a)":                        {ShapeOpaque, "a shape of a newer version is not harmless"},
		"a=(masked empty);b=(masked opaque hmac:1a)":        {ShapeOpaque, "the most telling mask decides"},
		"a=(masked reference hmac:1a) b=(masked encrypted)": {ShapeEncrypted, "the most telling mask decides"},
	} {
		if got := ShapeOf(value); got != want.shape {
			t.Errorf("%q: got %s, want %s: %s", value, got, want.shape, want.reason)
		}
	}
}

func TestEvidence(t *testing.T) {
	key := []byte("of this installation")
	if got := Evidence("(masked opaque hmac:8c1f2a)", key); got != "8c1f2a" {
		t.Errorf("a mask brings its digest: got %q", got)
	}
	if got := Evidence("hmac:8c1f2a", nil); got != "" {
		t.Errorf("only a mask does: got %q", got)
	}
	if got := Evidence("sommer", nil); got != "" {
		t.Errorf("a digest without a key could be guessed: got %q", got)
	}
	one, same, other := Evidence("sommer", key), Evidence("sommer", key), Evidence("winter", key)
	if one == "" || one != same || one == other {
		t.Errorf("digests of sommer, sommer, winter: %q %q %q", one, same, other)
	}
}
