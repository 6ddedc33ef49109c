// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/gate"
	"github.com/holdfast-gitops/holdfast/drift-controller/health"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/renders"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/rollouts"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
	"github.com/holdfast-gitops/holdfast/drift-controller/status"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// inputs is everything that a run is about, read beforehand.
type inputs struct {
	app       *api.Application
	project   *api.Project // nil: the locked-down default
	namespace string       // destination
	observer  *observe.Cluster
	denied    string // why nobody can look, empty if the observer can
	criteria
	stage  status.Stage
	render renders.Request
	source sourceState
	asked  bool // somebody asked for this run by annotation
	keys   map[schema.GroupKind]watch.Key
}

// criteria are what the spec and the Project say about judging, as values.
type criteria struct {
	ignore  []drift.IgnoreRule
	writers writers.Catalogue
	health  health.Checks
}

// gather reads the inputs. A halt says which one is not there.
func (p *pass) gather(ctx context.Context) (err error) {
	app := p.app
	in := inputs{app: app, namespace: app.Spec.Destination.Namespace, keys: map[schema.GroupKind]watch.Key{}}
	if in.namespace == "" {
		in.namespace = app.Namespace
	}
	in.asked = app.Annotations[contract.RequestedAtAnnotation] != app.Status.LastHandledReconcileAt
	p.facts = status.Facts{Suspended: app.Spec.Suspend, Secrets: status.Secrets{Gate: gateOf(app)}, Notes: notOffered(app)}
	in.project, err = p.project(ctx, app)
	in.stage = p.stageOf(ctx, p.Reconciler, app, in.project)
	p.facts.Stage = in.stage
	if p.Apart() > apart {
		p.facts.Notes = append(p.facts.Notes, "the clocks of the drift-controller and of the API server differ by more than "+apart.String()+": what takes time (quarantines, budgets, emergencies, soaks) ends when it is over by both; set the clocks")
	}
	if err != nil || p.facts.Suspended {
		return err
	}
	if err := in.compile(); err != nil {
		return err
	}
	if in.observer, in.denied, err = p.observer(app); err != nil {
		return err
	}
	artifact, note, err := p.source(ctx, &in)
	p.facts.Revision, p.facts.Digest = artifact.Revision, artifact.Digest
	if note != "" {
		p.facts.Notes = append(p.facts.Notes, note)
	}
	in.render = renders.Request{
		App: client.ObjectKeyFromObject(app), Spec: app.Spec, Namespace: in.namespace,
		Artifact: artifact, Observer: in.observer, Denied: in.denied,
	}
	p.in = in
	return err
}

// checked are the objects of spec.healthChecks, as far as they are named.
func (in *inputs) checked() []manifest.Object {
	objects := make([]manifest.Object, 0, len(in.app.Spec.HealthChecks))
	for _, c := range in.app.Spec.HealthChecks {
		o := &unstructured.Unstructured{}
		o.SetAPIVersion(c.APIVersion)
		o.SetKind(c.Kind)
		o.SetName(c.Name)
		o.SetNamespace(cmp.Or(c.Namespace, in.namespace))
		objects = append(objects, manifest.Object{Unstructured: o})
	}
	return objects
}

// compile makes values of what the spec and the Project say about judging.
func (in *inputs) compile() error {
	ignore, err := drift.CompileIgnore(in.app.Spec.Ignore)
	if err != nil {
		return halt.Stalledf(contract.InvalidSpecReason, "%w", err)
	}
	in.ignore, in.writers = ignore, writers.BuiltIn()
	if in.health, err = health.Compile(in.app.Spec.HealthCheckExprs); err != nil {
		return halt.Stalledf(contract.InvalidSpecReason, "%w", err)
	}
	if in.project != nil {
		w := in.project.Spec.Writers
		in.writers = in.writers.With(w.Humans, w.Deployers, w.Controllers)
	}
	if in.app.Spec.Destination.KubeConfig != nil {
		return halt.Stalledf(contract.NotOfferedReason, "spec.destination.kubeConfig is not offered yet: run a drift-controller in that cluster")
	}
	return nil
}

