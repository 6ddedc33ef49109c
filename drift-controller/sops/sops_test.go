// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sops_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/holdfast-gitops/holdfast/drift-controller/sops"
)

const secret = "q~W|z~Jk^V~0x|Mw~"

const typed = `# about this file
auth:
    password: "` + secret + `"
    port: 5432
    ratio: 0.25
    enabled: true
    off: false
    empty: ""
    none: null
    looks: "0123"
    word: "true"
    text: |
        first line
        second line
    list:
        - one~two~three
        - name: deep
          token: tk~9x~LL~44
`

func identity(t *testing.T) *age.X25519Identity {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func values(t *testing.T, text []byte) []any {
	t.Helper()
	var all []any
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var value any
		if decoder.Decode(&value) != nil {
			return all
		}
		all = append(all, value)
	}
}

// TestTypes: what was encrypted comes back with its type, in every document.
func TestTypes(t *testing.T) {
	own, other := identity(t), identity(t)
	plain := typed + "---\nkind: ConfigMap\ndata: {a: b~c~d}\n"
	file, is, err := sops.Decrypt("values.yaml", []byte(seal(t, plain, other, own)), []age.Identity{own})
	if err != nil || !is {
		t.Fatalf("encrypted %t: %v", is, err)
	}
	if diff := cmp.Diff(values(t, []byte(plain)), values(t, file.Plain)); diff != "" {
		t.Errorf("the file in the clear (-want +got):\n%s\n%s", diff, file.Plain)
	}
	for _, value := range []string{secret, "5432", "tk~9x~LL~44", "b~c~d"} {
		if !strings.Contains(strings.Join(file.Opened, " "), value) {
			t.Errorf("%s is not named among the values to hide", value)
		}
	}
	if strings.Contains(string(file.Plain), "sops") {
		t.Error("the metadata is left in the file")
	}
}

