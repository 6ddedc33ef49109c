// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package mask_test

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

var key = mask.Key("0123456789abcdef0123456789abcdef")

type (
	fields = map[string]any
	list   = []any
)

// hidden is the mask of a value under the test's key.
func hidden(v any) string { return mask.Token(key.Digest(v)) }

func TestDigest(t *testing.T) {
	if a, b := key.Digest("x"), mask.Key("another").Digest("x"); a == b || len(a) != 16 {
		t.Errorf("a digest is 16 digits and depends on the key: %s %s", a, b)
	}
	if key.Digest("1") == key.Digest(1) {
		t.Error("a text and a number are two values")
	}
	if key.Digest(fields{"a": 1, "b": 2}) != key.Digest(fields{"b": 2, "a": 1}) {
		t.Error("the order of a map is no difference")
	}
	// What JSON cannot say has a digest all the same: it is a value too.
	if a, b := key.Digest(func() {}), key.Digest(make(chan int)); a == "" || a == b {
		t.Errorf("two values that cannot be encoded: %q %q", a, b)
	}
}

func TestValueByPlace(t *testing.T) {
	secret := mask.Scope{Key: key, Secret: true}
	plain := mask.Scope{Key: key}
	cases := map[string]struct {
		reason string
		scope  mask.Scope
		path   []string
		value  any
		want   any
	}{
		"data of a Secret": {"every value is one, whatever its key", secret, []string{"data", "HOST"}, "aG9zdA==", hidden("aG9zdA==")},
		"all data":         {"keys stay", secret, []string{"data"}, fields{"a": "YQ==", "empty": ""}, fields{"a": hidden("YQ=="), "empty": ""}},
		"a key called name": {
			"in a Secret a name is a value like any other", secret, nil, fields{"data": fields{"name": "cGFzcw=="}, "stringData": fields{"name": "pass"}},
			fields{"data": fields{"name": hidden("cGFzcw==")}, "stringData": fields{"name": hidden("pass")}},
		},
		"not a string": {"a value of the wrong type is a value", secret, []string{"stringData", "port"}, int64(5432), hidden(int64(5432))},
		"nested":       {"at any depth", secret, []string{"data", "x"}, list{"a", fields{"name": "b"}, nil}, list{hidden("a"), fields{"name": hidden("b")}, nil}},
		"rest of a Secret": {
			"its type and labels are no secret", secret, nil, fields{"type": "Opaque", "metadata": fields{"name": "db", "labels": fields{"a": "b"}}},
			fields{"type": "Opaque", "metadata": fields{"name": "db", "labels": fields{"a": "b"}}},
		},
		"data elsewhere": {"a ConfigMap's data are no secrets", plain, []string{"data", "HOST"}, "db", "db"},
		"last applied":   {"kubectl keeps the whole Secret there", plain, []string{"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"}, `{"data":{}}`, hidden(`{"data":{}}`)},
		"speaking key":   {"a key of a ConfigMap that says so", plain, []string{"data", "DB_PASSWORD"}, "hunter2", hidden("hunter2")},
		"referring key":  {"a key that only refers to one", plain, []string{"data", "PASSWORD_FILE"}, "/run/pw", "/run/pw"},
		"field":          {"a field of a schema has its meaning from the schema", plain, []string{"spec", "secretName"}, "db", "db"},
		"token field":    {"even if its name speaks", plain, []string{"spec", "token"}, "db", "db"},
		"variable": {
			"a variable by its name; other fields of it stay", plain, []string{"spec", "containers", "[name=api]", "env", "[name=API_TOKEN]", "value"}, "t0p", hidden("t0p"),
		},
		"whole variable": {
			"the name is needed to read the report", plain, []string{"spec", "containers", "[name=api]", "env", "[name=API_TOKEN]"},
			fields{"name": "API_TOKEN", "value": "t0p"}, fields{"name": "API_TOKEN", "value": hidden("t0p")},
		},
		"list of variables": {
			"items are told apart by their names", plain, []string{"spec", "containers", "[name=api]", "env"},
			list{fields{"name": "API_TOKEN", "value": "t0p"}, fields{"name": "LEVEL", "value": "info"}},
			list{fields{"name": "API_TOKEN", "value": hidden("t0p")}, fields{"name": "LEVEL", "value": "info"}},
		},
		"argument": {"name and value pairs anywhere", plain, []string{"spec", "parameters"}, list{fields{"name": "clientSecret", "value": "t0p"}}, list{fields{"name": "clientSecret", "value": hidden("t0p")}}},
		"number":   {"a number under a speaking key", plain, []string{"data", "PASSWORD"}, int64(1234), hidden(int64(1234))},
		"null":     {"nothing is no secret", secret, []string{"data", "x"}, nil, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, masked := tc.scope.Value(tc.path, tc.value)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if want := !cmp.Equal(tc.value, tc.want); masked != want {
				t.Errorf("%s: want masked %t, got %t", tc.reason, want, masked)
			}
		})
	}
}

