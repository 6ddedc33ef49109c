// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdfast-gitops/holdfast/api/shape"
)

// Source is what the files in Git say beside the manifests that they render
// to: where a value came from, and what is done with it on the way.
type Source struct {
	// Known: the files were looked at.
	Known bool
	// Reason why they were not.
	Reason string
	// TooLarge are files that are too large to be looked at.
	TooLarge []string
	// Values are scalars of values files that look like secrets.
	Values []SourceValue
	// Generated are literals and files of kustomize's secretGenerator.
	Generated []GeneratedSecret
	// Prefixes and Suffixes that kustomizations put on names.
	Prefixes, Suffixes []string
	// Objects are those of other GitOps tools and SealedSecrets, as in Git.
	Objects Set
	// Raw are open values in files that are in no rendered set, if asked for.
	Raw []RawValue
	// Recipients of .sops.yaml, and whether there is one.
	Recipients []string
	SOPSRules  bool
	// SOPSChoices counts the rules in it, of which a file follows one.
	SOPSChoices int
	// Comments are commented-out lines with a secret in them, Markers lines
	// that ask scanners to look away.
	Comments, Markers []SourceLine
	// EncryptedValues are values files that SOPS encrypted.
	EncryptedValues []string
	// Lookups are chart templates that read the live cluster while rendering.
	Lookups []SourceLine
	// Random are chart templates that make a value at each rendering.
	Random []SourceLine
}

// SourceLine is a place in a file.
type SourceLine struct {
	File string
	Line int
}

// SourceValue is a scalar in a values file.
type SourceValue struct {
	SourceLine
	// Keys lead to it.
	Keys []string
	// Tells: its name announces a secret and its shape may be one.
	Tells bool
	Hits  []string
	// Evidence is empty without a key.
	Evidence string
}

// GeneratedSecret is one key of a secretGenerator.
type GeneratedSecret struct {
	SourceLine
	Generator string
	Key       string
}

// RawValue is an open value in a file.
type RawValue struct {
	SourceLine
	Name string
	Hits []string
}

// SourceOptions say what to look at.
type SourceOptions struct {
	Options
	// Raw: look into files that are in no rendered set and no values file.
	Raw bool
}

// most is the size of a file that is looked at.
const most = 4 << 20

// sopsRules is the file that says for whom SOPS encrypts.
const sopsRules = ".sops.yaml"

// ReadSource reads the files below a folder. A file that cannot be read as YAML
// is text; errors of the file system are returned.
func ReadSource(root fs.FS, dir string, options SourceOptions) (Source, error) {
	out := Source{Known: true}
	var objects []Object
	err := fs.WalkDir(root, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !IsText(name) {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Size() > most {
			out.TooLarge = append(out.TooLarge, name)
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		objects = append(objects, out.file(name, string(text), options)...)
		return nil
	})
	if err == nil && !out.SOPSRules {
		err = out.sopsAbove(root, dir)
	}
	for _, object := range objects {
		if object.Ref.Namespace == "" {
			object.Ref.Namespace = options.Namespace
		}
		sourceReaders[object.group()+"/"+object.Ref.Kind](&out.Objects, object, options.Options)
	}
	return out, err
}

// sopsAbove looks for the rules of SOPS where it looks itself: in the folders
// above, the nearest first.
func (s *Source) sopsAbove(root fs.FS, dir string) error {
	for dir = path.Clean(dir); dir != "." && !s.SOPSRules; {
		dir = path.Dir(dir)
		text, err := fs.ReadFile(root, path.Join(dir, sopsRules))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		default:
			s.sops(string(text))
		}
	}
	return nil
}

func (s *Source) sops(text string) {
	var file struct {
		Rules []yaml.Node `yaml:"creation_rules"`
	}
	if yaml.Unmarshal([]byte(text), &file) == nil {
		s.SOPSChoices += len(file.Rules)
	}
	s.SOPSRules = true
	s.Recipients = append(s.Recipients, recipientsIn(text)...)
}

// IsText says by a file's name whether it is looked at.
func IsText(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json", ".env", ".tpl", ".properties", ".toml", ".ini", ".txt":
		return true
	}
	return false
}

