// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package leak

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// served are the addresses of a controller that anybody could ask.
type served struct{ metrics, health string }

var (
	ends = map[string]served{}
	// receiver gets the events that are sent out of the cluster.
	receiver = &inbox{}
)

// inbox keeps what is posted to it.
type inbox struct {
	mu   sync.Mutex
	text strings.Builder
}

func (i *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "cannot be read", http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.text.Write(body)
	i.text.WriteByte('\n')
}

func (i *inbox) all() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.text.String()
}

func TestMain(m *testing.M) {
	server := httptest.NewServer(receiver)
	flags := map[string][]string{}
	for _, name := range []string{holdfast.Source, holdfast.Drift, holdfast.Secrets} {
		at, err := addresses()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		ends[name] = at
		flags[name] = []string{"--log-level=trace", "--metrics-addr=" + at.metrics, "--health-addr=" + at.health}
		if name != holdfast.Secrets {
			flags[name] = append(flags[name], "--events-addr="+server.URL)
		}
	}
	lab.MainWith(m, "leak", lab.Options{Flags: flags})
}

func addresses() (served, error) {
	metrics, err := holdfast.FreeAddress()
	if err != nil {
		return served{}, err
	}
	health, err := holdfast.FreeAddress()
	return served{metrics: metrics, health: health}, err
}
