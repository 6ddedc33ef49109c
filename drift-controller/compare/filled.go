// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// likeness says whether a value may be what the server fills in by itself.
type likeness int

const (
	// setting: the server never fills in this value there.
	setting likeness = iota
	// perhaps: it may; only the server could tell.
	perhaps
	// filling: it does.
	filling
)

// filler knows what the server fills into one object.
type filler struct {
	kind    string
	known   map[string][]any // of a built-in kind; nil: the table does not know it
	builtIn bool
	types   *typed.TypedValue
	root    map[string]any
	wanted  map[string]any // what Git declares: some defaults hang on it
}

func fillerFor(in Input, have *typed.TypedValue) filler {
	kind := in.Observation.ID.GroupKind().String()
	root, _ := have.AsValue().Unstructured().(map[string]any)
	wanted, err := canonical(in.Desired, in.Types.Scheme)
	if err != nil {
		wanted = in.Desired // whoever types it in full says what is wrong
	}
	return filler{
		kind: kind, known: filled[kind], types: have, root: root, wanted: wanted.Object,
		builtIn: in.Types.Scheme != nil && in.Types.Scheme.Recognizes((&unstructured.Unstructured{Object: in.Observation.Live.Object}).GroupVersionKind()),
	}
}

// like judges a single value at a path of the object; at says what lies below a
// path that is one value to the schema.
func (f filler) like(p fieldpath.Path, at []string, v any) likeness {
	switch {
	case !f.builtIn:
		return f.bySchema(p, at, v)
	case f.known == nil:
		return perhaps
	case p[0].FieldName != nil && *p[0].FieldName == "metadata":
		return setting // the server fills in no label and no annotation that somebody owns
	}
	fields := append(names(p), at...)
	values, listed := f.listed(fields)
	switch {
	case slices.ContainsFunc(values, func(known any) bool { return equal(known, v) }):
		return filling
	case listed && values == nil:
		return f.derived(p, at, v)
	case hollow(v):
		return perhaps // it may stand where another Go type has no pointer
	}
	return setting
}

// listed finds what the table says of a field, or of what it lies in where that
// is computed as a whole.
func (f filler) listed(fields []string) (values []any, listed bool) {
	for i := range fields {
		name := strings.Join(fields[:i+1], "/")
		values, listed = f.known[name]
		if prefix, ok := podKinds[f.kind]; !listed && ok && strings.HasPrefix(name, prefix) {
			values, listed = podFilled[podName(strings.TrimPrefix(name, prefix))]
		}
		if listed && values == nil {
			return nil, true
		}
	}
	return values, listed
}

// derived tells the few computed values that follow from what stands beside
// them.
func (f filler) derived(p fieldpath.Path, at []string, v any) likeness {
	last := p[len(p)-1].FieldName
	if len(at) > 0 || last == nil {
		return perhaps
	}
	beside := func(up int) map[string]any { return f.beside(p, up) }
	var follows any
	switch {
	case *last == "policyTypes":
		follows = policyTypes(beside(1))
	case *last == "imagePullPolicy":
		follows = pullPolicy(beside(1)["image"])
	case *last == "serviceAccount":
		follows = beside(1)["serviceAccountName"]
	case *last == "targetPort":
		follows = beside(1)["port"]
	case f.kind == "Service":
		follows = f.serviceDefault(*last)
		if follows == nil && *last != "externalTrafficPolicy" && *last != "timeoutSeconds" {
			return perhaps
		}
	case len(p) > 2 && p[len(p)-2].FieldName != nil && *p[len(p)-2].FieldName == "requests":
		limits, _ := beside(2)["limits"].(map[string]any)
		follows = limits[*last]
	default:
		return perhaps
	}
	if follows != nil && equal(follows, v) {
		return filling
	}
	return setting
}

// beside is what Git says some steps above a path, for that is what the server
// would go by: a hand that sets one of two fields sets both. What lies in a list
// item that Git does not name, as Git names it, is told by live alone.
func (f filler) beside(p fieldpath.Path, up int) map[string]any {
	at, item := max(0, len(p)-up), 0
	for i, e := range p[:at] {
		if e.FieldName == nil {
			item = i + 1
		}
	}
	root := any(f.root)
	if _, named := keyedpath.Get(f.wanted, p[:item]); named {
		root = f.wanted
	}
	found, _ := keyedpath.Get(root, p[:at])
	fields, _ := found.(map[string]any)
	return fields
}

// serviceDefault is what the server fills into a Service because of what Git
// asks for beside it; nil where Git asks for nothing that would bring it.
func (f filler) serviceDefault(field string) any {
	spec, _ := f.wanted["spec"].(map[string]any)
	addresses, _ := spec["externalIPs"].([]any)
	switch field {
	case "externalTrafficPolicy":
		if spec["type"] == "NodePort" || spec["type"] == "LoadBalancer" || len(addresses) > 0 {
			return "Cluster"
		}
	case "timeoutSeconds":
		if spec["sessionAffinity"] == "ClientIP" {
			return int64(10800)
		}
	}
	return nil
}

// policyTypes is what the server fills in beside the rules of a NetworkPolicy.
func policyTypes(spec map[string]any) any {
	types := []any{"Ingress"}
	if egress, _ := spec["egress"].([]any); len(egress) > 0 {
		types = append(types, "Egress")
	}
	return types
}