func (s *Source) file(name, text string, options SourceOptions) []Object {
	base := path.Base(name)
	s.lines(name, text)
	switch {
	case strings.Contains("/"+name, "/templates/"):
		s.chartTemplate(name, text)
		return nil
	case base == sopsRules:
		s.sops(text)
		return nil
	}
	switch {
	case strings.HasPrefix(base, "kustomization.y"):
		for _, document := range documentsOf(text) {
			s.kustomization(name, document)
		}
		return nil
	case isValues(base):
		if documents := documentsOf(text); len(documents) > 0 && !isManifest(documents[0]) {
			if strings.Contains(text, "ENC[AES256_GCM,") {
				s.EncryptedValues = append(s.EncryptedValues, name)
			}
			s.values(name, nil, documents[0], options)
			return nil
		}
	}
	if options.Raw {
		s.rawFile(name, text)
	}
	if !mayDeclare(text) {
		return nil
	}
	// A file that is no manifest is the business of whoever renders it.
	objects, err := Parse(name, []byte(text))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(objects, func(o Object) bool { return sourceReaders[o.group()+"/"+o.Ref.Kind] == nil })
}

// sourceReaders are the kinds that are looked at as they stand in Git: what was
// encrypted, and what tells other GitOps tools what to do with the rest.
var sourceReaders = map[string]reader{
	"/Secret":                  readSecret,
	"bitnami.com/SealedSecret": readSealedSecret,
	"kustomize.toolkit.fluxcd.io/Kustomization": readKustomization,
	"helm.toolkit.fluxcd.io/HelmRelease":        readRelease,
	"argoproj.io/Application":                   readArgoApplication,
}

var declares = regexp.MustCompile(`"?kind"?\s*:\s*["']?(Secret|SealedSecret|Kustomization|HelmRelease|Application|[A-Za-z]*List)\b`)

// mayDeclare spares most files the reading of their objects: a repository is
// rendered too, and its manifests are read there.
func mayDeclare(text string) bool { return declares.MatchString(text) }

// documentsOf reads a text as YAML with fields or lists in it; none is text of
// another kind.
func documentsOf(text string) []*yaml.Node {
	var all []*yaml.Node
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var tree yaml.Node
		err := decoder.Decode(&tree)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			return nil
		case len(tree.Content) > 0 && tree.Content[0].Kind != yaml.ScalarNode:
			all = append(all, tree.Content[0])
		}
	}
}

// isManifest: a file of that name may also hold objects.
func isManifest(n *yaml.Node) bool {
	return field(n, "apiVersion").Value != "" && field(n, "kind").Value != ""
}

func isValues(base string) bool {
	if strings.HasSuffix(base, ".schema.json") {
		return false
	}
	return strings.HasPrefix(base, "values") || strings.HasSuffix(base, "values.yaml") ||
		strings.HasSuffix(base, "values.yml") || strings.HasPrefix(base, "secrets.y")
}

var (
	// recipient of age or PGP.
	recipient  = regexp.MustCompile(`age1[a-z0-9]{50,}|\b[0-9A-F]{40}\b`)
	lookup     = regexp.MustCompile(`\{\{[^}]*\blookup\b[^}]*"Secret"`)
	randomCall = regexp.MustCompile(`\{\{[^}]*\b(randAlphaNum|randAlpha|randAscii|randNumeric|randBytes|genPrivateKey|genSelfSignedCert|genCA|uuidv4)\b`)
	marker     = regexp.MustCompile(`(gitleaks:allow|pragma: allowlist secret|trufflehog:ignore|nosecret)`)
)

func recipientsIn(text string) []string {
	found := recipient.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

func (s *Source) chartTemplate(name, text string) {
	for i, line := range strings.Split(text, "\n") {
		at := SourceLine{File: name, Line: i + 1}
		if lookup.MatchString(line) {
			s.Lookups = append(s.Lookups, at)
		}
		if randomCall.MatchString(line) && !strings.Contains(text, "lookup") {
			s.Random = append(s.Random, at)
		}
	}
}

// lines looks at what a parser drops: comments.
func (s *Source) lines(name, text string) {
	for i, line := range strings.Split(text, "\n") {
		_, comment, has := strings.Cut(line, "#")
		if !has {
			continue
		}
		at := SourceLine{File: name, Line: i + 1}
		if marker.MatchString(comment) {
			s.Markers = append(s.Markers, at)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") && commentedSecret(comment) {
			s.Comments = append(s.Comments, at)
		}
	}
}

// commentedSecret wants a value that is more than a word of prose.
func commentedSecret(comment string) bool {
	for _, id := range found(strings.TrimSpace(comment)) {
		switch {
		case id == shape.Assignment:
			return strings.ContainsAny(comment, "0123456789")
		case id == shape.URLPassword, id == shape.PrivateKey, strings.HasPrefix(id, shape.Token):
			return true
		}
	}
	return false
}
