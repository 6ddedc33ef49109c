// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: team}\n"

func TestDecodeValues(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   any
	}{
		"QuotedWords":      {"quoted words stay text (case 71)", `{a: "on", b: 'no', c: "0644", d: "1e3", e: "~"}`, map[string]any{"a": "on", "b": "no", "c": "0644", "d": "1e3", "e": "~"}},
		"BareWords":        {"kubectl reads YAML 1.1 words as booleans", "{a: yes, b: Off, c: n, d: true}", map[string]any{"a": true, "b": false, "c": false, "d": true}},
		"BareWordKey":      {"kubectl reads a bare word as a boolean in a key, too", "{on: x}", map[string]any{"true": "x"}},
		"Int64":            {"2^53+1 is no float64 (case 06)", "{a: 9007199254740993, b: -9223372036854775808}", map[string]any{"a": int64(9007199254740993), "b": int64(-9223372036854775808)}},
		"BeyondInt64":      {"what no int64 holds becomes a float, as in the server", "{a: 18446744073709551615}", map[string]any{"a": float64(18446744073709551615)}},
		"Octal":            {"an unquoted file mode is octal", "{a: 0644, b: 0x1F, c: 1_000}", map[string]any{"a": int64(420), "b": int64(31), "c": int64(1000)}},
		"Floats":           {"a fraction stays a float, a whole number becomes an integer", "{a: 0.5, b: 1e3, c: 3.0}", map[string]any{"a": 0.5, "b": int64(1000), "c": int64(3)}},
		"Dates":            {"dates stay the text that is written (case 75)", "{a: 2027-03-25T13:37:11Z, b: 2026-03-25}", map[string]any{"a": "2027-03-25T13:37:11Z", "b": "2026-03-25"}},
		"Nulls":            {"null is kept for the caller to judge", "{a: null, b: ~, c: }", map[string]any{"a": nil, "b": nil, "c": nil}},
		"Anchors":          {"aliases repeat a value", "{a: &x db, b: *x}", map[string]any{"a": "db", "b": "db"}},
		"MergeBefore":      {"an own key wins over a merged one", "{base: &x {k: 1, l: 2}, a: {<<: *x, l: 3}}", map[string]any{"base": map[string]any{"k": int64(1), "l": int64(2)}, "a": map[string]any{"k": int64(1), "l": int64(3)}}},
		"MergeAfter":       {"wherever the merge stands (case 79)", "{base: &x {k: 1}, a: {k: 3, <<: *x}}", map[string]any{"base": map[string]any{"k": int64(1)}, "a": map[string]any{"k": int64(3)}}},
		"MergeList":        {"of several merges the first wins", "{v: &v {k: 1}, w: &w {k: 2, l: 2}, a: {<<: [*v, *w]}}", map[string]any{"v": map[string]any{"k": int64(1)}, "w": map[string]any{"k": int64(2), "l": int64(2)}, "a": map[string]any{"k": int64(1), "l": int64(2)}}},
		"NumericKeys":      {"keys are text", "{80: http, 1.5: x}", map[string]any{"80": "http", "1.5": "x"}},
		"TaggedText":       {"a tag says what a bare word is", "{a: !!str yes, b: !!str 12}", map[string]any{"a": "yes", "b": "12"}},
		"EscapedCRLF":      {"escapes are bytes of the value", `{a: "x\r\ny"}`, map[string]any{"a": "x\r\ny"}},
		"EmptyCollections": {"empty is not absent", "{a: {}, b: []}", map[string]any{"a": map[string]any{}, "b": []any{}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects, err := manifest.Decode("x.yaml", []byte(head+"data: "+tc.in+"\n"))
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, objects[0].Object["data"]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDecodeDocuments(t *testing.T) {
	item := func(name string) string { return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + "}}" }
	cases := map[string]struct {
		reason string
		in     string
		want   []string // source and identity
	}{
		"Empty":       {"nothing is no error", "", nil},
		"OnlyComment": {"nor are comments and separators", "# hello\n---\n---\n# bye\n", nil},
		"Many":        {"documents keep their order and lines", "---\n" + item("b") + "\n---\n\n# about a\n" + item("a") + "\n...\n", []string{"x.yaml:2 ConfigMap b", "x.yaml:6 ConfigMap a"}},
		"BOM":         {"a byte order mark is no text (case 76)", "\ufeff" + item("a"), []string{"x.yaml:1 ConfigMap a"}},
		"CRLF":        {"line ends of Windows (case 18)", strings.ReplaceAll(head+"data:\n  k: |\n    a\n    b\n", "\n", "\r\n"), []string{"x.yaml:1 ConfigMap team/a"}},
		"List":        {"a list stands for its items (case 77)", "apiVersion: v1\nkind: List\nitems:\n- " + item("a") + "\n- " + item("b") + "\n", []string{"x.yaml:4 ConfigMap a", "x.yaml:5 ConfigMap b"}},
		"EmptyList":   {"an empty list is nothing", "{apiVersion: v1, kind: List, items: []}", nil},
		"TypedList":   {"items of a typed list may leave out their type", "{apiVersion: apps/v1, kind: DeploymentList, items: [{metadata: {name: a}}]}", []string{"x.yaml:1 Deployment.apps a"}},
		"ListInList":  {"lists nest", "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: [" + item("a") + "]}]}", []string{"x.yaml:1 ConfigMap a"}},
		"NotAList":    {"a kind that ends in List may be an object", "{apiVersion: net.example.com/v1, kind: AllowList, metadata: {name: a}, items: [x]}", []string{"x.yaml:1 AllowList.net.example.com a"}},
		"JSON":        {"JSON goes through a JSON reader", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"smile":"\ud83d\ude00"}}`, []string{"x.yaml:1 ConfigMap a"}},
		"JSONStream":  {"JSON documents follow each other", "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}\n\n{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\"}}", []string{"x.yaml:1 ConfigMap a", "x.yaml:3 ConfigMap b"}},
		"Flow":        {"a brace may open YAML as well", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n" + item("b"), []string{"x.yaml:1 ConfigMap a", "x.yaml:3 ConfigMap b"}},
		"Generated":   {"an object without a name of its own is kept", "{apiVersion: batch/v1, kind: Job, metadata: {generateName: run-}}", []string{"x.yaml:1 Job.batch "}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects, err := manifest.Decode("x.yaml", []byte(tc.in))
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			var got []string
			for _, object := range objects {
				got = append(got, object.Source.String()+" "+object.ID().String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDecodeFaults(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for previous, next := 'a', 'b'; next <= 'h'; previous, next = next, next+1 {
		bomb += string(next) + ": &" + string(next) + " [" + strings.Repeat("*"+string(previous)+",", 8) + "*" + string(previous) + "]\n"
	}
	cases := map[string]struct {
		reason string
		file   string
		in     string
		kind   error
		where  string
		says   string
	}{
		"Twice":         {"file, line and key (case 73)", "bad.yaml", head + "data:\n  LEVEL: info\n  REGION: eu\n  LEVEL: debug\n", manifest.ErrDuplicateKey, "bad.yaml:7", `"LEVEL" is already set in line 5`},
		"TwiceByWord":   {"two words for true are one key", "x.yaml", head + "data: {on: a, yes: b}", manifest.ErrDuplicateKey, "x.yaml:4", `"true"`},
		"TwiceInJSON":   {"JSON is held to the same", "x.json", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1","k":"2"}}`, manifest.ErrDuplicateKey, "x.json:1", "data.k"},
		"BadIndent":     {"the line of the fault, not of the block around it", "x.yaml", head + "data:\n  k: v\n bad: x\n", manifest.ErrSyntax, "x.yaml:6", "did not find expected key"},
		"Unclosed":      {"a flow list that never ends", "x.yaml", head + "data:\n  k: [a, b\n  l: c\n", manifest.ErrSyntax, "x.yaml:6", "expected ',' or ']'"},
		"Tab":           {"a tab as indentation", "x.yaml", head + "data:\n\tk: v\n", manifest.ErrSyntax, "x.yaml:5", "found"},
		"SecondDoc":     {"lines count through the file", "x.yaml", head + "---\n" + head + "data: a: b\n", manifest.ErrSyntax, "x.yaml:8", "mapping values"},
		"Template":      {"a template that nobody rendered", "x.yaml", head + "data:\n  k: {{ .Values.x }}\n", manifest.ErrSyntax, "x.yaml:5", "template"},
		"UnknownAnchor": {"an alias to nowhere", "x.yaml", head + "data:\n  k: *gone\n", manifest.ErrSyntax, "x.yaml:5", "gone"},
		"OtherDocument": {"anchors end with their document", "x.yaml", head + "data: &d {k: v}\n---\n" + head + "data: *d\n", manifest.ErrSyntax, "x.yaml:9", "another document"},
		"NaN":           {"JSON has no such number", "x.yaml", head + "data: {k: .nan}", manifest.ErrSyntax, "x.yaml:4", "quote it"},
		"BadJSON":       {"a JSON file is told about as JSON", "x.json", "{\n\"apiVersion\": \"v1\",\n\"kind\" \"x\"}", manifest.ErrSyntax, "x.json:3", "JSON"},
		"AliasBomb":     {"a few lines must not become gigabytes", "x.yaml", bomb, manifest.ErrTooComplex, "x.yaml:1", "aliases"},
		"SelfAlias":     {"an anchor that contains itself", "x.yaml", "a: &a [*a]\n", manifest.ErrTooComplex, "x.yaml:1", ""},
		"DeepYAML":      {"nesting is bounded", "x.yaml", "a: " + strings.Repeat("[", 2000) + strings.Repeat("]", 2000), manifest.ErrTooComplex, "x.yaml:1", "levels"},
		"DeepJSON":      {"in JSON as well", "x.json", `{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}", manifest.ErrTooComplex, "x.json:1", "levels"},
		"Values":        {"a file of Helm values is no object", "values.yaml", "image:\n  tag: v1\n", manifest.ErrNotObject, "values.yaml:1", "no apiVersion"},
		"NoKind":        {"half an object", "x.yaml", "apiVersion: v1\nmetadata: {name: a}\n", manifest.ErrNotObject, "x.yaml:1", "no kind"},
		"NoName":        {"an object without identity", "x.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {namespace: a}\n", manifest.ErrNotObject, "x.yaml:1", "metadata.name"},
		"NumberAsName":  {"an unquoted number is no name", "x.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: 12}\n", manifest.ErrNotObject, "x.yaml:1", "quote it"},
		"Scalar":        {"text is no object", "x.yaml", "hello\n", manifest.ErrNotObject, "x.yaml:1", "text"},
		"ItemOfList":    {"the fault is in the item", "x.yaml", "apiVersion: v1\nkind: List\nitems:\n- {kind: A}\n", manifest.ErrNotObject, "x.yaml:4", "A has no apiVersion"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := manifest.Decode(tc.file, []byte(tc.in))
			if !errors.Is(err, tc.kind) {
				t.Fatalf("%s: want kind %q, got %v", tc.reason, tc.kind, err)
			}
			if !strings.HasPrefix(err.Error(), tc.where+":") || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: want %s … %s, got %v", tc.reason, tc.where, tc.says, err)
			}
		})
	}
}

func TestLastKeyWinsLeavesANote(t *testing.T) {
	for name, in := range map[string]string{
		"YAML": head + "data: {k: old, k: new}\n",
		"JSON": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"old","k":"new"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := manifest.Decoder{LastKeyWins: true}.Decode("x.yaml", []byte(in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{"k": "new"}, objects[0].Object["data"]); diff != "" {
				t.Errorf("the last one counts (-want +got):\n%s", diff)
			}
			if len(objects[0].Notes) != 1 {
				t.Errorf("want one note, got %q", objects[0].Notes)
			}
		})
	}
}

// FuzzDecode: whatever the bytes, an answer comes back, objects have a type
// and a name, and their values are those of JSON.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", head, head + "data: {k: 0644, l: &x y, m: *x}\n", "a: &a [*a]", "{\"apiVersion\":\"v1\"",
		"apiVersion: v1\nkind: List\nitems: [null]", "# c\n- a\n# d\n  # e\n", "<<: {a: 1}\nb: !!binary aGk=\n", "\xff\xfea\x00",
		"? [a]\n: b", "%YAML 1.1\n---\nyes: no\n", "a: .inf\nb: 0b1\nc: 0o7\nd: -0x1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, decoder := range []manifest.Decoder{{}, {LastKeyWins: true}} {
			objects, err := decoder.Decode("x.yaml", data)
			if err != nil {
				var fault *manifest.Error
				if !errors.As(err, &fault) {
					t.Fatalf("an error without a place: %v", err)
				}
				continue
			}
			for _, object := range objects {
				if id := object.ID(); id.Kind == "" || id.Name == "" && !object.IsGenerated() {
					t.Fatalf("an object without identity: %v", object.Object)
				}
				if _, err := object.MarshalJSON(); err != nil {
					t.Fatalf("a value that JSON cannot hold: %v", err)
				}
				object.Clone() // panics on a type that unstructured JSON does not have
			}
		}
	})
}
