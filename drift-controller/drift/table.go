// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"slices"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

func say(text string) func(facts) string { return func(facts) string { return text } }

// proven are the rows looked at first on either side: another controller owns
// the path by design, and something in the cluster proves it.
var proven = []row{
	{
		name: "scaler", class: api.ClassController,
		fits: func(f facts) bool {
			return len(f.evidence.Scalers) > 0 && (f.pointer() == "/spec/replicas" || f.scaledByProgram())
		},
		says: func(f facts) string { return f.evidence.Scalers[0] + " owns the replicas" },
	},
	{
		name: "sizer", class: api.ClassController,
		fits: func(f facts) bool {
			return len(f.evidence.Sizers) > 0 && strings.Contains(f.pointer(), "/spec/containers/") &&
				strings.Contains(f.pointer(), "/resources") && !f.has(writers.Human)
		},
		says: func(f facts) string { return f.evidence.Sizers[0] + " owns the resources" },
	},
	{
		name: "router", class: api.ClassController,
		fits: func(f facts) bool {
			return len(f.evidence.Routers) > 0 && f.routes() && f.has(writers.Controller) && !f.has(writers.Human)
		},
		says: func(f facts) string { return f.evidence.Routers[0] + " owns where the traffic goes" },
	},
	{
		name: "scaled by a program", class: api.ClassController,
		// A custom resource may call its replicas anything; who writes through
		// the scale subresource writes nothing else.
		fits: func(f facts) bool { return f.scaledByProgram() && !f.has(writers.Human) },
		says: func(f facts) string { return f.who() + " scales it through the scale subresource" },
	},
}

// declared judges paths that Git declares.
var declared = append(append([]row{}, proven...), []row{
	{
		name: "CA injection", class: api.ClassController,
		fits: func(f facts) bool {
			return f.lastToken() == "caBundle" && f.difference.Wanted.Placeholder() && f.only(writers.Controller)
		},
		says: func(f facts) string { return f.who() + " injects the CA bundle" },
	},
	{
		name: "aggregation", class: api.ClassController,
		// Where field management was wiped nobody is booked, a hand included.
		fits: func(f facts) bool {
			return f.aggregated && f.pointer() == "/rules" && f.has(writers.Controller) && !f.has(writers.Human)
		},
		says: say("the API server aggregates the rules of this role"),
	},
	{
		name: "placeholder", class: api.ClassController,
		fits: func(f facts) bool {
			return f.difference.Wanted.Present() && f.difference.Wanted.Empty() && f.only(writers.Controller)
		},
		says: func(f facts) string { return "Git leaves it empty and " + f.who() + " fills it" },
	},
	{
		name: "appended pull secrets", class: api.ClassController,
		fits: func(f facts) bool {
			return f.kind == "ServiceAccount" && (f.pointer() == "/imagePullSecrets" || f.pointer() == "/secrets") &&
				f.difference.Live.Contains(f.difference.Wanted) && f.has(writers.Controller) && !f.has(writers.Human)
		},
		says: func(f facts) string { return f.who(writers.Controller) + " appends pull secrets" },
	},
	{
		name: "cannot be told without a dry run", class: api.ClassUnknown,
		fits: func(f facts) bool {
			return f.precision == api.PrecisionDeclaredFields && len(f.evidence.Mutators) > 0 && !f.has(writers.Human) &&
				f.difference.Kind == api.Changed
		},
		says: func(f facts) string {
			return f.evidence.Mutators[0] + " may change it on a write, which only a dry run shows"
		},
	},
	{
		name: "Git has moved on", class: api.ClassPending, drift: true,
		fits: func(f facts) bool { return f.matchesBaseline() || f.newInGit() },
		says: say("live still has what Git declared before"),
	},
	{
		name: "deployed from an earlier render", class: api.ClassPending, drift: true,
		// A hand that changes the value takes it from the deployer: one that
		// still owns it next to a hand is the one who set it.
		fits: func(f facts) bool { return f.earlier && (!f.has(writers.Human) || f.has(writers.Deployer)) },
		says: func(f facts) string { return "live has what " + f.deployer() + " deployed from an earlier render" },
	},
	{
		name: "edited by hand", class: api.ClassManual, drift: true, heal: true,
		fits: func(f facts) bool { return f.has(writers.Human) },
		says: func(f facts) string { return "edited with " + f.who(writers.Human) },
	},
	{
		name: "ours, and Git has moved on", class: api.ClassPending, drift: true,
		fits: func(f facts) bool { return f.has(writers.Holdfast) },
		says: say("we applied the live value, and Git has moved on"),
	},
	{
		name: "writer unknown", class: api.ClassManual, drift: true, heal: true,
		fits: func(f facts) bool { return len(f.owners) == 0 },
		says: func(f facts) string {
			if f.difference.Kind == api.Absent {
				return "removed; the API server does not record who removes a field"
			}
			return "nobody is recorded as the writer of the live value"
		},
	},
	{
		name: "contested", class: api.ClassContested, drift: true,
		fits: func(facts) bool { return true },
		says: func(f facts) string {
			if f.has(writers.Deployer) {
				return f.who() + " deployed a value that no known render of Git holds"
			}
			return f.who() + " writes what Git declares"
		},
	},
}...)

