// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/health"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// Input is one declared object with all that is known of it.
type Input struct {
	Desired     manifest.Object
	Observation live.Observation
	Types       compare.Types
	Writers     writers.Catalogue
	Mask        mask.Scope
	// Baseline is what the inventory remembers of what was last applied or
	// last agreed.
	Baseline Baseline
	// Health tells how kinds are that do not follow kstatus.
	Health health.Checks
	// Known: the object is in the inventory, so it was there once.
	Known  bool
	Ignore []IgnoreRule
	// OwnRules: objects may carry ignore rules of their own.
	OwnRules bool
	Now      time.Time
	// Unstable paths differ between two renders of the same revision.
	Unstable []string
}

// Baseline remembers, per declared pointer, the keyed digest of what was last
// applied or last agreed. The nil Baseline remembers nothing.
type Baseline map[string]string

// Get gives the digest at a pointer, or "".
func (b Baseline) Get(pointer string) string { return b[PointerKey(pointer)] }

// PointerKey is the short form that pointers are remembered by: the pointers
// themselves would be most of an inventory page.
func PointerKey(pointer string) string {
	sum := sha256.Sum256([]byte(pointer))
	return hex.EncodeToString(sum[:5])
}

// Object is the judgement of one declared object.
type Object struct {
	ID              manifest.ID
	Version         string
	Source          manifest.Source
	Verdict         api.Verdict
	Precision       api.Precision
	UID             string
	ResourceVersion string
	// Reason and Message explain Unknown and Missing.
	Reason     string
	Message    string
	Known      bool
	Findings   []string
	Judgements []Judgement
	// Undecided: there are paths that could not be compared, beside those that
	// could.
	Undecided bool
	// Tracked are marks of other deployers on the live object.
	Tracked []string
	// Seen is when the live object was read that was judged, and State what
	// tells whether it is still the same but for its status.
	Seen  time.Time
	State string
	// Refused are ignore rules that are not obeyed for the object.
	Refused []RuleRefusal
	Own     Own
	Health  Health
	// Agreed is the next baseline: of each declared path the digest at which
	// live and Git agree, or agreed last.
	Agreed Baseline
}

// Health is what kstatus says of the live object.
type Health struct {
	Status  string // Current, InProgress, Failed, Terminating, NotFound, Unknown
	Message string
}

// Judge gives one object its verdict. It always gives one: what cannot be
// judged is Unknown, with the reason.
func Judge(in Input) Object {
	o := Object{
		ID: in.Observation.ID, Version: in.Desired.GroupVersionKind().Version, Source: in.Desired.Source,
		Precision: in.Observation.Precision, Known: in.Known, Findings: in.Observation.Findings,
		Health: Health{Status: string(status.UnknownStatus)}, Seen: in.Now,
	}
	switch {
	case in.Observation.Failure != nil:
		return unknown(o, in.Observation.Failure.Reason, in.Observation.Failure.Message)
	case in.Observation.Live == nil:
		return absent(o, in)
	}
	o.UID = string(in.Observation.Live.GetUID())
	o.ResourceVersion = in.Observation.Live.GetResourceVersion()
	o.Health, o.Tracked = healthOf(in.Health, in.Observation.Live), in.Observation.Evidence.Tracked
	o.State = live.StateOf(in.Observation.Live)
	found, err := compare.Fields(compare.Input{
		Desired: in.Desired.Unstructured, Observation: in.Observation,
		Types: in.Types, Writers: in.Writers, Mask: in.Mask,
	})
	if err != nil {
		text, _ := in.Mask.Value(nil, err.Error())
		return unknown(o, "NotComparable", text.(string))
	}
	return judged(o, in, found)
}

func judged(o Object, in Input, found compare.Result) Object {
	force, refused := rulesFor(in, found.Declared)
	o.Refused, o.Own = refused, ownOf(in, force, refused)
	for _, d := range found.Differences {
		o.Judgements = append(o.Judgements, hide(force, Classify(in, d, found.Managers)))
	}
	o.Agreed, o.Undecided = agreed(in, found), len(found.Uncertain) > 0
	o.Verdict = api.VerdictInSync
	var undecided []string
	for _, j := range o.Judgements {
		if j.Drift {
			o.Verdict = api.VerdictDrifted
		}
		if j.Class == api.ClassUnknown && !j.Hidden() {
			undecided = append(undecided, j.Pointer+": "+j.Explanation)
		}
	}
	var doubts []string
	for _, doubt := range found.Uncertain {
		if !hidesDoubt(force, doubt) {
			doubts = append(doubts, doubt.String())
		}
	}
	if o.Verdict == api.VerdictDrifted {
		// Drifted it is, whatever cannot be told beside it; and that is said.
		o.Findings = append(slices.Clone(o.Findings), doubts...)
		return o
	}
	undecided = append(undecided, doubts...)
	if undecided = append(undecided, unseen(in, found)...); len(undecided) > 0 {
		return unknown(o, "Undecidable", undecided[0])
	}
	return o
}