// pullPolicy is what the server fills in beside an image.
func pullPolicy(image any) any {
	name, _ := image.(string)
	if strings.Contains(name, "@") {
		return "IfNotPresent"
	}
	_, tag, tagged := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	if !tagged || tag == "latest" {
		return "Always"
	}
	return "IfNotPresent"
}

func hollow(v any) bool {
	switch t := v.(type) {
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	}
	return v == nil
}

// names are the fields of a path, with a star for each item.
func names(p fieldpath.Path) []string {
	out := make([]string, 0, len(p))
	for _, e := range p {
		if e.FieldName != nil {
			out = append(out, *e.FieldName)
			continue
		}
		out = append(out, "*")
	}
	return out
}

var oneName = strings.NewReplacer(
	"initContainers/", "containers/", "ephemeralContainers/", "containers/",
	"/livenessProbe/", "/probe/", "/readinessProbe/", "/probe/", "/startupProbe/", "/probe/",
)

// podName is how the table of pods writes a path. Which resource a request is
// of makes no difference.
func podName(path string) string {
	path = oneName.Replace(path)
	if at := strings.Index(path, "/resources/requests/"); at >= 0 {
		return path[:at] + "/resources/requests/*"
	}
	return path
}

// bySchema reads the defaults of a custom resource off its own schema: that of
// the field, or that of what the field lies in.
func (f filler) bySchema(p fieldpath.Path, at []string, v any) likeness {
	ref := f.types.TypeRef()
	found := setting
	steps := append(p.Copy(), keyedpath.FieldPath(at...)...)
	for i, e := range steps {
		field, next := f.field(ref, e)
		if field != nil && field.Default != nil {
			if filledIn, ok := keyedpath.Get(field.Default, steps[i+1:]); ok && equal(filledIn, v) {
				found = filling
			}
		}
		ref = next
	}
	return found
}

// field is the struct field that an element names, if it names one, and the
// type behind the element.
func (f filler) field(ref schema.TypeRef, e fieldpath.PathElement) (*schema.StructField, schema.TypeRef) {
	atom, ok := f.types.Schema().Resolve(ref)
	switch {
	case !ok:
		return nil, schema.TypeRef{}
	case e.FieldName == nil && atom.List != nil, e.FieldName != nil && *e.FieldName == "*" && atom.List != nil:
		return nil, atom.List.ElementType
	case e.FieldName != nil && atom.Map != nil:
		if field, known := atom.FindField(*e.FieldName); known {
			return &field, field.Type
		}
		return nil, atom.Map.ElementType
	}
	return nil, schema.TypeRef{}
}

// made says whether the server makes the struct at a path by itself.
func (f filler) made(p fieldpath.Path) bool {
	if !f.builtIn {
		ref := f.types.TypeRef()
		var last *schema.StructField
		for _, e := range p {
			last, ref = f.field(ref, e)
		}
		return last != nil && last.Default != nil
	}
	name := strings.Join(names(p), "/")
	if prefix, ok := podKinds[f.kind]; ok && strings.HasPrefix(name, prefix) {
		name = podName(strings.TrimPrefix(name, prefix))
	}
	return serverMade[name]
}

// shape is how the schema takes a value.
type shape int

const (
	single shape = iota // a scalar, or what is owned as one
	struc               // a struct, field by field
	items               // a keyed list or a free map, item by item
)

func (f filler) shape(p fieldpath.Path) shape {
	ref := f.types.TypeRef()
	for _, e := range p {
		_, ref = f.field(ref, e)
	}
	atom, ok := f.types.Schema().Resolve(ref)
	switch {
	case !ok:
		return single
	case atom.Map != nil && atom.Map.ElementRelationship != schema.Atomic && len(atom.Fields) > 0:
		return struc
	case atom.Map != nil && atom.Map.ElementRelationship != schema.Atomic, atom.List != nil && atom.List.ElementRelationship == schema.Associative:
		return items
	}
	return single
}

// extras judges what a value holds beyond what is wanted there: the surest
// setting of all counts most.
func (f filler) extras(p fieldpath.Path, at []string, have, wanted any) likeness {
	switch h := have.(type) {
	case map[string]any:
		w, _ := wanted.(map[string]any)
		least := filling
		for name, v := range h {
			below := append(at[:len(at):len(at)], name)
			if said, ok := w[name]; ok {
				least = min(least, f.extras(p, below, v, said))
				continue
			}
			least = min(least, f.likeAll(p, below, v))
		}
		return least
	case []any:
		w, _ := wanted.([]any)
		least := filling
		for i, v := range h {
			if i < len(w) {
				least = min(least, f.extras(p, append(at[:len(at):len(at)], "*"), v, w[i]))
			}
		}
		return least
	}
	return filling
}

// likeAll judges a value with all that is in it.
func (f filler) likeAll(p fieldpath.Path, at []string, v any) likeness {
	fields, ok := v.(map[string]any)
	if !ok || len(fields) == 0 || f.like(p, at, v) != setting {
		return f.like(p, at, v)
	}
	least := filling
	for name, field := range fields {
		least = min(least, f.likeAll(p, append(at[:len(at):len(at)], name), field))
	}
	return least
}