// undeclared judges paths that Git does not declare.
var undeclared = append(append([]row{
	{
		name: "bookkeeping", class: api.ClassDefault,
		fits: func(f facts) bool { return bookkeeping(f.difference.Pointer, f) },
		says: say("bookkeeping of a tool"),
	},
}, proven...), []row{
	{
		name: "operational mark", class: api.ClassManual, drift: true,
		fits: func(f facts) bool {
			restarts := f.lastToken() == "kubectl.kubernetes.io/restartedAt" ||
				f.kind == "Rollout.argoproj.io" && f.pointer() == "/spec/restartAt"
			return restarts && !f.only(writers.Controller)
		},
		says: func(f facts) string { return "restarted by hand; healing it would restart every pod again" },
	},
	{
		name: "added by hand", class: api.ClassManual, drift: true, heal: true,
		fits: func(f facts) bool { return f.has(writers.Human) },
		says: func(f facts) string {
			if f.difference.Kind == api.Added {
				return "added with " + f.who(writers.Human)
			}
			return "changed with " + f.who(writers.Human) + "; Git does not declare it" + f.filledIn()
		},
	},
	{
		name: "dropped from Git", class: api.ClassRemoved, drift: true, heal: true,
		// The server books no owner of a key that came in as stringData, nor of
		// a field that it keeps when its last owner lets go: then we remember.
		fits: func(f facts) bool {
			return f.has(writers.Holdfast) || len(f.owners) == 0 && f.matchesBaseline()
		},
		says: say("we applied it once, and Git has dropped it"),
	},
	{
		name: "owned by a controller", class: api.ClassController,
		fits: func(f facts) bool { return f.has(writers.Controller) },
		says: func(f facts) string { return f.who(writers.Controller) + " owns it, and Git is silent" },
	},
	{
		name: "set by a deployer", class: api.ClassPending, drift: true,
		fits: func(f facts) bool { return f.has(writers.Deployer) },
		says: func(f facts) string { return f.who(writers.Deployer) + " set it, and Git does not declare it" },
	},
	{
		name: "allocated by the server", class: api.ClassDefault,
		fits: func(f facts) bool { return allocated(f.kind, f.pointer()) && !f.headless() },
		says: say("allocated by the API server"),
	},
	{
		name: "added at admission", class: api.ClassWebhook,
		// A default that the dry run, which went through admission, still shows
		// is nothing that admission changed.
		fits: func(f facts) bool { return len(f.evidence.Mutators) > 0 && !f.difference.Filled },
		says: func(f facts) string {
			if f.difference.Kind == api.Absent {
				return f.evidence.Mutators[0] + " adds it on the next write; the object is from before"
			}
			return "nobody owns it, and " + f.evidence.Mutators[0] + " matches the object"
		},
	},
	{
		name: "default that live lacks", class: api.ClassDefault,
		fits: func(f facts) bool { return f.difference.Kind == api.Absent },
		says: say("a default of the API server that the stored object does not have yet"),
	},
	{
		name: "unowned", class: api.ClassUnowned, drift: true,
		fits: func(facts) bool { return true },
		says: say("nobody owns it, and no default, controller or admission explains it"),
	},
}...)

// routes says whether the path is about which pods get traffic.
func (f facts) routes() bool {
	tokens := keyedpath.Tokens(f.pointer())
	if len(tokens) < 2 || tokens[0] != "spec" {
		return false
	}
	return slices.Contains(routing[f.kind], tokens[1])
}

var routing = map[string][]string{
	"Service":                             {"selector"},
	"VirtualService.networking.istio.io":  {"http", "tls", "tcp"},
	"DestinationRule.networking.istio.io": {"subsets"},
	"HTTPRoute.gateway.networking.k8s.io": {"rules"},
}

// headless: no server allocates the address None, so somebody once asked for
// it, and only a replacement of the Service takes it back.
func (f facts) headless() bool {
	return f.pointer() == "/spec/clusterIP" && f.difference.Live.Equals("None", true)
}

// filledIn names what the server would store where Git is silent.
func (f facts) filledIn() string {
	if text := f.difference.Wanted.Brief(); text != "" {
		return ", and the API server would store " + text
	}
	return ""
}

func (f facts) deployer() string {
	if who := f.who(writers.Deployer); who != "" {
		return who
	}
	if len(f.evidence.Tracked) > 0 {
		return f.evidence.Tracked[0]
	}
	return "a deployer"
}
