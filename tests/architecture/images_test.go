// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var goVersion = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)

// TestImages: what can be told of the Dockerfiles without Docker. What they copy
// is there, what they run is static, and nobody in them is root.
func TestImages(t *testing.T) {
	work, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	release := goVersion.FindStringSubmatch(string(work))[1]
	for _, controller := range []string{"source-controller", "drift-controller", "secrets-controller"} {
		text, err := os.ReadFile(filepath.Join(root, controller, "Dockerfile"))
		if err != nil {
			t.Fatal(err)
		}
		var words [][]string
		joined := strings.ReplaceAll(string(text), "\\\n", " ")
		for line := range strings.Lines(joined) {
			if fields := strings.Fields(line); len(fields) > 1 && !strings.HasPrefix(line, "#") {
				words = append(words, fields)
			}
		}
		has := func(want ...string) bool {
			return slices.ContainsFunc(words, func(w []string) bool { return slices.Equal(w, want) })
		}
		binary := "/usr/local/bin/" + controller
		for _, want := range [][]string{
			{"FROM", "--platform=$BUILDPLATFORM", "golang:" + release, "AS", "build"}, {"USER", "65532:65532"},
			{"COPY", "--from=build", "/out/" + controller, binary}, {"ENTRYPOINT", `["` + binary + `"]`},
		} {
			if !has(want...) {
				t.Errorf("%s/Dockerfile lacks: %s", controller, strings.Join(want, " "))
			}
		}
		for _, w := range words {
			if w[0] == "COPY" && !strings.HasPrefix(w[1], "--") && !exists(document{path: "Dockerfile"}, w[1]) {
				t.Errorf("%s/Dockerfile copies %s, which does not exist", controller, w[1])
			}
			if w[0] == "RUN" && slices.Contains(w, "build") && !slices.Contains(w, "CGO_ENABLED=0") {
				t.Errorf("%s/Dockerfile builds a program that is not static: %s", controller, strings.Join(w, " "))
			}
		}
	}
}