// project reads the Application's Project and holds the Application against it.
func (r *Reconciler) project(ctx context.Context, app *api.Application) (*api.Project, error) {
	if app.Spec.Project == "" {
		return nil, nil
	}
	p := &api.Project{}
	if err := r.Get(ctx, client.ObjectKey{Name: app.Spec.Project}, p); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, halt.Waitf(contract.ProjectNotFoundReason, 0, "Project %s does not exist: create it, or correct spec.project", app.Spec.Project)
		}
		return nil, halt.Retryf(contract.APIUnavailableReason, "reading Project %s: %w", app.Spec.Project, err)
	}
	if !slices.ContainsFunc(p.Spec.ApplicationNamespaces, func(n string) bool { return desired.Matches(n, app.Namespace) }) {
		return p, halt.Waitf(contract.ProjectRefusedReason, 0, "Project %s does not list namespace %s in applicationNamespaces", p.Name, app.Namespace)
	}
	return p, nil
}

// apart is how far the clocks may be apart before people hear of it.
const apart = time.Minute

// stageOf is the lowest of what may bound an Application. What the reader gives
// decides: the cache for a plan, the API server right before a write.
func (p *pass) stageOf(ctx context.Context, reader client.Reader, app *api.Application, project *api.Project) status.Stage {
	limits := bounds(app, project)
	reach, _ := stage.Effective(app.Spec.Stage, limits...)
	present := p.Clock.Times()
	granted, limit := rollouts.Grant(ctx, reader, app, reach, present)
	limits = append(limits, limit)
	if project != nil {
		for _, at := range []time.Time{present.Early, present.Late} { // open by both clocks
			open := stage.Windows(project.Spec.Windows, at)
			open.By = "Project " + project.Name + ": " + open.By
			limits = append(limits, open)
		}
	}
	effective, heldBy := stage.Effective(app.Spec.Stage, limits...)
	return status.Stage{Effective: effective, Ceiling: app.Spec.Stage, HeldBy: heldBy, Granted: granted}
}

// bounds are the limits that no time and no gate moves.
func bounds(app *api.Application, project *api.Project) []stage.Limit {
	limits := []stage.Limit{{Stage: api.StageObserve, By: "no Project: the default allows Observe"}}
	if project != nil {
		limits[0] = stage.Limit{Stage: project.Spec.MaxStage, By: "Project " + project.Name + ": maxStage " + string(project.Spec.MaxStage)}
	}
	if app.Spec.Identity.Apply == "" {
		limits = append(limits, stage.Limit{Stage: api.StageObserve, By: "spec.identity.apply is not set"})
	}
	if app.Spec.Identity.Prune == "" {
		limits = append(limits, stage.Limit{Stage: api.StageSelfHeal, By: "spec.identity.prune is not set"})
	}
	return append(limits, stage.Limit{Stage: stage.Offered, By: "this build offers " + string(stage.Offered)})
}

// observer gives the cluster as the observe account sees it.
func (r *Reconciler) observer(app *api.Application) (*observe.Cluster, string, error) {
	if app.Spec.Identity.Observe == "" {
		return nil, "spec.identity.observe is not set: name a service account of namespace " + app.Namespace + " that may read the objects", nil
	}
	c, err := r.Cluster.As(observe.Identity{Namespace: app.Namespace, ServiceAccount: app.Spec.Identity.Observe})
	if err != nil {
		return nil, "", halt.Retryf(contract.IdentityNotFoundReason, "acting as %s/%s: %w", app.Namespace, app.Spec.Identity.Observe, err)
	}
	return c, "", nil
}

