// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package play

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/runtime/conditions"
	"github.com/fluxcd/pkg/runtime/conditions/check"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/tests/conformance/casefile"
)

// negative are the conditions that are bad when True.
var negative = []string{
	sourcev1.StorageOperationFailedCondition, sourcev1.FetchFailedCondition, sourcev1.IncludeUnavailableCondition,
	sourcev1.ArtifactOutdatedCondition, meta.StalledCondition, meta.ReconcilingCondition,
}

// expect waits until everything is seen that must be, and takes a record of it.
func (r *play) expect(ctx context.Context, e casefile.Expect) error {
	if e.Deliberate != "" && !r.Ours {
		// Its place in the record is kept, so that records stay comparable.
		r.record = append(r.record, Seen{Object: e.Object})
		return nil
	}
	obj, err := r.object(e.Object)
	if err != nil {
		return err
	}
	var seen Seen
	looks := 0
	err = r.poll(ctx, func() error {
		err := r.Client.Get(ctx, client.ObjectKeyFromObject(obj), obj)
		if e.Gone || err != nil {
			return gone(e.Gone, err)
		}
		if seen, err = r.look(ctx, e, obj.(source)); err != nil || !r.Compared {
			return err
		}
		var settled bool
		if settled, looks = r.settled(obj.(source), seen, looks); !settled {
			return errors.New("it is as expected, but not settled")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", e.Object, err)
	}
	// A suspended object lags behind its spec, which the rules do not know.
	if !e.Gone && e.Observed != "" {
		if err := r.rules(ctx, obj.(source)); err != nil {
			return fmt.Errorf("%s: %w", e.Object, err)
		}
	}
	return r.take(e, seen)
}

func gone(want bool, err error) error {
	switch {
	case !want:
		return err
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	return errors.New("it is still there")
}

// look compares one state of an object with what is expected.
func (r *play) look(ctx context.Context, e casefile.Expect, obj source) (Seen, error) {
	key := kindOf(obj) + "/" + obj.GetName()
	errs := []error{
		r.generation(e, obj),
		same("conditions", e.Conditions, conditionLines(obj)),
		r.messages(e, obj),
		r.status(e, obj),
		same("transitions of Ready", e.Ready, r.watched.seenReady(key)),
		same("events", e.Events, r.newEvents(obj)),
		r.traces(ctx, e, obj),
	}
	if err := errors.Join(errs...); err != nil {
		return Seen{}, err
	}
	tar, err := r.artifact(ctx, e, obj.GetArtifact())
	if err != nil {
		return Seen{}, err
	}
	return r.seen(obj, tar), nil
}

// rules are those that Flux's own tests hold every object to.
func (r *play) rules(ctx context.Context, obj source) error {
	checker := check.NewChecker(r.Client, &check.Conditions{NegativePolarity: negative})
	checker.DisableFetch = true
	if conditions.IsReconciling(obj) {
		checker = check.NewInProgressChecker(r.Client)
		checker.DisableFetch = true
	}
	if fail, _ := checker.Check(ctx, obj); fail != nil {
		return fmt.Errorf("rules for conditions: %w", fail)
	}
	return nil
}

func (r *play) generation(e casefile.Expect, obj source) error {
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	status, _ := raw["status"].(map[string]any)
	observed, found := status["observedGeneration"].(int64)
	if !found {
		observed = 0
	}
	want := fmt.Sprint(observed)
	switch e.Observed {
	case "":
	case "Current":
		want = fmt.Sprint(obj.GetGeneration())
	default:
		want = e.Observed
	}
	if got := fmt.Sprint(observed); got != want {
		return fmt.Errorf("observedGeneration is %s, want %s", got, want)
	}
	return nil
}

// conditionLines is the text form of conditions, sorted.
func conditionLines(obj source) []string {
	var lines []string
	for _, c := range obj.GetConditions() {
		line := fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason)
		if c.ObservedGeneration != obj.GetGeneration() {
			line += fmt.Sprintf(" @%d", c.ObservedGeneration)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func (r *play) messages(e casefile.Expect, obj source) error {
	for kind, pattern := range e.Messages {
		expression, err := regexp.Compile(r.fill(pattern))
		if err != nil {
			return err
		}
		if message := conditions.GetMessage(obj, kind); !expression.MatchString(message) {
			return fmt.Errorf("the message of %s is %q, want %q", kind, message, expression)
		}
	}
	return nil
}

// artifact looks at what status says of the artifact, and downloads it.
func (r *play) artifact(ctx context.Context, e casefile.Expect, artifact *meta.Artifact) (*tarball, error) {
	if artifact == nil {
		if e.Revision != "" {
			return nil, errors.New("it has no artifact")
		}
		return nil, nil
	}
	if want := r.fill(e.Revision); want != "" && artifact.Revision != want {
		return nil, fmt.Errorf("its revision is %s, want %s", artifact.Revision, want)
	}
	if want := r.fill(e.Path); want != "" && artifact.Path != want {
		return nil, fmt.Errorf("its path is %s, want %s", artifact.Path, want)
	}
	if want := "http://" + r.Subject.Address + "/" + artifact.Path; artifact.URL != want {
		return nil, fmt.Errorf("its address is %s, want %s", artifact.URL, want)
	}
	tar, err := download(ctx, *artifact)
	if err != nil {
		return nil, err
	}
	if err := same("files", e.Files, tar.names); err != nil {
		return nil, err
	}
	for _, name := range e.Contains {
		if _, found := tar.content[name]; !found {
			return nil, fmt.Errorf("the artifact has no %s", name)
		}
	}
	for _, name := range e.NotContains {
		if _, found := tar.content[name]; found {
			return nil, fmt.Errorf("the artifact has %s", name)
		}
	}
	for name, want := range e.Content {
		if diff := cmp.Diff(r.fill(want), tar.content[name]); diff != "" {
			return nil, fmt.Errorf("content of %s (-want +got):\n%s", name, diff)
		}
	}
	if want, found := r.tars[e.Same]; e.Same != "" && (!found || want != tar.digest) {
		return nil, fmt.Errorf("its tar is not that of %s", e.Same)
	}
	return tar, nil
}

// same compares lists where one is expected at all.
func same(what string, want, got []string) error {
	if want == nil {
		return nil
	}
	want = slices.Clone(want)
	if strings.HasPrefix(what, "conditions") {
		slices.Sort(want)
	}
	if len(want) == 0 && len(got) == 0 {
		return nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s (-want +got):\n%s", what, diff)
	}
	return nil
}
