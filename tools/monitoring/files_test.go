// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"sigs.k8s.io/yaml"
)

// folder of what is tested.
const folder = "../../config/monitoring"

// rule is one alert.
type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// held is how long the expression has to hold.
func (r rule) held(t *testing.T) time.Duration {
	t.Helper()
	if r.For == "" {
		return 0
	}
	d, err := model.ParseDuration(r.For)
	if err != nil {
		t.Fatalf("%s: for: %v", r.Alert, err)
	}
	return time.Duration(d)
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// alerts are the rules by name.
func alerts(t *testing.T) map[string]rule {
	t.Helper()
	// The operator refuses a field that it does not know, and so does this.
	var file struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   map[string]any `json:"metadata"`
		Spec       struct {
			Groups []struct {
				Name     string `json:"name"`
				Interval string `json:"interval"`
				Rules    []rule `json:"rules"`
			} `json:"groups"`
		} `json:"spec"`
	}
	if err := yaml.UnmarshalStrict(read(t, "alerts.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	found := map[string]rule{}
	for _, g := range file.Spec.Groups {
		for _, r := range g.Rules {
			if _, twice := found[r.Alert]; twice {
				t.Errorf("two alerts are named %s", r.Alert)
			}
			found[r.Alert] = r
		}
	}
	if len(found) == 0 {
		t.Fatal("alerts.yaml has no rules")
	}
	return found
}

// dashboard is what is read of Grafana's file.
type dashboard struct {
	UID        string  `json:"uid"`
	Title      string  `json:"title"`
	Panels     []panel `json:"panels"`
	Templating struct {
		List []struct {
			Name string `json:"name"`
		} `json:"list"`
	} `json:"templating"`
}

type panel struct {
	ID      int                `json:"id"`
	Title   string             `json:"title"`
	GridPos struct{ X, W int } `json:"gridPos"`
	Targets []struct {
		Expr  string `json:"expr"`
		RefID string `json:"refId"`
	} `json:"targets"`
}

func board(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal(read(t, "dashboard.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// queries are all expressions, by where they stand; Grafana's variable is
// everything.
func queries(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, r := range alerts(t) {
		found["alert "+name] = r.Expr
	}
	for _, p := range board(t).Panels {
		for _, target := range p.Targets {
			found["panel "+p.Title+" "+target.RefID] = strings.ReplaceAll(target.Expr, "$namespace", ".*")
		}
	}
	return found
}
