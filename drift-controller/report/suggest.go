// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// Suggest gives the one thing that settles a difference best, ready to use.
//
//	Manual, Unowned       let Git say it too, and nobody has to remember it
//	Manual, removed       set it back: Git declares it
//	an operational mark   a rule for it: going back would restart the pods
//	Contested             a rule for the controller that writes it
//	Pending, Missing      what a sync would do
//	Removed, Stray        a candidate for pruning
//	Controller            Git should not declare what another owns
//
// What is masked is never written to Git and never part of a command.
func Suggest(app Name, e api.DriftEntry) (api.SuggestionKind, string) {
	switch e.Class {
	case api.ClassManual:
		return suggestForManual(app, e)
	case api.ClassUnowned:
		return suggestForGit(app, e)
	case api.ClassContested:
		if rule, ok := IgnoreRule(e); ok {
			return api.SuggestIgnore, "if that controller is to own the field, add to spec.ignore of Application " + app.Name + ":\n" + rule
		}
		return api.SuggestRevert, setBack(e, "stop its writer, then ")
	case api.ClassPending:
		return api.SuggestRevert, setBack(e, "deploy what Git says, by stage Sync or by the tool that deployed before; by hand: ")
	case api.ClassMissing:
		return api.SuggestRevert, "create it, by stage Sync or by the tool that deployed before; or take it out of Git" + at(e.DeclaredAt)
	case api.ClassRemoved:
		if e.Path == "" {
			return api.SuggestPrune, deletion(e.Object)
		}
		return api.SuggestPrune, setBack(e, "")
	case api.ClassStray:
		return suggestForStray(app, e)
	case api.ClassController:
		if e.Wanted != nil && strings.HasSuffix(e.Path, "/replicas") {
			return api.SuggestGitPatch, "take it out of Git" + at(e.DeclaredAt) + ", so that Git does not pretend to own it"
		}
	case api.ClassDefault, api.ClassWebhook, api.ClassUnknown:
	}
	return "", ""
}

func suggestForManual(app Name, e api.DriftEntry) (api.SuggestionKind, string) {
	switch {
	case !e.Drift:
		return "", "" // an ignore rule has settled it
	case operational(e):
		if rule, ok := IgnoreRule(e); ok {
			return api.SuggestIgnore, "to hide such marks, add to spec.ignore of Application " + app.Name + ":\n" + rule
		}
		return "", ""
	case e.Kind == api.Absent:
		return api.SuggestRevert, setBack(e, "")
	default:
		return suggestForGit(app, e)
	}
}

// operational marks are shown, and no stage takes them back.
func operational(e api.DriftEntry) bool {
	return strings.HasSuffix(e.Path, "/annotations/kubectl.kubernetes.io~1restartedAt") ||
		e.Object.Kind == "Rollout" && e.Object.Group == "argoproj.io" && e.Path == "/spec/restartAt"
}

func suggestForGit(app Name, e api.DriftEntry) (api.SuggestionKind, string) {
	if masked(e) {
		return api.SuggestRevert, "change it where the secret is kept, or set it back; Holdfast writes no secret into Git"
	}
	if e.Path == "" || e.Live == nil {
		return api.SuggestRevert, setBack(e, "")
	}
	return api.SuggestGitPatch, "commit it: " + Adopt(app, e.Object)
}

// Adopt is the command that writes the hand edits of an object into Git.
func Adopt(app Name, o api.ObjectReference) string {
	return fmt.Sprintf("holdfast adopt %s -n %s --object %s/%s", app.Name, app.Namespace, o.Kind, o.Name)
}

func masked(e api.DriftEntry) bool {
	return e.Wanted != nil && e.Wanted.Masked || e.Live != nil && e.Live.Masked
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " (" + place + ")"
}

// setBack is the command behind some words, or words alone where no one
// command does it.
func setBack(e api.DriftEntry, before string) string {
	if command, ok := Revert(e); ok {
		return before + command
	}
	if e.Wanted == nil {
		return before + "remove " + e.Path + " from the live object"
	}
	return before + "set " + e.Path + " to what Git declares" + at(e.DeclaredAt)
}