func TestValueByText(t *testing.T) {
	scope := mask.Scope{Key: key, Tainted: []string{"fr0m-vault", "55321", "ab"}}
	cases := map[string]struct{ reason, value, want string }{
		"nothing":         {"a plain text stays", "log level: info", "log level: info"},
		"empty":           {"empty is no secret", "", ""},
		"tainted":         {"a text that holds a tainted one is hidden whole", "pw is fr0m-vault!", hidden("pw is fr0m-vault!")},
		"short taint":     {"a tainted text of two letters is everywhere", "about", "about"},
		"private key":     {"a key by its armour", "-----BEGIN RSA PRIVATE KEY-----\nMII", hidden("-----BEGIN RSA PRIVATE KEY-----\nMII")},
		"url":             {"the password in a URL, and only that", "postgres://app:hunter2@db:5432/users", "postgres://app:" + hidden("hunter2") + "@db:5432/users"},
		"url without one": {"a user alone is a user", "https://git@example.com/x", "https://git@example.com/x"},
		"url of no user":  {"Redis has no user", "redis://:hunter2@cache", "redis://:" + hidden("hunter2") + "@cache"},
		"url, escaped":    {"its digest is that of the password itself", "amqp://u:h%40nter@mq", "amqp://u:" + hidden("h@nter") + "@mq"},
		"url, odd sign":   {"the last @ ends the password", "amqp://u:p@ss@mq", "amqp://u:" + hidden("p@ss") + "@mq"},
		"url, variable":   {"a reference is no secret", "postgres://app:${PW}@db postgres://app:$(PW)@db", "postgres://app:${PW}@db postgres://app:$(PW)@db"},
		"url, dollar":     {"a password may begin with a dollar", "postgres://app:$ecret1@db", "postgres://app:" + hidden("$ecret1") + "@db"},
		"two urls":        {"each of them", "a://u:one1@h,b://u:two2@h", "a://u:" + hidden("one1") + "@h,b://u:" + hidden("two2") + "@h"},
		"assignment":      {"in a line of a file", "user=app\npassword=hunter2\n", "user=app\npassword=" + hidden("hunter2") + "\n"},
		"with prefix":     {"names have prefixes", "DB_PASSWORD=hunter2", "DB_PASSWORD=" + hidden("hunter2")},
		"in camel case":   {"of any kind", "dbPassword: hunter2", "dbPassword: " + hidden("hunter2")},
		"dotted":          {"Spring's", "spring.datasource.password=hunter2", "spring.datasource.password=" + hidden("hunter2")},
		"in JSON":         {"names and values in quotes", `{"password": "hunter2", "user": "app"}`, `{"password": "` + hidden("hunter2") + `", "user": "app"}`},
		"two of them":     {"each", "token=abcd secret=efgh", "token=" + hidden("abcd") + " secret=" + hidden("efgh")},
		"not assigned":    {"to speak of one is no secret", "the password is in the vault; tokens: many", "the password is in the vault; tokens: many"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, masked := scope.Value([]string{"spec", "text"}, tc.value)
			if got != tc.want {
				t.Errorf("%s:\nwant %q\n got %q", tc.reason, tc.want, got)
			}
			if masked != (tc.want != tc.value) {
				t.Errorf("%s: masked %t", tc.reason, masked)
			}
		})
	}
	if got, masked := scope.Value([]string{"spec", "port"}, int64(55321)); got != hidden(int64(55321)) || !masked {
		t.Errorf("a tainted number is a number elsewhere: %v", got)
	}
	if got, _ := scope.Value([]string{"spec", "ready"}, true); got != true {
		t.Errorf("true and false are no secret: %v", got)
	}
}

