// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"encoding/base64"
	"testing"
)

func TestOf(t *testing.T) {
	sealed := base64.StdEncoding.EncodeToString(append([]byte{2, 0}, make([]byte, 512+16)...))
	for value, want := range map[string]struct {
		shape  Shape
		reason string
	}{
		"":                {Empty, "nothing"},
		"  \n":            {Empty, "space only"},
		"sommer":          {Opaque, "a short word may be a password"},
		"true":            {Trivial, "a switch"},
		"/run/secrets/pw": {Trivial, "a path"},
		"4711":            {Trivial, "a number, which a name may make a secret"},
		"30s":             {Trivial, "a duration"},
		"sha256:cb113fc4a7d194214255ea02c9c4cf79339c23252a2b7939e5f58149fe68ef68": {Public, "a digest"},
		"0b2f4c8e-1a2b-4c3d-8e9f-001122334455":                                    {Public, "an identifier"},
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7 me":                              {Public, "a public key"},
		`{{ .x | default "hunter2" }}`:                                            {Opaque, "a template with a literal in it"},
		"$ecret123":                                                               {Opaque, "a password with a dollar"},
		"$DB_PASSWORD":                                                            {Reference, "a variable of a shell"},
		"REPLACE_ME":                                                              {Placeholder, "asks to be replaced"},
		"change-me-in-production":                                                 {Placeholder, "asks to be replaced, at length"},
		"changeme123":                                                             {Opaque, "has been changed"},
		"<password>":                                                              {Placeholder, "angle brackets"},
		"your-api-token-here":                                                     {Placeholder, "documentation"},
		"your-dog-eats-fish":                                                      {Opaque, "a passphrase"},
		"xxxx":                                                                    {Placeholder, "crosses"},
		"${DB_PASSWORD}":                                                          {Reference, "shell and Flux"},
		"$(DB_PASSWORD)":                                                          {Reference, "Kubernetes"},
		"{{ .password }}":                                                         {Reference, "a template"},
		`{{ index . "pw" | quote }}`:                                              {Reference, "a template"},
		"Bearer ${TOKEN}":                                                         {Reference, "a scheme and a reference"},
		"postgres://$(U):$(P)@db/x":                                               {Reference, "both halves are references"},
		"postgres://app:${P}@db/x":                                                {Reference, "the password is a reference"},
		"postgres://${U}:pw1@db/x":                                                {Opaque, "only the user is a reference"},
		"pw1${SUFFIX}":                                                            {Opaque, "a value with a variable behind it"},
		"vault:secret/data/db#pw":                                                 {Reference, "bank-vaults"},
		"ref+vault://secret/db#/pw":                                               {Reference, "vals"},
		"<path:secret/data/db#pw>":                                                {Reference, "Argo CD Vault plugin"},
		"op://vault/item/field":                                                   {Reference, "1Password"},
		"ENC[AES256_GCM,data:a,iv:b]":                                             {Encrypted, "a leaf of SOPS"},
		"password=ENC[AES256_GCM,data:a]\nsops_mac=ENC[AES256_GCM,data:b]": {Encrypted, "a dotenv file of SOPS"},
		sealed:                               {Encrypted, "kubeseal"},
		"aHVudGVyMg==":                       {Opaque, "base64 is no encryption"},
		"-----BEGIN AGE ENCRYPTED FILE-----": {Encrypted, "age"},
		"(masked empty)":                     {Empty, "a mask without a digest"},
		"(masked opaque hmac:8c1f2a)":        {Opaque, "a mask"},
		"(masked reference hmac:8c1f2a)":     {Reference, "a mask"},
		"(masked placeholder hmac:8c1f2a patterns:aws,jwt)": {Placeholder, "a mask with words of a newer version"},
		"(masked shiny hmac:8c1f2a)":                        {Opaque, "a shape of a newer version is not harmless"},
		"a=(masked empty);b=(masked opaque hmac:1a)":        {Opaque, "the most telling mask decides"},
		"a=(masked reference hmac:1a) b=(masked encrypted)": {Encrypted, "the most telling mask decides"},
	} {
		if got := Of(value); got != want.shape {
			t.Errorf("%q: got %s, want %s: %s", value, got, want.shape, want.reason)
		}
	}
}
