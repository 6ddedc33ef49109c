// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package exit

import (
	"errors"
	"fmt"
	"testing"
)

func TestCode(t *testing.T) {
	tests := map[string]struct {
		reason string
		err    error
		want   int
		silent bool
	}{
		"nothing":     {reason: "success is no error", want: OK},
		"differences": {reason: "diff's habit: 1 is an answer, not a failure", err: fmt.Errorf("x: %w", ErrDifferent), want: Different, silent: true},
		"undecided":   {reason: "unknown is never green, and no difference either", err: ErrUndecided, want: Failed},
		"anything":    {reason: "a failure must not look like differences", err: errors.New("boom"), want: Failed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Code(tc.err); got != tc.want {
				t.Errorf("%s: Code = %d, want %d", tc.reason, got, tc.want)
			}
			if got := Silent(tc.err); got != tc.silent {
				t.Errorf("%s: Silent = %v, want %v", tc.reason, got, tc.silent)
			}
		})
	}
}