// source reads the artifact that the source's status names. note says what is
// wrong with a source whose last artifact is still good.
func (r *Reconciler) source(ctx context.Context, in *inputs) (a renders.Artifact, note string, err error) {
	ref := in.app.Spec.SourceRef
	name := client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}
	if name.Namespace == "" {
		name.Namespace = in.app.Namespace
	}
	if name.Namespace != in.app.Namespace && (in.project == nil || !slices.Contains(in.project.Spec.SourceNamespaces, name.Namespace)) {
		return a, "", halt.Waitf(contract.ProjectRefusedReason, 0,
			"sourceRef names namespace %s, which the Project does not list in sourceNamespaces", name.Namespace)
	}
	found, err := r.readSource(ctx, ref.Kind, name)
	in.source = found
	r.Metrics.Source(client.ObjectKeyFromObject(in.app), err == nil && found.says == "", found.since, r.Clock.Now())
	if err != nil {
		return a, "", err
	}
	if in.project != nil && len(in.project.Spec.SourceRepos) > 0 && !slices.ContainsFunc(in.project.Spec.SourceRepos,
		func(p string) bool { return desired.Matches(p, found.url) }) {
		return a, "", halt.Waitf(contract.ProjectRefusedReason, 0, "Project %s does not list the URL of %s %s in sourceRepos", in.project.Name, ref.Kind, name)
	}
	if found.artifact == nil {
		return a, "", halt.Waitf(contract.SourceNotReadyReason, 0, "%s %s has no artifact yet: %s", ref.Kind, name, found.says)
	}
	a = renders.Artifact{URL: found.artifact.URL, Digest: found.artifact.Digest, Revision: found.artifact.Revision}
	if found.says != "" && !found.busy {
		note = fmt.Sprintf("%s %s is not ready (%s); compared with its last artifact", ref.Kind, name, found.says)
	}
	return a, note, nil
}

// sourceState is what is read of a source's status; says is empty if it is Ready.
type sourceState struct {
	key      sourceKey
	url      string
	artifact *artifact
	says     string
	since    time.Time // of says, as the source itself tells it
	// handled is the last question that the source has answered, current that
	// its status is about its present declaration, busy that it is at work: it
	// is no news that a commit passes through.
	handled                  string
	spec                     any // what it is asked for, without how often and with what right
	current, suspended, busy bool
}

func (r *Reconciler) readSource(ctx context.Context, kind string, name client.ObjectKey) (sourceState, error) {
	git, oci := &sourcev1.GitRepository{}, &sourcev1.OCIRepository{}
	var obj interface {
		client.Object
		fluxSource
	} = git
	if kind == sourcev1.OCIRepositoryKind {
		obj = oci
	}
	if err := r.Get(ctx, name, obj); err != nil {
		if apierrors.IsNotFound(err) {
			return sourceState{}, halt.Waitf(contract.SourceNotFoundReason, 0, "%s %s does not exist: create it, or correct spec.sourceRef", kind, name)
		}
		return sourceState{}, halt.Retryf(contract.SourceNotReadyReason, "reading %s %s: %w", kind, name, err)
	}
	s := sourceState{
		key: sourceKey{kind: kind, name: name}, url: git.Spec.URL + oci.Spec.URL, artifact: obj.GetArtifact(),
		spec: asksFor(git.Spec, oci.Spec),
		says: "it reports no Ready condition", handled: handledBy(obj), suspended: git.Spec.Suspend || oci.Spec.Suspend,
	}
	if ready := meta.FindStatusCondition(obj.GetConditions(), contract.ReadyCondition); ready != nil {
		s.says, s.since = ready.Reason+": "+ready.Message, ready.LastTransitionTime.Time
		s.busy = ready.Status == metav1.ConditionUnknown && ready.Reason == fluxmeta.ProgressingReason
		s.current = ready.ObservedGeneration == obj.GetGeneration()
		if ready.Status == metav1.ConditionTrue {
			s.says = ""
		}
	}
	return s, nil
}

// asksFor is what decides which files a source has.
func asksFor(git sourcev1.GitRepositorySpec, oci sourcev1.OCIRepositorySpec) any {
	return []any{
		git.URL, git.Reference, git.Ignore, git.Include, git.RecurseSubmodules, git.SparseCheckout,
		oci.URL, oci.Reference, oci.Ignore, oci.LayerSelector,
	}
}

// gateOf is the gate of an Application; left out, it is Warn.
func gateOf(app *api.Application) api.Gate {
	if app.Spec.Secrets == nil || app.Spec.Secrets.Gate == "" {
		return api.GateWarn
	}
	return app.Spec.Secrets.Gate
}

