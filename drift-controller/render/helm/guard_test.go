// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

// The calls that are put into templates must not show: not in the output, not
// in the lines of an error.
func TestTicksDoNotShow(t *testing.T) {
	cases := map[string]struct {
		text  string
		ticks int
	}{
		"NoLoop":        {"a: {{ .A }}\n", 1},
		"Plain":         {"{{ range .L }}x{{ . }}\n{{ end }}", 4},
		"TrimBoth":      {"a:\n  {{- range .L }}\n  - {{ . }}\n  {{- end }}\nb", 4},
		"TrimInner":     {"{{ range .L -}}\n  \n  {{- . -}}\n  {{- end }}z", 4},
		"ActionFirst":   {"{{ range .L }}{{ . }}{{ end }}", 4},
		"TrimAction":    {"{{ range .L }} \n {{- . }}{{ end }}", 4},
		"TrimNewline":   {"{{ range .L }} \n {{-\n. }}{{ end }}", 4},
		"EmptyBody":     {"{{ range .L }}{{ end }}", 4},
		"EmptyTrimmed":  {"{{ range .L }} {{- end }}", 4},
		"Nested":        {"{{ range $i, $x := .L }}{{ range $.L }} {{ $i }}{{ . }}{{ else }}none{{ end }}{{ end }}", 13},
		"InIfAndWith":   {"{{ if .A }}{{ with .A }}{{ range $.L }}y{{ end }}{{ end }}{{ else }}{{ range .L }}n{{ end }}{{ end }}", 4},
		"Comment":       {"{{ range .L }}{{/* why */}}\n{{- /* not */ -}} {{ . }}{{ end }}", 4},
		"Define":        {"{{ define \"t\" -}}\n  <{{ . }}>\n{{- end }}{{ range .L }}{{ template \"t\" . }}{{ end }}", 7},
		"Else":          {"{{ range .None }}x{{ else }}{{ range .L }}e{{ end }}{{ end }}", 4},
		"Raw":           {"{{ range .L }}{{ `}}{{ raw` }}{{ end }}", 4},
		"Break":         {"{{ range .L }}{{ break }}{{ end }}", 2},
		"DoesNotParse":  {"{{ range .L }", -1},
		"BlockInDefine": {"{{ define \"d\" }}{{ range .L }}.{{ end }}{{ end }}{{ template \"d\" . }}", 5},
	}
	data := map[string]any{"A": "a", "L": []int{1, 2, 3}, "None": []int{}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ticked := string(insertTicks("x", []byte(tc.text)))
			if tc.ticks < 0 {
				if ticked != tc.text {
					t.Errorf("text that does not parse must be left alone, got %q", ticked)
				}
				return
			}
			count := 0
			run := func(text string) string {
				parsed := template.Must(template.New("x").Funcs(template.FuncMap{tick: func() string { count++; return "" }}).Parse(text))
				var out strings.Builder
				if err := parsed.Execute(&out, data); err != nil {
					t.Fatal(err)
				}
				return out.String()
			}
			if diff := cmp.Diff(run(tc.text), run(ticked)); diff != "" {
				t.Errorf("output of %q (-want +got):\n%s", ticked, diff)
			}
			if count != tc.ticks {
				t.Errorf("want %d steps counted, got %d in %q", tc.ticks, count, ticked)
			}
			if strings.Count(ticked, "\n") != strings.Count(tc.text, "\n") {
				t.Errorf("lines must stay where they are: %q", ticked)
			}
		})
	}
}
