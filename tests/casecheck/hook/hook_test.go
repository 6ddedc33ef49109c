// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package hook_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/tests/casecheck/hook"
)

// TestAnswers speaks to the server as an API server does: with the address and
// the certificate that a configuration got.
func TestAnswers(t *testing.T) {
	s := hook.Start()
	t.Cleanup(s.Close)
	cases := map[string]struct {
		reason, path, request string
		has, hasNot           []string
	}{
		"injects":            {"a sidecar comes with its volume", "/sidecar", `{"uid":"1","object":{"spec":{"containers":[{"name":"app"}]}}}`, []string{"mesh-proxy", "emptyDir"}, nil},
		"only once":          {"what is there is left alone", "/sidecar", `{"uid":"1","object":{"spec":{"containers":[{"name":"mesh-proxy","image":"mine"}]}}}`, []string{"mine"}, []string{"emptyDir"}},
		"a deletion":         {"there is no object to change", "/annotate", `{"uid":"1","object":null}`, []string{`"allowed":true`}, []string{"checked"}},
		"rewrites":           {"an image of a public registry", "/registry", `{"uid":"1","object":{"spec":{"containers":[{"image":"docker.io/a:1"}]}}}`, []string{"mirror.example.com/a:1"}, nil},
		"to the new version": {"the field has moved", "/convert", `{"uid":"1","desiredAPIVersion":"x/v1","objects":[{"apiVersion":"x/v1alpha1","spec":{"colour":"red"}}]}`, []string{`"color":"red"`}, []string{"colour"}},
		"to the old version": {"and back", "/convert", `{"uid":"1","desiredAPIVersion":"x/v1alpha1","objects":[{"apiVersion":"x/v1","spec":{"style":{"color":"red"}}}]}`, []string{`"colour":"red"`}, []string{"style"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ask(t, s, tc.path, `{"apiVersion":"v1","kind":"Review","request":`+tc.request+`}`)
			for _, word := range tc.has {
				if !strings.Contains(got, word) {
					t.Errorf("%s: want %s in %s", tc.reason, word, got)
				}
			}
			for _, word := range tc.hasNot {
				if strings.Contains(got, word) {
					t.Errorf("%s: want no %s in %s", tc.reason, word, got)
				}
			}
		})
	}
}

// TestPointLeavesOthersAlone: only the host of the cases is replaced.
func TestPointLeavesOthersAlone(t *testing.T) {
	s := hook.Start()
	t.Cleanup(s.Close)
	other := &unstructured.Unstructured{Object: map[string]any{
		"webhooks": []any{map[string]any{"clientConfig": map[string]any{"url": "https://elsewhere.example.com/x"}}},
	}}
	if got := s.Point([]*unstructured.Unstructured{other})[0]; !strings.Contains(text(t, got), "elsewhere.example.com/x") {
		t.Errorf("another webhook was pointed here: %v", got)
	}
}

// ask posts a review to the address that Point writes, and gives the answer
// with its patch decoded.
func ask(t *testing.T, s *hook.Server, path, review string) string {
	t.Helper()
	configuration := &unstructured.Unstructured{Object: map[string]any{
		"webhooks": []any{map[string]any{"clientConfig": map[string]any{"url": hook.Host + path}}},
	}}
	pointed := s.Point([]*unstructured.Unstructured{configuration})[0]
	client := pointed.Object["webhooks"].([]any)[0].(map[string]any)["clientConfig"].(map[string]any)
	authority, err := base64.StdEncoding.DecodeString(client["caBundle"].(string))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	caller := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	defer caller.CloseIdleConnections()
	response, err := caller.Post(client["url"].(string), "application/json", bytes.NewReader([]byte(review)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // a body that was read to its end
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, err)
	}
	var answer struct {
		Response struct {
			Patch []byte `json:"patch"`
		} `json:"response"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	return string(body) + string(answer.Response.Patch)
}

func text(t *testing.T, o *unstructured.Unstructured) string {
	t.Helper()
	data, err := json.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