// secrets reads the verdicts for exactly this rendered artifact. A report that
// cannot be read or has run out is none: nobody stands behind it.
func (r *Reconciler) secrets(ctx context.Context, app *api.Application, rendered *api.Rendered) status.Secrets {
	s := status.Secrets{Gate: gateOf(app)}
	if s.Gate == api.GateOff || rendered == nil {
		return s
	}
	var list secrets.SecretReportList
	err := r.List(ctx, &list, client.InNamespace(app.Namespace), client.MatchingLabels{contract.ApplicationLabel: app.Name})
	if err != nil {
		s.Reason = "the SecretReport cannot be read: " + err.Error()
		return s
	}
	for _, page := range list.Items {
		if page.Status.Observed == nil || page.Status.Observed.Digest != rendered.Digest || page.Status.Declaration == nil {
			continue
		}
		if until := page.Status.ValidUntil; until != nil && !r.Clock.Now().Before(until.Time) {
			s.Reason = "the SecretReport ran out at " + until.UTC().Format(time.RFC3339) + ": the secrets-controller does not confirm it"
			continue
		}
		s.Verdict, s.Reason = page.Status.Declaration.Verdict, page.Status.Declaration.Reason
		s.Undelivered = append(s.Undelivered, gate.Closing(page.Status.Findings)...)
	}
	return s
}

// declaredElsewhere is every object in the inventory of another Application.
func (r *Reconciler) declaredElsewhere(ctx context.Context, app *api.Application) (map[manifest.ID]bool, error) {
	var list api.InventoryList
	if err := r.Pages.Reader.List(ctx, &list); err != nil {
		return nil, fmt.Errorf("reading the inventories of all applications: %w", err)
	}
	others := map[manifest.ID]bool{}
	for _, page := range list.Items {
		if page.Namespace == app.Namespace && page.Labels[contract.ApplicationLabel] == app.Name {
			continue
		}
		for _, e := range page.Status.Objects {
			if e.Removed != nil {
				continue // there it is about to go too
			}
			others[manifest.ID{Group: e.Object.Group, Kind: e.Object.Kind, Namespace: e.Object.Namespace, Name: e.Object.Name}] = true
		}
	}
	return others, nil
}

// notOffered names what the spec asks for and this build does not do.
func notOffered(app *api.Application) []string {
	var notes []string
	if app.Spec.Sync != nil && app.Spec.Sync.CreateNamespace {
		notes = append(notes, "spec.sync.createNamespace is not offered yet: declare the namespace, or create it")
	}
	slices.Sort(notes)
	return notes
}

func (in inputs) reportStrays() bool {
	s := in.app.Spec.Strays
	return s == nil || s.Report == nil || *s.Report
}

// keeps says whether somebody answers for the stray.
func (in inputs) keeps(id manifest.ID) bool {
	return in.app.Spec.Strays != nil && slices.ContainsFunc(in.app.Spec.Strays.Keep, func(k api.KeptStray) bool {
		return desired.Selects(k.KindSelector, id)
	})
}

// limitsKey changes when the Project's limits do.
func (in inputs) limitsKey() string {
	if in.project == nil {
		return in.namespace
	}
	return fmt.Sprintf("%s %s %d", in.namespace, in.project.UID, in.project.Generation)
}

// ownRules says whether objects may carry ignore rules of their own.
func (in inputs) ownRules() bool { return in.project != nil && in.project.Spec.AllowIgnoreAnnotations }

func (in inputs) writersKey() string {
	if in.project == nil {
		return ""
	}
	text, err := json.Marshal(in.project.Spec.Writers)
	return string(text) + strings.TrimSpace(fmt.Sprint(errors.Join(err)))
}

// expired lists the rules whose end has passed, so that the end is news.
func expired(rules []drift.IgnoreRule, now time.Time) []int {
	var ended []int
	for i, rule := range rules {
		if rule.Expired(now) {
			ended = append(ended, i)
		}
	}
	return ended
}