// unseen: where admission may change what Git declares, and a person has set
// it, live can read like Git and yet not be what the server would store. Only
// a dry run shows that.
func unseen(in Input, found compare.Result) []string {
	if in.Observation.Precision != api.PrecisionDeclaredFields || len(in.Observation.Evidence.Mutators) == 0 {
		return nil
	}
	var doubts []string
	for _, m := range found.Managers {
		if in.Writers.RoleOf(m.Name) != writers.Human {
			continue
		}
		m.Fields.Leaves().Iterate(func(p fieldpath.Path) {
			if pointer := keyedpath.Pointer(p); found.Declared[pointer] != "" {
				doubts = append(doubts, pointer+" was set by "+m.Name+", and "+in.Observation.Evidence.Mutators[0]+
					" may change it on a write, which only a dry run shows")
			}
		})
	}
	return doubts
}

// neverAgreed marks a declared path that parted at the first sight of its
// object, so that a later run does not take it for news from Git.
const neverAgreed = "-"

// agreed keeps the old baseline of a path at which live and Git part now. A
// path that Git declares anew and that never agreed has none.
func agreed(in Input, found compare.Result) Baseline {
	before := in.Baseline
	next := make(Baseline, len(found.Declared))
	for pointer, digest := range found.Declared {
		key := PointerKey(pointer)
		if !parted(found.Differences, pointer) {
			next[key] = digest
			continue
		}
		if old, ok := before[key]; ok {
			next[key] = old
		} else if before == nil || declaredWhole(in, pointer) {
			next[key] = neverAgreed
		}
	}
	for _, d := range found.Differences {
		// Git has dropped it and live has it still: ours to remember until it
		// is gone. So is what Git declares now as a zero, which the restored
		// form does not hold.
		key := PointerKey(d.Pointer)
		if _, known := next[key]; known {
			continue
		}
		if old, ok := before[key]; ok {
			next[key] = old
		} else if before == nil && d.Declared {
			next[key] = neverAgreed
		}
	}
	if len(next) == 0 {
		// An empty map is left out where it is stored, and a path that Git
		// declares later must be told from one that was removed.
		next[PointerKey("")] = neverAgreed
	}
	return next
}

func parted(differences []compare.Difference, pointer string) bool {
	return slices.ContainsFunc(differences, func(d compare.Difference) bool {
		return keyedpath.Within(pointer, d.Pointer) || keyedpath.Within(d.Pointer, pointer)
	})
}

func unknown(o Object, reason, message string) Object {
	o.Verdict, o.Reason, o.Message = api.VerdictUnknown, reason, message
	return o
}

// absent: declared and not there. A Job whose time to live ran out after it
// was seen is not missing; it has done its work.
func absent(o Object, in Input) Object {
	o.Health = Health{Status: string(status.NotFoundStatus)}
	ttl, hasTTL, _ := unstructured.NestedFieldNoCopy(in.Desired.Object, "spec", "ttlSecondsAfterFinished")
	if o.ID.Kind == "Job" && o.ID.Group == "batch" && hasTTL && ttl != nil && in.Known {
		o.Verdict, o.Reason, o.Message = api.VerdictInSync, "Finished", "the Job was seen, and its time to live has removed it"
		o.Health = Health{Status: string(status.CurrentStatus)}
		return o
	}
	o.Verdict, o.Reason, o.Message = api.VerdictMissing, "NotLive", "declared, not in the cluster"
	if in.Observation.Waiting != "" {
		o.Reason, o.Message = "Waiting", in.Observation.Waiting
	}
	return o
}

func healthOf(checks health.Checks, obj *unstructured.Unstructured) Health {
	return Health(checks.Of(obj))
}

// Classify gives one difference its class, before any ignore rule.
func Classify(in Input, d compare.Difference, managers []live.Manager) Judgement {
	f := gather(in, d, managers)
	table := undeclared
	if d.Declared {
		table = declared
	}
	r := first(table, f)
	j := Judgement{
		Difference: d, Class: r.class, Drift: r.drift, Heal: r.heal && stable(in, d),
		Explanation: r.says(f), Owners: f.owners, Rule: NoRule, Moved: f.moved(),
	}
	if !stable(in, d) {
		j = unstable(j)
	}
	return j
}

