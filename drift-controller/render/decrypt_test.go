// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/rendered"
)

// The values that the test files hold, encrypted for own.agekey;
// token holds the second in base64.
const (
	inSecret = "q~W|z~Jk^V~0x|Mw~"
	inToken  = "p~L|9~Rb^T~4u|Gs~"
	inValues = "h~C|y~Fd^S~6e|Kv~"
)

func sopsOptions(t *testing.T, key string) render.Options {
	t.Helper()
	text, err := os.ReadFile("testdata/sops/" + key)
	if err != nil {
		t.Fatal(err)
	}
	return render.Options{
		Namespace: "shop", Decryption: &render.Decryption{Keys: []string{string(text)}}, Tainted: []string{string(text)},
		Helm: render.HelmOptions{ReleaseName: "web", ValuesFiles: []string{"values-prod.yaml"}},
	}
}

// shows fails if four signs in a row of a value are in the text.
func shows(t *testing.T, what, text string, values ...string) {
	t.Helper()
	for _, value := range values {
		for i := range len(value) - 3 {
			if strings.Contains(text, value[i:i+4]) {
				t.Errorf("%s shows %q of a value:\n%s", what, value[i:i+4], text)
				return
			}
		}
	}
}

// TestDecrypted: the objects hold the values, and nothing that leaves does.
func TestDecrypted(t *testing.T) {
	for dir, want := range map[string][]string{
		"plain": {inSecret, "cH5MfDl+UmJeVH40dXxHc34="},
		"chart": {inValues, "hello " + inValues},
	} {
		t.Run(dir, func(t *testing.T) {
			result, err := render.Render(context.Background(), os.DirFS("testdata/sops"), dir, sopsOptions(t, "own.agekey"))
			if err != nil {
				t.Fatal(err)
			}
			var objects []*unstructured.Unstructured
			text := ""
			for _, o := range result.Objects {
				objects = append(objects, o.Unstructured)
				text += fmt.Sprint(o.Object)
			}
			for _, value := range want {
				if !strings.Contains(text, value) {
					t.Errorf("%q is not in the objects: %s", value, text)
				}
			}
			masked, err := rendered.Manifests(objects, mask.Scope{Key: mask.Key("k"), Tainted: result.TaintedValues()})
			if err != nil {
				t.Fatal(err)
			}
			shows(t, "the rendered artifact", string(masked), inSecret, inToken, inValues)
			if !strings.Contains(string(masked), "(masked encrypted ") {
				t.Errorf("what stands encrypted in Git looks as if it lay there in the clear:\n%s", masked)
			}
			shows(t, "the notes", strings.Join(result.Notes, "\n"), inSecret, inToken, inValues)
		})
	}
}

func TestNotDecrypted(t *testing.T) {
	t.Run("an object for another key", func(t *testing.T) {
		result, err := render.Render(context.Background(), os.DirFS("testdata/sops"), "foreign", sopsOptions(t, "own.agekey"))
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Objects) != 1 || len(result.Unjudged) != 1 || result.Complete() {
			t.Errorf("it is set aside, the rest is compared, and absence proves nothing: %d and %d", len(result.Objects), len(result.Unjudged))
		}
		if reason := result.Unjudged[0].Reason; !strings.Contains(reason, "none of the keys opens it; it is encrypted for age1") {
			t.Errorf("the reason does not say what to do: %s", reason)
		}
	})
	t.Run("values for another key", func(t *testing.T) {
		_, err := render.Render(context.Background(), os.DirFS("testdata/sops"), "chart", sopsOptions(t, "other.agekey"))
		wantHalt(t, err, halt.Stalled, contract.BuildFailedReason)
		if !strings.Contains(err.Error(), "chart/values-prod.yaml: none of the keys opens it") {
			t.Errorf("ciphertext must never be rendered: %v", err)
		}
	})
	t.Run("a broken key", func(t *testing.T) {
		options := sopsOptions(t, "own.agekey")
		broken := options.Decryption.Keys[0][:60]
		options.Decryption.Keys = []string{broken}
		_, err := render.Render(context.Background(), os.DirFS("testdata/sops"), "plain", options)
		wantHalt(t, err, halt.Stalled, contract.BuildFailedReason)
		if strings.Contains(err.Error(), broken[40:]) {
			t.Errorf("the error quotes the key: %v", err)
		}
	})
	t.Run("without a wish", func(t *testing.T) {
		_, err := render.Render(context.Background(), os.DirFS("testdata/sops"), "plain", render.Options{})
		var h *halt.Error
		if !errors.As(err, &h) || h.Reason != contract.EmptyRenderReason {
			t.Errorf("nothing but an encrypted object is nothing to compare: %v", err)
		}
	})
}

// TestDecryptedErrorsShowNothing: a template that fails quotes its values.
func TestDecryptedErrorsShowNothing(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"Chart.yaml", "values-prod.yaml"} {
		text, err := os.ReadFile("testdata/sops/chart/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files["c/"+name] = string(text)
	}
	files["c/templates/x.yaml"] = "{{ fail (printf \"no way with %s\" .Values.auth.password) }}"
	_, err := render.Render(context.Background(), written(t, files), "c", sopsOptions(t, "own.agekey"))
	wantHalt(t, err, halt.Stalled, contract.BuildFailedReason)
	shows(t, "the error", err.Error(), inValues)
}

// TestDecryptedIsFresh: what is on record is the file as it stands in Git, so
// that the same ciphertext is not decrypted again.
func TestDecryptedIsFresh(t *testing.T) {
	files := os.DirFS("testdata/sops")
	result, err := render.Render(context.Background(), files, "plain", sopsOptions(t, "own.agekey"))
	if err != nil {
		t.Fatal(err)
	}
	if !result.Fresh(files, nil) {
		t.Error("nothing has changed")
	}
	if strings.Contains(sopsOptions(t, "own.agekey").Digest(), sopsOptions(t, "other.agekey").Digest()) {
		t.Error("another key is another render")
	}
}

func TestAgeKeys(t *testing.T) {
	data := map[string]string{"b.agekey": "2", "a.agekey": "1", "x.asc": "3", "mine": "4"}
	for named, want := range map[string]string{"": "1 2", "mine": "4", "none": ""} {
		if got := strings.Join(render.AgeKeys(data, named), " "); got != want {
			t.Errorf("%q: got %q, want %q", named, got, want)
		}
	}
}
