// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

// FuzzTemplate: no template text, rewrite or name of a key ends the reading of
// an artifact, and none makes two readings differ.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{
		"{{ .user }}", `{{ index . "db-password" | b64enc }}`, "{{ .a.b.c }}", "{{ with .x }}{{ .y }}{{ end }}", "{{ range $k, $v := . }}{{ $k }}{{ end }}",
		"{{ .some-data }}", "{{ define \"a\" }}{{ .b }}{{ end }}{{ template \"a\" . }}", "{{ $x := . }}{{ $x.y }}", "{{", "{{ printf \"%s\" .x | unknown 1 2 }}",
		"{{ (fromJson .a).b }}", "{{/* c */}}", "{{- .a -}}", "{{ break }}", "${1}_X", "^(?!x)", "\x00",
	} {
		f.Add(text, "key", "(.*)", "$1_X")
	}
	f.Fuzz(func(t *testing.T, template, key, source, target string) {
		text := func(v any) string {
			out, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(out)
		}
		stream := fmt.Sprintf(`{"apiVersion":"external-secrets.io/v1","kind":"ExternalSecret","metadata":{"name":"a"},"spec":{
			"target":{"template":{"data":{%[2]s:%[1]s},"metadata":{"annotations":{"a":%[1]s}},"templateFrom":[{"literal":%[1]s,"target":%[2]s}]}},
			"data":[{"secretKey":%[2]s,"remoteRef":{"key":%[2]s}}],
			"dataFrom":[{"extract":{"key":"x"},"rewrite":[{"regexp":{"source":%[3]s,"target":%[4]s}},{"transform":{"template":%[1]s}}]},{"find":{"name":{"regexp":%[3]s}}}]}}`,
			text(template), text(key), text(source), text(target))
		objects, err := declaration.Parse("fuzz.yaml", []byte(stream))
		if err != nil {
			return
		}
		first := declaration.Read(objects, declaration.Options{Namespace: "shop"}).ExternalSecrets
		again := declaration.Read(objects, declaration.Options{Namespace: "shop"}).ExternalSecrets
		if !reflect.DeepEqual(first, again) {
			t.Fatalf("two readings of %s differ", stream)
		}
	})
}

// FuzzReadSource: no file of a repository ends the look through it.
func FuzzReadSource(f *testing.F) {
	for _, text := range []string{
		"a: {b: [c, {password: x1y2z3w4}]}\n---\nd: e", "kind: Secret\napiVersion: v1\nstringData: {a: b}\n", "# password: s3cr3t77\n",
		"namePrefix: x\nsecretGenerator: [{name: a, literals: [a=b]}]", "a: &a [*a]", "a: &a {b: *a}", "<<: {a: b}", "items: []\nkind: List\napiVersion: v1",
		"creation_rules: [{age: x}]", "%YAML 1.1\n---\n...", "\tx", "{{ lookup \"v1\" \"Secret\" }}", "- - - password: x",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := fstest.MapFS{}
		for _, name := range []string{"values.yaml", "x/kustomization.yaml", ".sops.yaml", "c/templates/t.yaml", "m.yaml", "e.env", "s.json"} {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		source, err := declaration.ReadSource(files, ".", declaration.SourceOptions{Raw: true})
		if err != nil || !source.Known {
			t.Fatalf("%q: known %t, %v", text, source.Known, err)
		}
	})
}