// unstable: the render gives another value each time, so live can never equal
// it; that is the chart's doing and nobody's edit.
func unstable(j Judgement) Judgement {
	j.Class, j.Drift, j.Heal = api.ClassUnknown, false, false
	j.Explanation = "two renders of the same revision differ here, so live cannot equal Git; make the chart deterministic"
	return j
}

func stable(in Input, d compare.Difference) bool {
	for _, p := range in.Unstable {
		if keyedpath.Within(d.Pointer, p) || keyedpath.Within(p, d.Pointer) {
			return false
		}
	}
	return true
}

func gather(in Input, d compare.Difference, managers []live.Manager) facts {
	f := facts{
		kind: in.Observation.ID.GroupKind().String(), difference: d,
		evidence: in.Observation.Evidence, precision: in.Observation.Precision,
		baselined: in.Baseline != nil,
	}
	f.baseline = in.Baseline.Get(d.Pointer)
	f.dropped = d.Kind == api.Added && d.Live.Holds(func(below string, digest string) bool {
		return in.Baseline.Get(d.Pointer+below) == digest
	})
	if f.baseline == "" && (declaredBefore(in.Baseline, d) || declaredWhole(in, d.Pointer)) {
		f.baselined = false // it was declared before: that it is there, or not, is no news from Git
	}
	_, f.aggregated, _ = unstructured.NestedMap(in.Desired.Object, "aggregationRule")
	for _, m := range ownersOf(in, d, managers) {
		role := roleOf(in, m, d)
		if role == writers.Unrecorded || foreignVersion(in, m, d) {
			continue
		}
		f.owners = append(f.owners, Owner{Manager: m, Role: role})
	}
	f.earlier, f.unset = earlier(in.Observation.Evidence.Earlier, d)
	return f
}

// roleOf is the role of a manager where it has written.
func roleOf(in Input, m live.Manager, d compare.Difference) writers.Role {
	if m.Operation == "Apply" {
		return in.Writers.RoleOf(m.Name)
	}
	return in.Writers.RoleOn(in.Observation.ID.Group, m.Name, keyedpath.Within(d.Pointer, "/spec"))
}

// ownersOf also finds the key of a Secret under stringData, where the server
// books what was applied that way.
func ownersOf(in Input, d compare.Difference, managers []live.Manager) []live.Manager {
	owners := live.OwnersOf(managers, d.Path)
	if in.Observation.ID.Kind == "Secret" && len(d.Path) == 2 && d.Path[0].FieldName != nil && *d.Path[0].FieldName == "data" {
		text := append(keyedpath.FieldPath("stringData"), d.Path[1])
		owners = append(owners, live.OwnersOf(managers, text)...)
	}
	return owners
}

// foreignVersion: paths of a manager belong to its entry's API version; below
// metadata they are the same in every version, and elsewhere if the object,
// read in that version, has the same there.
func foreignVersion(in Input, m live.Manager, d compare.Difference) bool {
	if m.APIVersion == in.Observation.Live.GetAPIVersion() {
		return false
	}
	if d.Path[0].FieldName != nil && *d.Path[0].FieldName == "metadata" {
		return false
	}
	form := in.Observation.Forms[m.APIVersion]
	if form == nil {
		return true
	}
	there, ok := keyedpath.Get(form.Object, d.Path)
	return !ok || !d.Live.Equals(there, true)
}

func earlier(renders []*unstructured.Unstructured, d compare.Difference) (same, unset bool) {
	unset = len(renders) > 0
	for _, render := range renders {
		raw, ok := keyedpath.Get(render.Object, d.Path)
		unset = unset && !ok
		same = same || (ok && d.Live.Equals(raw, true))
	}
	return same, unset
}

// WithHealth gives the object the health of what is live now.
func WithHealth(o Object, checks health.Checks, obj *unstructured.Unstructured) Object {
	if obj == nil {
		return o
	}
	o.Health, o.ResourceVersion, o.State = healthOf(checks, obj), obj.GetResourceVersion(), live.StateOf(obj)
	return o
}

// DeployerInQuestion says whether knowing what a deployer applied before could
// change a class: it owns a difference, or a declared item is absent.
func (o Object) DeployerInQuestion() bool {
	return slices.ContainsFunc(o.Judgements, func(j Judgement) bool {
		if !j.Drift || !j.Declared {
			return false
		}
		return j.Class == api.ClassContested || (j.Class == api.ClassManual && len(j.Owners) == 0)
	})
}
