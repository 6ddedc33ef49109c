// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package health

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Result is how an object is.
type Result struct {
	Status  string // kstatus: Current, InProgress, Failed, Terminating, NotFound, Unknown
	Message string
}

// Checks tell the health of kinds. The zero value knows the built-in ones.
type Checks struct {
	own map[schema.GroupKind]*cel.StatusEvaluator
}

// Compile reads the expressions of an Application. The error names the one that
// cannot be read.
func Compile(exprs []api.HealthCheckExpr) (Checks, error) {
	checks := Checks{own: map[schema.GroupKind]*cel.StatusEvaluator{}}
	for i, e := range exprs {
		gv, err := schema.ParseGroupVersion(e.APIVersion)
		if err != nil {
			return Checks{}, fmt.Errorf("spec.healthCheckExprs[%d].apiVersion: %w", i, err)
		}
		evaluator, err := cel.NewStatusEvaluator(&kustomize.HealthCheckExpressions{Current: e.Current, InProgress: e.InProgress, Failed: e.Failed})
		if err != nil {
			return Checks{}, fmt.Errorf("spec.healthCheckExprs[%d] (%s): %w", i, e.Kind, err)
		}
		kind := schema.GroupKind{Group: gv.Group, Kind: e.Kind}
		if checks.own[kind] != nil {
			return Checks{}, fmt.Errorf("spec.healthCheckExprs[%d]: %s has expressions already: give each kind one entry", i, kind)
		}
		checks.own[kind] = evaluator
	}
	return checks, nil
}

// Of says how an object is.
func (c Checks) Of(obj *unstructured.Unstructured) Result {
	if obj.GetDeletionTimestamp() != nil {
		return Result{Status: string(status.TerminatingStatus), Message: "the object is being deleted"}
	}
	kind := obj.GroupVersionKind().GroupKind()
	evaluator, own := c.own[kind]
	if !own {
		evaluator = builtIn()[kind]
	}
	if evaluator == nil {
		return byKstatus(obj)
	}
	if _, reported := obj.Object["status"]; !reported && !own {
		return Result{Status: string(status.InProgressStatus), Message: "its controller has not reported yet"}
	}
	// Nothing waits and nothing is asked: it is arithmetic on one object.
	result, err := evaluator.Evaluate(context.Background(), obj)
	if err != nil {
		return Result{Status: string(status.UnknownStatus), Message: fmt.Sprintf("the health expressions of %s: %s", kind, said(err))}
	}
	return Result{Status: string(result.Status), Message: reported(obj)}
}

func byKstatus(obj *unstructured.Unstructured) Result {
	result, err := status.Compute(obj)
	if err != nil {
		return Result{Status: string(status.UnknownStatus), Message: err.Error()}
	}
	return Result{Status: string(result.Status), Message: result.Message}
}

// said keeps of an error what names fields and not values: a conversion that
// fails quotes what it could not convert.
func said(err error) string {
	if at := strings.Index(err.Error(), "no such key: "); at >= 0 {
		return err.Error()[at:] + ": guard it with has()"
	}
	return "they cannot be evaluated on this object: check the types of the fields that they use"
}

// reported is what the object says of itself.
func reported(obj *unstructured.Unstructured) string {
	if message, found, err := unstructured.NestedString(obj.Object, "status", "message"); found && err == nil && message != "" {
		return message
	}
	conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions") // none is no error
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		message, _ := condition["message"].(string)
		if condition["type"] == "Ready" && message != "" {
			return message
		}
	}
	return ""
}

// builtIn are the kinds of the table, compiled when the first is asked for.
var builtIn = sync.OnceValue(func() map[schema.GroupKind]*cel.StatusEvaluator {
	known := map[schema.GroupKind]*cel.StatusEvaluator{}
	for _, row := range table {
		evaluator, err := cel.NewStatusEvaluator(&kustomize.HealthCheckExpressions{Current: row.current, InProgress: row.inProgress, Failed: row.failed})
		if err != nil {
			continue // the test of the table compiles each row
		}
		for _, kind := range row.kinds {
			known[schema.GroupKind{Group: row.group, Kind: kind}] = evaluator
		}
	}
	return known
})
