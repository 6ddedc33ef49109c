// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/exit"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// store is a source with one application and one page, or none.
type store struct{ page *secretsv1.SecretReportStatus }

func (s store) Namespace() string { return "users" }

func (s store) Application(context.Context, string, string) (*v1alpha1.Application, error) {
	return &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "users", Name: "web"}}, nil
}

func (s store) SecretPages(context.Context, *v1alpha1.Application) ([]secretsv1.SecretReport, error) {
	if s.page == nil {
		return nil, nil
	}
	return []secretsv1.SecretReport{{Status: *s.page}}, nil
}

func verdicts(declaration, readiness secretsv1.Verdict) *secretsv1.SecretReportStatus {
	return &secretsv1.SecretReportStatus{
		Declaration: &secretsv1.VerdictStatus{Verdict: declaration},
		Readiness:   &secretsv1.VerdictStatus{Verdict: readiness},
	}
}

func TestExitCode(t *testing.T) {
	tests := map[string]struct {
		reason string
		page   *secretsv1.SecretReportStatus
		want   error
	}{
		"both pass":    {reason: "0", page: verdicts(secretsv1.VerdictPass, secretsv1.VerdictPass)},
		"denied":       {reason: "1, whatever else is not known", page: verdicts(secretsv1.VerdictDeny, secretsv1.VerdictUnknown), want: exit.ErrDifferent},
		"half unknown": {reason: "unknown is never a pass", page: verdicts(secretsv1.VerdictPass, secretsv1.VerdictUnknown), want: exit.ErrUndecided},
		"no report":    {reason: "nothing was judged", want: exit.ErrUndecided},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			o := Options{Name: "web", ExitCode: true, Connect: func() (Source, error) { return store{tc.page}, nil }}
			o.Terminal = terminal.Terminal{Out: &out, Err: &out, Now: func() time.Time { return time.Unix(0, 0) }}
			if err := get(context.Background(), o); !errors.Is(err, tc.want) {
				t.Errorf("%s: error %v, want %v", tc.reason, err, tc.want)
			}
		})
	}
}
