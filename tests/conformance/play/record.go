// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package play

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	eventv1 "github.com/fluxcd/pkg/apis/event/v1beta1"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/runtime/conditions"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/tests/conformance/casefile"
)

// Seen is what an expectation saw, without times and names of this run. Two
// subjects that agree have the same.
type Seen struct {
	Object string
	Status string // as JSON
	Tar    string // digest of the uncompressed tar
	Files  []string
	Ready  []string
	Events []string
}

// volatile are fields of the status that differ between two subjects that agree:
// times, and what follows from the compression, which is each one's own.
var volatile = []string{"lastUpdateTime", "lastTransitionTime", "digest", "size"}

func (r *play) seen(obj source, tar *tarball) Seen {
	s := Seen{Object: kindOf(obj) + "/" + obj.GetName(), Ready: outcomes(r.watched.seenReady(kindOf(obj) + "/" + obj.GetName())), Events: r.newEvents(obj)}
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err == nil {
		status, _ := raw["status"].(map[string]any)
		strip(status)
		sortConditions(status)
		shorten(status)
		if text, err := json.MarshalIndent(status, "", " "); err == nil {
			s.Status = r.anonymous(string(text))
		}
	}
	if tar != nil {
		s.Tar, s.Files = tar.digest, tar.names
	}
	return s
}

var objectName = regexp.MustCompile(`\b[0-9a-f]{40}\b`)

// anonymous takes the names of this run out of a text.
func (r *play) anonymous(text string) string {
	text = strings.NewReplacer(
		r.Git.URL, "GIT", r.Registry.Host, "REGISTRY", r.Registry.TLS, "REGISTRY-TLS", r.Subject.Address, "STORE", r.namespace, "NAMESPACE",
	).Replace(text)
	if r.signed {
		// A signature has its time in it, and so has the name of what is signed.
		text = objectName.ReplaceAllString(text, "OBJECT")
	}
	return text
}

func strip(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range volatile {
			delete(v, name)
		}
		for _, child := range v {
			strip(child)
		}
	case []any:
		for _, child := range v {
			strip(child)
		}
	}
}

func sortConditions(status map[string]any) {
	list, _ := status["conditions"].([]any)
	slices.SortFunc(list, func(a, b any) int {
		left, _ := a.(map[string]any)
		right, _ := b.(map[string]any)
		return strings.Compare(fmt.Sprint(left["type"]), fmt.Sprint(right["type"]))
	})
}

// shorten keeps what a message says happened and drops why it did: the why is
// the words of each one's own clients. Reasons stay exact.
func shorten(status map[string]any) {
	list, _ := status["conditions"].([]any)
	for _, item := range list {
		condition, _ := item.(map[string]any)
		message, _ := condition["message"].(string)
		for _, end := range []string{": ", "; "} {
			message, _, _ = strings.Cut(message, end)
		}
		condition["message"] = strings.TrimSpace(message)
	}
}

// outcomes are the transitions of Ready without work that failed: how often a
// failure is tried again in the time of a look is chance, and only Flux makes
// Ready Unknown for each of them.
func outcomes(transitions []string) []string {
	var kept []string
	for i, line := range transitions {
		next := append(slices.Clone(transitions[i+1:]), "")[0]
		if strings.HasPrefix(line, "Unknown") && strings.HasPrefix(next, "False") {
			continue
		}
		if len(kept) == 0 || kept[len(kept)-1] != line {
			kept = append(kept, line)
		}
	}
	return kept
}

// settled tells whether a record will not change by itself any more: no pass is
// under way, and a few looks in a row saw the same, events included.
func (r *play) settled(obj source, seen Seen, looks int) (bool, int) {
	if conditions.GetReason(obj, meta.ReconcilingCondition) == meta.ProgressingReason {
		return false, 0
	}
	if !cmp.Equal(seen, r.last) {
		r.last, looks = seen, 0
	}
	return looks >= steadyLooks, looks + 1
}

// steadyLooks make about half a second: longer than an event is on its way,
// shorter than the first backoff.
const steadyLooks = 12

// take ends an expectation: what was seen is not seen again.
func (r *play) take(e casefile.Expect, seen Seen) error {
	kind, name, _ := strings.Cut(e.Object, "/")
	if err := r.transfers(e, kind, name); err != nil {
		return err
	}
	r.watched.take(e.Object)
	r.sent[e.Object] = len(r.Sink.Events(kind, r.namespace, name))
	if e.Save != "" {
		r.tars[e.Save] = seen.Tar
	}
	if !e.Gone {
		r.record = append(r.record, seen)
	}
	return nil
}

// transfers counts what was moved since the last expectation: of a repository or
// artifact that has the object's name.
func (r *play) transfers(e casefile.Expect, kind, name string) error {
	var moved int
	if kind == sourcev1.OCIRepositoryKind {
		moved = r.Registry.Traffic(r.namespace + "/" + name)
	} else {
		_, moved = r.Git.Traffic(r.namespace + "/" + name + ".git")
	}
	if e.Transfers != nil && moved > *e.Transfers {
		return fmt.Errorf("%s: %d transfers, want at most %d", e.Object, moved, *e.Transfers)
	}
	return nil
}

// newEvents are the events at the receiver since the last expectation.
func (r *play) newEvents(obj source) []string {
	key := kindOf(obj) + "/" + obj.GetName()
	events := r.Sink.Events(kindOf(obj), r.namespace, obj.GetName())
	lines := make([]string, 0, len(events))
	for _, e := range events[min(r.sent[key], len(events)):] {
		line := fmt.Sprintf("%s %s", e.Severity, e.Reason)
		// A pass that fails again tells again; how often is a matter of time.
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	return lines
}

// Metadata gives the metadata of the last event of an object that has some.
func Metadata(events []eventv1.Event) map[string]string {
	for _, e := range slices.Backward(events) {
		if len(e.Metadata) > 0 {
			return maps.Clone(e.Metadata)
		}
	}
	return nil
}

// traces looks for events in the cluster.
func (r *play) traces(ctx context.Context, e casefile.Expect, obj source) error {
	if len(e.Traces) == 0 {
		return nil
	}
	var events corev1.EventList
	if err := r.Client.List(ctx, &events, client.InNamespace(r.namespace)); err != nil {
		return err
	}
	found := map[string]bool{}
	for _, event := range events.Items {
		if event.InvolvedObject.Name == obj.GetName() && event.InvolvedObject.Kind == kindOf(obj) {
			found[event.Type+" "+event.Reason] = true
		}
	}
	for _, want := range e.Traces {
		if !found[want] {
			return fmt.Errorf("no event %q in the cluster, there are %v", want, slices.Sorted(maps.Keys(found)))
		}
	}
	return nil
}

// status compares the fields that are given with those of the status.
func (r *play) status(e casefile.Expect, obj source) error {
	if e.Status == nil {
		return nil
	}
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	status, _ := raw["status"].(map[string]any)
	var want map[string]any
	text, err := json.Marshal(e.Status)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(r.fill(string(text))), &want); err != nil {
		return err
	}
	for name, value := range want {
		if diff := cmp.Diff(normal(value), normal(status[name])); diff != "" {
			return fmt.Errorf("status.%s (-want +got):\n%s", name, diff)
		}
	}
	return nil
}

// normal gives a value as JSON reads it, so that numbers compare.
func normal(value any) any {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		return err
	}
	return out
}
