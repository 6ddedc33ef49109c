// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rendered_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/rendered"
)

// planted has no four signs in a row that a mask or a manifest could have by
// chance.
const planted = "Zq9!Xw7@Kv3+Rt5%Lm"

// places are objects with a value in them, by what makes it a secret there.
var places = map[string]struct {
	tainted bool // nothing in the object itself says so
	text    string
}{
	"data of a Secret":   {false, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: BASE64, name: BASE64, value: BASE64}\n"},
	"data that is plain": {false, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: PLAIN, l: [PLAIN], m: {name: PLAIN}}\n"},
	"stringData":         {false, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: PLAIN, name: PLAIN, b: 'x PLAIN y'}\n"},
	"last applied": {
		false, "apiVersion: v1\nkind: Secret\nmetadata: {name: a, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"stringData\":{\"a\":\"PLAIN\"}}'}}\n",
	},
	"a sealed template": {false, "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: a}\nspec: {template: {data: {a: PLAIN}}}\n"},
	"a speaking key":    {false, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {DB_PASSWORD: PLAIN}\n"},
	"a variable":        {false, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, env: [{name: API_TOKEN, value: PLAIN}]}]}\n"},
	"assigned":          {false, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x.properties: 'db.password=PLAIN', .env: 'DB_PASSWORD=PLAIN', x.json: '{\"password\": \"PLAIN\"}'}\n"},
	"a private key":     {false, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {key.pem: '-----BEGIN EC PRIVATE KEY----- PLAIN'}\n"},
	"a URL":             {false, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {dsn_host: 'postgres://app:ESCAPED@db/users'}\n"},
	"a ConfigMap":       {true, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: PLAIN, b: 'x PLAIN y', c: BASE64}\n"},
	"labels":            {true, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {x: PLAIN}, annotations: {y: 'PLAIN'}}\n"},
	"anywhere":          {true, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {name: PLAIN, l: [PLAIN, {name: PLAIN, deep: [[PLAIN]]}], args: ['--x=PLAIN']}\n"},
}

func filled(text, value string) string {
	return strings.NewReplacer("PLAIN", value, "BASE64", base64.StdEncoding.EncodeToString([]byte(value)), "ESCAPED", url.QueryEscape(value)).Replace(text)
}

// TestFourSignsAreTooMany: of a planted value no four signs in a row are left,
// neither as it is nor encoded, wherever it stood (promise 7).
func TestFourSignsAreTooMany(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(planted))
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			scope := mask.Scope{Key: key}
			if place.tainted {
				scope.Tainted = []string{encoded, planted}
			}
			all := objects(t, filled(place.text, planted))
			got, err := rendered.Manifests(all, scope)
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range []string{planted, encoded, filled("ESCAPED", planted)} {
				for i := range len(form) - 3 {
					if bytes.Contains(got, []byte(form[i:i+4])) {
						t.Fatalf("%q is left in\n%s", form[i:i+4], got)
					}
				}
			}
			if !bytes.Contains(got, []byte("(masked ")) {
				t.Errorf("nothing was masked in\n%s", got)
			}
		})
	}
}

// TestSameObjectsSameBytes: a render that did not change is the same artifact,
// so that its reader has nothing to do.
func TestSameObjectsSameBytes(t *testing.T) {
	var all strings.Builder
	for _, place := range places {
		fmt.Fprintf(&all, "---\n%s", filled(place.text, planted))
	}
	var first []byte
	digests := map[rendered.Artifact]bool{}
	for range 20 {
		again := objects(t, all.String())
		before, err := json.Marshal(again)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rendered.Manifests(again, mask.Scope{Key: key, Tainted: []string{planted}})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(string(first), string(got)); diff != "" {
			t.Fatalf("the same objects, other bytes:\n%s", diff)
		}
		if after, _ := json.Marshal(again); !bytes.Equal(before, after) {
			t.Fatal("the desired objects were masked themselves")
		}
		store, _ := open(t)
		stored, err := store.Put(secret, got)
		if err != nil {
			t.Fatal(err)
		}
		digests[stored] = true
	}
	if len(digests) != 1 {
		t.Errorf("the same bytes are %d artifacts", len(digests))
	}
	other, err := rendered.Manifests(objects(t, all.String()), mask.Scope{Key: mask.Key("another"), Tainted: []string{planted}})
	if err != nil || bytes.Equal(first, other) {
		t.Errorf("under another key the masks are others: %v", err)
	}
}
