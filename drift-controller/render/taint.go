// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

const (
	// minSecret: shorter texts occur everywhere, and hide nothing either.
	minSecret = 4
	// minLine: a line of a longer secret, such as a key, is one by itself.
	minLine = 8
)

// secretTexts are the forms in which values of Secrets turn up in rendered
// text: as they are, line by line, and encoded as charts do it. A digest of a
// secret cannot be recognised; neither can it be read.
func secretTexts(o Options, further ...string) []string {
	values := further
	for _, layer := range o.Helm.Layers {
		switch {
		case !layer.Tainted:
		case layer.TargetPath != "":
			values = append(values, strings.Trim(string(layer.Values), `"'`))
		default:
			var content any
			if yaml.Unmarshal(layer.Values, &content) != nil {
				content = string(layer.Values) // an error may quote it
			}
			values = appendScalars(values, content)
		}
	}
	if o.Substitute != nil {
		for name := range o.Substitute.Tainted {
			values = append(values, o.Substitute.Values[name], strings.ReplaceAll(o.Substitute.Values[name], "\n", ""))
		}
	}
	var texts []string
	for _, value := range append(values, o.Tainted...) {
		texts = append(texts, forms(value)...)
	}
	// The longest first, so that no part of one is left standing.
	slices.SortFunc(texts, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(texts)
}

func appendScalars(values []string, content any) []string {
	switch v := content.(type) {
	case map[string]any:
		for _, item := range v {
			values = appendScalars(values, item)
		}
	case []any:
		for _, item := range v {
			values = appendScalars(values, item)
		}
	case nil, bool:
	case float64:
		values = append(values, strconv.FormatFloat(v, 'f', -1, 64))
	default:
		values = append(values, fmt.Sprint(v))
	}
	return values
}

func forms(value string) []string {
	candidates := []string{value, strings.TrimSpace(value)}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= minLine {
			candidates = append(candidates, line)
		}
	}
	var all []string
	for _, candidate := range candidates {
		if len(candidate) < minSecret {
			continue
		}
		quoted, _ := json.Marshal(candidate)
		all = append(all, candidate, strings.ToUpper(candidate), strings.ToLower(candidate),
			base64.StdEncoding.EncodeToString([]byte(candidate)),
			base64.URLEncoding.EncodeToString([]byte(candidate)),
			url.QueryEscape(candidate), url.PathEscape(candidate),
			strings.Trim(string(quoted), `"`))
		all = append(all, within(candidate)...)
	}
	return all
}

// within gives what base64 of a longer text, such as user:password, has of a
// secret in it: three bytes become four characters, so that there are three
// ways, and the characters at both ends depend on what stands beside.
func within(secret string) []string {
	var all []string
	for skipped := range 3 {
		whole := secret[min(skipped, len(secret)):]
		whole = whole[:len(whole)/3*3]
		if encoded := base64.StdEncoding.EncodeToString([]byte(whole)); len(encoded) >= minLine {
			all = append(all, encoded, strings.NewReplacer("+", "-", "/", "_").Replace(encoded))
		}
	}
	return all
}

// taintedFields finds the fields that hold a secret text.
func taintedFields(objects []manifest.Object, secrets []string) map[manifest.ID][]string {
	found := map[manifest.ID][]string{}
	if len(secrets) == 0 {
		return found
	}
	for _, object := range objects {
		if paths := taintedPaths("", object.Object, secrets); len(paths) > 0 {
			slices.Sort(paths)
			found[object.ID()] = slices.Compact(paths)
		}
	}
	return found
}

func taintedPaths(path string, value any, secrets []string) []string {
	var paths []string
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			below := path + "/" + escape.Replace(key)
			if holdsSecret(key, secrets) {
				paths = append(paths, path)
			}
			paths = append(paths, taintedPaths(below, item, secrets)...)
		}
	case []any:
		for i, item := range v {
			paths = append(paths, taintedPaths(fmt.Sprintf("%s/%d", path, i), item, secrets)...)
		}
	case nil, bool:
	default:
		if holdsSecret(fmt.Sprint(v), secrets) {
			paths = append(paths, path)
		}
	}
	return paths
}

func holdsSecret(text string, secrets []string) bool {
	return slices.ContainsFunc(secrets, func(secret string) bool { return strings.Contains(text, secret) })
}

// hideSecrets takes secret texts out of a message.
func hideSecrets(message string, secrets []string) string {
	for _, secret := range secrets {
		message = strings.ReplaceAll(message, secret, "(masked)")
	}
	return message
}

// escape is RFC 6901's.
var escape = strings.NewReplacer("~", "~0", "/", "~1")