func deletion(o api.ObjectReference) string {
	return "if nobody needs it" + cascades[resource(o)] + ": kubectl delete " + resource(o) + " " + o.Name + namespaceFlag(o)
}

// cascades says what a deletion takes along.
var cascades = map[string]string{
	"namespace":             ", nor anything that is in it, by whomever",
	"persistentvolumeclaim": ", nor the data that it holds",
	"persistentvolume":      ", nor the data that it holds",
	"customresourcedefinition.apiextensions.k8s.io": ", nor any object of its kind in the cluster",
}

// resource names a kind so that kubectl finds it, whatever else has that name.
func resource(o api.ObjectReference) string {
	if o.Group == "" {
		return strings.ToLower(o.Kind)
	}
	return strings.ToLower(o.Kind) + "." + o.Group
}

func namespaceFlag(o api.ObjectReference) string {
	if o.Namespace == "" {
		return ""
	}
	return " -n " + o.Namespace
}

// suggestForStray: what a release or another tool owns is not garbage.
func suggestForStray(app Name, e api.DriftEntry) (api.SuggestionKind, string) {
	keep := fmt.Sprintf("- {kind: %s, name: %s, reason: %s}", quoted(e.Object.Kind), quoted(e.Object.Name), quoted(stayReason(e)))
	if e.Object.Group != "" {
		keep = strings.Replace(keep, "{", "{group: "+quoted(e.Object.Group)+", ", 1)
	}
	if strings.HasPrefix(e.Explanation, ownedBy) {
		return api.SuggestIgnore, "to keep it, add to spec.strays.keep of Application " + app.Name + ":\n" + keep
	}
	return api.SuggestPrune, deletion(e.Object) + "\nto keep it, add to spec.strays.keep of Application " + app.Name + ":\n" + keep
}

const ownedBy = "owned by "

func stayReason(e api.DriftEntry) string {
	if strings.HasPrefix(e.Explanation, ownedBy) {
		return e.Explanation
	}
	return "somebody answers for it"
}

// wide paths cover most of an object; a rule for one is refused.
var wide = []string{"/spec", "/data", "/metadata", "/stringData", "/binaryData", "/rules", "/webhooks", "/subjects", "/status"}

// IgnoreRule is an entry of spec.ignore that hides this difference and no
// other: of this object, at this path, while these managers own it.
func IgnoreRule(e api.DriftEntry) (string, bool) {
	if e.Path == "" || slices.Contains(wide, e.Path) {
		return "", false
	}
	var managers, quotedManagers []string
	for _, m := range e.Managers {
		if m.Role != string(writers.Holdfast) && m.Role != string(writers.Unrecorded) && !slices.Contains(managers, m.Name) {
			managers, quotedManagers = append(managers, m.Name), append(quotedManagers, quoted(m.Name))
		}
	}
	if len(managers) == 0 {
		return "", false
	}
	target := fmt.Sprintf("{group: %s, kind: %s, name: %s", quoted(e.Object.Group), quoted(e.Object.Kind), quoted(e.Object.Name))
	if e.Object.Namespace != "" {
		target += ", namespace: " + quoted(e.Object.Namespace)
	}
	return fmt.Sprintf("- target: %s}\n  paths: [%s]\n  managers: [%s]\n  reason: %s", target, quoted(e.Path),
		strings.Join(quotedManagers, ", "), quoted(strings.Join(managers, ", ")+" owns this field")), true
}

// quoted is text as YAML in flow style: bare where that is safe.
func quoted(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._/", r)
	})
	if plain && !strings.ContainsAny(s[:1], "0123456789-._/") && !slices.Contains(yamlWords, strings.ToLower(s)) {
		return s
	}
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%q", s)
	}
	return string(text)
}

// yamlWords are no text where they stand bare.
var yamlWords = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
