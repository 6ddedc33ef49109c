// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

func until(after time.Duration) secretsv1.Accountability {
	end := metav1.NewTime(now.Add(after))
	return secretsv1.Accountability{Owner: "o", Reason: "r", Until: &end}
}

// openSecret is an input with exactly one finding: plain-secret-stringdata.
var openSecret = example{git: gitSecret("db", "stringData: {password: (masked opaque hmac:8c1f2a)}")}

func fingerprint(t *testing.T) string {
	t.Helper()
	return rule.Run(openSecret.input(t)).Findings[0].Fingerprint()
}

func TestPolicy(t *testing.T) {
	const id = "plain-secret-stringdata"
	spec := func(change func(*secretsv1.SecretPolicySpec)) []secretsv1.SecretPolicy {
		var policy secretsv1.SecretPolicy
		change(&policy.Spec)
		return []secretsv1.SecretPolicy{policy}
	}
	severity := func(word string) secretsv1.SecretPolicy {
		return secretsv1.SecretPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: word},
			Spec:       secretsv1.SecretPolicySpec{Severities: []secretsv1.RuleSeverity{{Rule: id, Severity: word}}},
		}
	}
	for name, tc := range map[string]struct {
		reason   string
		policies []secretsv1.SecretPolicy
		want     []string
	}{
		"None":     {"as the catalogue says", nil, []string{"Error"}},
		"Milder":   {"people may decide so", []secretsv1.SecretPolicy{severity("Warning")}, []string{"Warning"}},
		"Off":      {"switched off", []secretsv1.SecretPolicy{severity("Off")}, nil},
		"Disagree": {"the stricter of two wins, in any order", []secretsv1.SecretPolicy{severity("Off"), severity("Info")}, []string{"Info"}},
		"Exception": {"named objects", spec(func(s *secretsv1.SecretPolicySpec) {
			s.Exceptions = []secretsv1.Exception{{Rule: id, Namespace: "shop", Name: "d*", Accountability: until(time.Hour)}}
		}), nil},
		"ExceptionElsewhere": {"another namespace", spec(func(s *secretsv1.SecretPolicySpec) {
			s.Exceptions = []secretsv1.Exception{{Rule: id, Namespace: "other", Accountability: until(time.Hour)}}
		}), []string{"Error"}},
		"ExceptionEnded": {"it ends now", spec(func(s *secretsv1.SecretPolicySpec) {
			s.Exceptions = []secretsv1.Exception{{Rule: id, Accountability: until(0)}}
		}), []string{"Error"}},
		"Waiver": {"this very finding", spec(func(s *secretsv1.SecretPolicySpec) {
			s.Waivers = []secretsv1.Waiver{{Fingerprint: fingerprint(t), Accountability: until(time.Hour)}}
		}), nil},
		"WaiverForAnother": {"another value", spec(func(s *secretsv1.SecretPolicySpec) {
			s.Waivers = []secretsv1.Waiver{{Fingerprint: "0", Accountability: until(time.Hour)}}
		}), []string{"Error"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := openSecret.input(t)
			in.Policy = rule.NewPolicy(tc.policies, now)
			var got []string
			for _, f := range rule.Run(in).Findings {
				got = append(got, string(f.Severity))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPolicyCannotMakeUnknownKnown(t *testing.T) {
	e := example{git: extracting("db") + reads("db", "a")}
	in := e.input(t)
	in.Policy = rule.NewPolicy([]secretsv1.SecretPolicy{{Spec: secretsv1.SecretPolicySpec{
		Severities: []secretsv1.RuleSeverity{{Rule: "consumer-key-unknowable", Severity: "Info"}},
	}}}, now)
	for _, f := range rule.Run(in).Findings {
		if f.Rule == "consumer-key-unknowable" && f.Severity != secretsv1.SeverityUnknown {
			t.Errorf("got %s, want Unknown", f.Severity)
		}
	}
}

func TestNextEnd(t *testing.T) {
	policy := rule.NewPolicy([]secretsv1.SecretPolicy{{Spec: secretsv1.SecretPolicySpec{
		Exceptions: []secretsv1.Exception{{Accountability: until(-time.Hour)}, {Accountability: until(3 * time.Hour)}},
		Producers:  []secretsv1.ExternalProducer{{Accountability: until(2 * time.Hour)}, {}},
	}}}, now)
	if want := now.Add(2 * time.Hour); !policy.NextEnd.Equal(want) {
		t.Errorf("got %s, want %s: the first end that is still to come", policy.NextEnd, want)
	}
	if len(policy.Producers) != 2 {
		t.Errorf("got %d producers, want 2", len(policy.Producers))
	}
}

func TestUnreadIsToldOnce(t *testing.T) {
	e := example{git: fetching("a", "x", "") + fetching("b", "y", "") + sealed("s", "encryptedData: {}")}
	if got := len(rule.Run(e.input(t)).Unread); got != 4 {
		t.Errorf("got %d reasons, want 4: stores, ExternalSecrets, SealedSecrets and Secrets were not read", got)
	}
	none := example{git: gitSecret("s", "")}
	if got := rule.Run(none.input(t)).Unread; got != nil {
		t.Errorf("nothing live is needed, got %v", got)
	}
}