func TestOtherForms(t *testing.T) {
	own := identity(t)
	for name, tc := range map[string]struct{ file, plain, want string }{
		"JSON":   {"a.json", `{"a": {"password": "` + secret + `", "n": 12}}`, `{"a":{"n":12,"password":"` + secret + `"}}`},
		"binary": {"key.pem", "data: |\n    line one\n    line two\n", "line one\nline two\n"},
	} {
		t.Run(name, func(t *testing.T) {
			file, is, err := sops.Decrypt(tc.file, []byte(seal(t, tc.plain, own)), []age.Identity{own})
			if err != nil || !is {
				t.Fatalf("encrypted %t: %v", is, err)
			}
			got := string(file.Plain)
			if name == "JSON" {
				got = strings.Join(strings.Fields(got), "")
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestEnv(t *testing.T) {
	own := identity(t)
	s := newSealer(t)
	user := s.value(t, "app~user~x", "str", "USER:")
	many := s.value(t, "one\ntwo", "str", "MANY:")
	s.sum = []byte("app~user~xone\ntwo")
	to := s.recipients(t, own)[0]
	text := "# comment\nUSER=" + user + "\nMANY=" + many + "\nEMPTY=\n" +
		"sops_age__list_0__map_recipient=" + to["recipient"] + "\n" +
		"sops_age__list_0__map_enc=" + strings.ReplaceAll(to["enc"], "\n", `\n`) + "\n" +
		"sops_lastmodified=" + modified + "\nsops_mac=" + s.mac(t) + "\n"
	file, is, err := sops.Decrypt("prod.env", []byte(text), []age.Identity{own})
	if err != nil || !is {
		t.Fatalf("encrypted %t: %v", is, err)
	}
	if want := "# comment\nUSER=app~user~x\nMANY=one\\ntwo\nEMPTY=\n"; string(file.Plain) != want {
		t.Errorf("got %q, want %q", file.Plain, want)
	}
	if _, _, err := sops.Decrypt("prod.env", []byte(strings.Replace(text, "EMPTY=", "EMPTY=added", 1)), []age.Identity{own}); !errors.Is(err, sops.ErrDamaged) {
		t.Errorf("a value that was added by hand: %v", err)
	}
}

// TestOnlyEncrypted: the sum is over encrypted values only, and begins so.
func TestOnlyEncrypted(t *testing.T) {
	own := identity(t)
	s := newSealer(t)
	s.onlyEncrypted = true
	text := sealWith(t, "kind: Secret\nstringData: {a: \""+secret+"\"}\n", s, nil, own)
	changed := strings.Replace(text, "kind: Secret", "kind: Secret\nadded: x", 1)
	for name, text := range map[string]string{"as made": text, "with more in the clear": changed} {
		if _, is, err := sops.Decrypt("a.yaml", []byte(text), []age.Identity{own}); err != nil || !is {
			t.Errorf("%s: encrypted %t: %v", name, is, err)
		}
	}
}

// TestRefused: each fault has its kind, and says no value and no key.
func TestRefused(t *testing.T) {
	own, other := identity(t), identity(t)
	text := seal(t, typed, own)
	password, _, _ := strings.Cut(text[strings.Index(text, "password: ")+len("password: "):], "\n")
	port, _, _ := strings.Cut(text[strings.Index(text, "port: ")+len("port: "):], "\n")
	sealedFor := func(more map[string]any, to ...*age.X25519Identity) string {
		return sealWith(t, typed, newSealer(t), more, to...)
	}
	for name, tc := range map[string]struct {
		reason string
		file   string
		text   string
		kind   error
		says   string
	}{
		"another key": {"the recipients are public, and say what to do", "a.yaml", seal(t, typed, other), sops.ErrKey, other.Recipient().String()},
		"edited":      {"a value was put in the clear", "a.yaml", strings.Replace(text, password, "changed", 1), sops.ErrDamaged, "authentication code"},
		"moved":       {"a value was moved to another name", "a.yaml", strings.Replace(text, port, password, 1), sops.ErrDamaged, "line 4"},
		"added":       {"a key was added by hand", "a.yaml", strings.Replace(text, "auth:", "added: x\nauth:", 1), sops.ErrDamaged, "authentication code"},
		"no age":      {"a key of a cloud", "a.yaml", sealedFor(map[string]any{"kms": []any{map[string]any{"arn": "x"}}}), sops.ErrProvider, "kms"},
		"groups":      {"shared out", "a.yaml", sealedFor(map[string]any{"shamir_threshold": 2}, own), sops.ErrProvider, "groups"},
		"an alias":    {"SOPS never writes one", "a.yaml", strings.Replace(text, "auth:", "x: &x y\nz: *x\nauth:", 1), sops.ErrDamaged, "alias"},
		"INI":         {"another format", "a.ini", "[a]\nb = ENC[AES256_GCM,data:x]\n[sops]\nmac = x\n", sops.ErrProvider, "INI"},
	} {
		t.Run(name, func(t *testing.T) {
			_, is, err := sops.Decrypt(tc.file, []byte(tc.text), []age.Identity{own})
			if !is || !errors.Is(err, tc.kind) {
				t.Fatalf("%s: encrypted %t, %v", tc.reason, is, err)
			}
			if !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), tc.file) {
				t.Errorf("%s: want %q and the file in: %v", tc.reason, tc.says, err)
			}
			for _, hidden := range []string{secret[:4], own.String()} {
				if strings.Contains(err.Error(), hidden) {
					t.Errorf("%s: a value or key is in: %v", tc.reason, err)
				}
			}
		})
	}
}

func TestNotOurs(t *testing.T) {
	for name, text := range map[string]string{
		"a.yaml": "a: b\n", "b.yaml": "sops: [\nENC[AES256_GCM,", "c.yaml": "note: sops writes ENC[AES256_GCM,...]\n",
		"d.json": `{"sops": {}, "x": "ENC[AES256_GCM,"}`, "e.env": "A=ENC[AES256_GCM,sops\n", "f.ini": "a=sops ENC[AES256_GCM,", "g.bin": "sops ENC[AES256_GCM,",
	} {
		if _, is, err := sops.Decrypt(name, []byte(text), nil); is || err != nil {
			t.Errorf("%s: encrypted %t, %v", name, is, err)
		}
	}
}

func TestIdentities(t *testing.T) {
	own := identity(t)
	if ids, err := sops.Identities([]string{"# a comment\n" + own.String() + "\n"}); err != nil || len(ids) != 1 {
		t.Errorf("a key file as age-keygen writes it: %d, %v", len(ids), err)
	}
	broken := own.String()[:40]
	if _, err := sops.Identities([]string{broken}); !errors.Is(err, sops.ErrIdentity) || strings.Contains(err.Error(), broken[20:]) {
		t.Errorf("a broken key: %v", err)
	}
}

func FuzzDecrypt(f *testing.F) {
	f.Add("a.yaml", "a: ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]\nsops: {mac: \"ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]\", age: [{enc: x}]}\n")
	f.Add("a.env", "A=ENC[AES256_GCM,data:eA==,iv:,tag:,type:str]\nsops_mac=x\n")
	f.Add("a", `{"data":"ENC[AES256_GCM,","sops":{"mac":"x","age":[]}}`)
	id, err := age.GenerateX25519Identity()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if file, is, err := sops.Decrypt(name, []byte(text), []age.Identity{id}); is && err == nil {
			t.Fatalf("nobody encrypted %q for this key, and it gave %q", text, file.Plain)
		}
	})
}
