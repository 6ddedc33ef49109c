// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Host is how cases name this server: https://webhook.example.com/PATH.
const Host = "https://webhook.example.com"

// largest review that is read: the API server sends no larger object.
const largest = 8 << 20

// Server answers until it is closed.
type Server struct {
	http *httptest.Server
	ca   string // base64 of PEM
}

// Start listens on loopback, with a certificate of its own.
func Start() *Server {
	mux := http.NewServeMux()
	for path, inject := range mutations {
		mux.HandleFunc("POST "+path, mutating(inject))
	}
	mux.HandleFunc("POST /convert", converting)
	s := httptest.NewUnstartedServer(mux)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // an API server that stops resets its connections
	s.StartTLS()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return &Server{http: s, ca: base64.StdEncoding.EncodeToString(certificate)}
}

// Close stops the server.
func (s *Server) Close() { s.http.Close() }

// Point makes copies of the objects, in which every configuration that names
// Host has the address and the certificate of this server.
func (s *Server) Point(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, o := range objects {
		pointed := o.DeepCopy()
		s.point(pointed.Object)
		out = append(out, pointed)
	}
	return out
}

func (s *Server) point(v any) {
	switch t := v.(type) {
	case []any:
		for _, item := range t {
			s.point(item)
		}
	case map[string]any:
		if client, ok := t["clientConfig"].(map[string]any); ok {
			if url, _ := client["url"].(string); strings.HasPrefix(url, Host) {
				client["url"] = s.http.URL + strings.TrimPrefix(url, Host)
				client["caBundle"] = s.ca
			}
		}
		for _, field := range t {
			s.point(field)
		}
	}
}

// exchange reads a review and writes it back with the answer.
func exchange(w http.ResponseWriter, r *http.Request, answer func(request map[string]any) map[string]any) {
	var review map[string]any
	if err := json.NewDecoder(io.LimitReader(r.Body, largest)).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request, _ := review["request"].(map[string]any)
	response := answer(request)
	response["uid"] = request["uid"]
	w.Header().Set("Content-Type", "application/json")
	reply := map[string]any{"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}
	if json.NewEncoder(w).Encode(reply) != nil {
		return // the API server has gone away
	}
}
