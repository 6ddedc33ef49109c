// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/clientcmd"
)

// Kind says what stands in the way.
type Kind string

// The kinds of fault.
const (
	NoConfig      Kind = "NoConfig"
	NoSuchContext Kind = "NoSuchContext"
	Unreachable   Kind = "Unreachable"
	Unauthorized  Kind = "Unauthorized"
	Forbidden     Kind = "Forbidden"
	NotInstalled  Kind = "NotInstalled"
	NotFound      Kind = "NotFound"
	Interrupted   Kind = "Interrupted"
	Refused       Kind = "Refused"
	TimedOut      Kind = "TimedOut"
	Other         Kind = "Other"
)

// Fault is a failure to read the cluster, with the next step.
type Fault struct {
	Kind Kind
	// What happened, naming the object or the server.
	What string
	// Next is what to do about it.
	Next  string
	Cause error
}

// Error says what, then the next step.
func (f *Fault) Error() string {
	if f.Next == "" {
		return f.What
	}
	return f.What + "\n" + f.Next
}

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Cause }

// place is the cluster as the messages name it.
type place struct{ host, context string }

func (p place) String() string {
	if p.context == "" {
		return p.host
	}
	return p.host + " (context " + p.context + ")"
}

// explain turns an error of the API machinery into a Fault. The server's own
// words are kept: they name the user, the verb and the resource.
func (p place) explain(err error, reading string) error {
	var known *Fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled):
		return &Fault{Kind: Interrupted, What: "interrupted while reading " + reading, Cause: err}
	case apimeta.IsNoMatchError(err):
		return &Fault{Kind: NotInstalled, Cause: err,
			What: fmt.Sprintf("the API server at %s has no %s: the CRDs of Holdfast are not installed there", p, reading),
			Next: "Install Holdfast (holdfast install), " +
				"or name another cluster with --context or --kubeconfig."}
	case apierrors.IsForbidden(err):
		return &Fault{Kind: Forbidden, Cause: err,
			What: fmt.Sprintf("the API server at %s refuses: %v", p, err),
			Next: "Ask for that right, or name a namespace where you have it with -n. What reads needs get and list on applications, " +
				"driftreports and inventories (drift.holdfast.dev) and secretreports (secrets.holdfast.dev); the ClusterRole " +
				"holdfast-approver lets approve and open emergencies."}
	case apierrors.IsUnauthorized(err):
		return &Fault{Kind: Unauthorized, Cause: err,
			What: fmt.Sprintf("the API server at %s does not accept your credentials: %v", p, err),
			Next: "Log in again, or name another user with --context, --user or --token."}
	case unreachable(err):
		return &Fault{Kind: Unreachable, Cause: err,
			What: fmt.Sprintf("no API server answers at %s: %v", p, innermost(err)),
			Next: "Check that the cluster is up and reachable from here, or name another with --context or --kubeconfig. " +
				"make demo starts one with Holdfast in it."}
	default:
		return &Fault{Kind: Other, What: fmt.Sprintf("reading %s from %s: %v", reading, p, err), Cause: err}
	}
}

// explainConfig does the same for what goes wrong before any request.
func explainConfig(err error, contexts []string) error {
	text := err.Error()
	switch {
	// Only one of the loader's ways to say it has a type.
	case clientcmd.IsContextNotFound(err), strings.Contains(text, "does not exist"):
		return &Fault{Kind: NoSuchContext, Cause: err,
			What: "kubeconfig: " + text,
			Next: "Contexts that it has: " + list(contexts, "none") + "."}
	default:
		return &Fault{Kind: NoConfig, Cause: err,
			What: "kubeconfig: " + text,
			Next: "Name a kubeconfig with --kubeconfig or KUBECONFIG. make demo starts a cluster and prints its own."}
	}
}

func unreachable(err error) bool {
	var network net.Error
	var address *url.Error
	return errors.As(err, &network) || errors.As(err, &address) || apierrors.IsServiceUnavailable(err) || apierrors.IsTimeout(err)
}

// innermost drops the request line that net/http puts before the reason.
func innermost(err error) error {
	var address *url.Error
	if errors.As(err, &address) {
		return address.Err
	}
	return err
}

func list(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}
