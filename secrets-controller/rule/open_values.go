// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// byFormat are rules about values whose form tells what they are, wherever
// they stand; the most telling first.
var byFormat = []struct{ hit, rule string }{
	{shape.PrintedMap, "secretkeyref-in-values"},
	{shape.ServiceAccountJSON, "cloud-sa-json"},
	{shape.Kubeconfig, "kubeconfig-embedded"},
	{shape.PrivateKey, "private-key"},
	{shape.EncryptedPrivateKey, "encrypted-private-key"},
	{shape.DockerAuth, "dockerauth-embedded"},
	{shape.Keystore, "keystore-blob"},
	{shape.WebhookURL, "webhook-url-secret"},
	{shape.BearerToken, "bearer-header"},
	{shape.BasicAuth, "basic-auth-header"},
	{shape.JWT, "jwt"},
}

// inText are hits within a longer text, which the place decides about.
var inText = []string{shape.URLPassword, shape.URLExample, shape.DSNPassword, shape.Assignment, shape.FlagPassword}

// byPlace are rules about values that are a secret by their name.
var byPlace = map[declaration.Place]string{
	declaration.PlaceEnv:        "env-literal",
	declaration.PlaceArgs:       "args-literal",
	declaration.PlaceAnnotation: "annotation-literal",
	declaration.PlaceHelm:       "helm-values-inline",
	declaration.PlaceStore:      "store-inline-credential",
	declaration.PlaceTemplate:   "tpl-literal-secret",
	declaration.PlaceConfigMap:  "configmap-appsettings",
	declaration.PlaceField:      "secret-in-crd-field",
}

// ruleFor is the one rule that speaks about an open value: one spot, one
// finding, and the most telling rule has the word.
func ruleFor(o declaration.Open) string {
	for _, format := range byFormat {
		if o.Has(format.hit) {
			return format.rule
		}
	}
	switch {
	case o.Token() != "" && o.Place == declaration.PlaceSelector:
		return "store-token-in-selector"
	case o.Token() != "":
		return "known-token"
	case o.Has(shape.QueryToken):
		return "query-string-token"
	case o.Has(shape.PasswordHash):
		return "htpasswd-hash"
	case o.Tells && o.Has(shape.DefaultCredential):
		return "default-credential"
	case o.Has(shape.DoubleBase64):
		return "double-base64"
	case o.Place == declaration.PlaceTemplate && !strings.Contains(string(o.At), "/template/data/"):
		return "es-with-literal"
	case o.Place == declaration.PlaceConfigMap && o.Has(shape.URLPassword, shape.URLExample):
		return "configmap-conn-string"
	case o.Place == declaration.PlaceConfigMap && o.Has(shape.DSNPassword):
		return "configmap-dsn-kv"
	case o.Has(inText...):
		return byPlace[o.Place]
	case o.Tells && o.Has(shape.Random) && o.Place == declaration.PlaceField:
		return "high-entropy"
	case o.Tells:
		return byPlace[o.Place]
	}
	return ""
}

// opened lists the open values that a rule has to speak about.
func (in Input) opened(id string, say func(declaration.Open) finding.Finding) []finding.Finding {
	var out []finding.Finding
	for _, o := range in.Declared.Open {
		if ruleFor(o) != id {
			continue
		}
		f := say(o)
		f.Object, f.Path, f.Evidence = o.Ref, string(o.At), o.Evidence
		out = append(out, f)
	}
	return out
}

// openedAs says the same about each.
func (in Input) openedAs(id, what string) []finding.Finding {
	return in.opened(id, func(o declaration.Open) finding.Finding {
		return finding.Finding{Message: fmt.Sprintf("%s of %s: %s", o.Name, o.Place, what)}
	})
}

// isGenerated says whether a key of a Secret comes from a secretGenerator.
func (in Input) isGenerated(secret declaration.Secret, leaf declaration.Leaf) bool {
	_, is := in.generatedAt(secret, leaf)
	return is
}

func (in Input) generatedAt(secret declaration.Secret, leaf declaration.Leaf) (declaration.GeneratedSecret, bool) {
	for _, g := range in.Source.Generated {
		name, hashed := strings.CutPrefix(secret.Ref.Name, g.Generator)
		if g.Generator != "" && hashed && (name == "" || strings.HasPrefix(name, "-")) && g.Key == leaf.Key {
			return g, true
		}
	}
	return declaration.GeneratedSecret{}, false
}

// valueLine names the line of a values file that a key of a chart's Secret
// was most probably rendered from: by names, since values are not compared.
func (in Input) valueLine(secret declaration.Secret, leaf declaration.Leaf) string {
	best := in.valuesNamed(leaf.Key, secret.Ref.Name)
	if len(best) != 1 {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", best[0].File, best[0].Line)
}

var plainName = strings.NewReplacer("-", "", "_", "", ".", "")

// valuesNamed lists the values of files that a key of an object may come from;
// where there are several, those that stand below a part of the object's name.
func (in Input) valuesNamed(key, object string) []declaration.SourceValue {
	key = plainName.Replace(strings.ToLower(key))
	var best []declaration.SourceValue
	for _, v := range in.Source.Values {
		if len(v.Keys) == 0 {
			continue
		}
		last := plainName.Replace(strings.ToLower(v.Keys[len(v.Keys)-1]))
		if strings.Contains(key, last) || strings.Contains(last, key) {
			best = append(best, v)
		}
	}
	if len(best) > 1 {
		best = slices.DeleteFunc(best, func(v declaration.SourceValue) bool {
			return !slices.ContainsFunc(v.Keys[:len(v.Keys)-1], func(key string) bool { return strings.Contains(object, key) })
		})
	}
	return best
}