// TestValueLeavesItsInput: both sides of a difference are masked from the same
// live object.
func TestValueLeavesItsInput(t *testing.T) {
	in := fields{"data": fields{"a": "YQ==", "l": list{"x", fields{"name": "n"}}}}
	before, _ := json.Marshal(in)
	mask.Scope{Key: key, Secret: true}.Value(nil, in)
	if after, _ := json.Marshal(in); string(after) != string(before) {
		t.Errorf("want %s, got %s", before, after)
	}
}

var token = regexp.MustCompile(`\(masked [0-9a-f]{16}\)`)

// FuzzScopeValue: no value makes it panic, and nothing that a Secret holds or
// that is tainted is left of it, at any place and in any shape.
func FuzzScopeValue(f *testing.F) {
	f.Add("hunter2!", "password", uint8(0))
	f.Add("postgres://u:p@h", "name", uint8(3))
	f.Add("(masked 0123456789abcdef)", "[name=x]", uint8(7))
	f.Add("\xff\x00 ://@:", "", uint8(12))
	f.Add("-----BEGIN PRIVATE KEY-----", "kubectl.kubernetes.io/last-applied-configuration", uint8(31))
	f.Fuzz(func(t *testing.T, secret, name string, shape uint8) {
		value := wrapped(secret, name, shape)
		for _, path := range [][]string{nil, {name}, {"spec", "env", "[name=" + name + "]", "value"}, {"data", name}} {
			mask.Scope{Key: key}.Value(path, value)
		}
		if len(secret) < 4 || !strings.ContainsAny(secret, "!#%&*+,;<>?@^|") || strings.Contains(name, secret) || token.MatchString(secret) {
			return // short or plain, it might be met by chance in a name or a mask
		}
		held, _ := mask.Scope{Key: key, Secret: true}.Value(nil, fields{"data": value, "stringData": fields{name: secret}})
		absent(t, held, secret)
		at, _ := mask.Scope{Key: key, Secret: true}.Value([]string{"data", name}, value)
		absent(t, at, secret)
		tainted, _ := mask.Scope{Key: key, Tainted: []string{secret}}.Value([]string{"spec", name}, value)
		absent(t, tainted, secret)
	})
}

// wrapped puts a value into one of many shapes.
func wrapped(secret, name string, shape uint8) any {
	var v any = secret
	if shape&1 != 0 {
		v = fields{name: v, "name": secret, "value": secret}
	}
	if shape&2 != 0 {
		v = list{v, secret, fields{"name": secret, "value": v}, nil, int64(4), 1.5, true}
	}
	if shape&4 != 0 {
		v = fields{"name": v, "data": v}
	}
	if shape&8 != 0 {
		v = fields{name: "x " + secret + " y", "list": list{list{v}}}
	}
	return v
}

func absent(t *testing.T, v any, secret string) {
	t.Helper()
	for _, text := range texts(v) {
		rest := token.ReplaceAllString(text, "")
		if strings.Contains(rest, secret) || strings.Contains(rest, base64.StdEncoding.EncodeToString([]byte(secret))) {
			t.Fatalf("%q survives in %q", secret, text)
		}
	}
}

// texts are all scalars of a value. Keys are no values: they always stay.
func texts(v any) []string {
	switch t := v.(type) {
	case fields:
		var all []string
		for _, field := range t {
			all = append(all, texts(field)...)
		}
		return all
	case list:
		var all []string
		for _, item := range t {
			all = append(all, texts(item)...)
		}
		return all
	case string:
		return []string{t}
	}
	return nil
}
