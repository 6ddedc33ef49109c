// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// errDead is what a controller hears that was killed: nothing.
var errDead = errors.New("connection lost")

// write is a persisting request for a managed object that came through.
type write struct {
	verb, name, user string
	before           *unstructured.Unstructured // as it was; nil if this made it
}

// double is a fast API server: UIDs, resourceVersions, preconditions, and what
// the controllers know of each other. It holds ConfigMaps of one namespace, and
// the own kinds of one application. TestKilled in tests/faults has the real one.
type double struct {
	client.Client // what is not overwritten is not used

	objects   map[string]*unstructured.Unstructured
	applied   map[string]map[string]bool // keys of data that we own
	last      int                        // resourceVersion and UID
	date      func() string              // of the Date header
	wrote     func(write)
	published func(api.InventoryStatus)

	app       *api.Application
	project   *api.Project
	glasses   []api.BreakGlass
	approvals []api.Approval
	pages     map[string]client.Object
	asked     string // the last question to the source

	// effects that are left until the controller is killed, and whether the
	// last of them still comes through.
	left    int
	lastOne bool
	dead    bool

	ignores ignores
	// granted is called before what may stop a write is read, touched before
	// an object is.
	granted, touched func()
}

// ignores are guards that are taken away, at the place where they meet the
// server.
type ignores struct{ uid, version, intent, date bool }

func newDouble() *double {
	return &double{
		objects: map[string]*unstructured.Unstructured{}, applied: map[string]map[string]bool{}, pages: map[string]client.Object{},
		wrote: func(write) {}, published: func(api.InventoryStatus) {}, granted: func() {}, touched: func() {}, left: 1 << 30,
	}
}

// effect counts one persisting request, and says whether it has an effect and
// whether its sender lives to hear of it.
func (d *double) effect() (done, heard bool) {
	if d.dead {
		return false, false
	}
	d.left--
	if d.left > 0 {
		return true, true
	}
	d.dead = true
	return d.lastOne, false
}

// put is what a person does, or the server for us.
func (d *double) put(name string, data map[string]any) *unstructured.Unstructured {
	d.last++
	o := d.objects[name]
	if o == nil {
		o = &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetNamespace("shop")
		o.SetName(name)
		o.SetUID(types.UID(fmt.Sprint("uid-", d.last)))
	}
	o = o.DeepCopy()
	o.Object["data"] = data
	o.SetResourceVersion(fmt.Sprint(d.last))
	d.objects[name] = o
	return o
}

func (d *double) remove(name string) {
	delete(d.objects, name)
	delete(d.applied, name)
}

// RoundTrip serves /api/v1/namespaces/shop/configmaps/NAME.
func (d *double) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.dead {
		return nil, errDead
	}
	if !strings.Contains(r.URL.Path, "/configmaps/") {
		return d.answer(nil, http.StatusNotFound), nil
	}
	name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	if r.Method == http.MethodGet {
		answer := d.answer(d.objects[name], http.StatusOK) // and what is written later meets what came since
		d.touched()
		return answer, nil
	}
	if r.Method == http.MethodDelete {
		d.touched()
	}
	before := d.objects[name]
	if code := d.refuses(r, before, body); code != 0 {
		return d.answer(nil, code), nil
	}
	done, heard := d.effect()
	code := http.StatusOK
	if done {
		if before == nil {
			code = http.StatusCreated
		}
		verb := d.carryOut(r, name, body)
		d.wrote(write{verb: verb, name: name, user: r.Header.Get("Impersonate-User"), before: before})
	}
	if !heard {
		return nil, errDead
	}
	return d.answer(d.objects[name], code), nil
}

// refuses holds a request against its preconditions.
func (d *double) refuses(r *http.Request, before *unstructured.Unstructured, body []byte) int {
	uid, version := preconditions(r, body)
	switch {
	case before == nil && (r.Method == http.MethodDelete || r.Header.Get("Content-Type") == string(types.JSONPatchType)):
		return http.StatusNotFound
	case before == nil && uid != "" && !d.ignores.uid:
		return http.StatusConflict
	case before == nil:
		return 0
	case uid != "" && uid != string(before.GetUID()) && !d.ignores.uid:
		return http.StatusConflict
	case version != "" && version != before.GetResourceVersion() && !d.ignores.version:
		return http.StatusConflict
	case uid == "" && version == "" && r.Method == http.MethodPatch && r.URL.Query().Get("force") == "" && len(d.applied[before.GetName()]) == 0:
		return http.StatusConflict // its fields are somebody else's
	}
	return 0
}

func preconditions(r *http.Request, body []byte) (uid, version string) {
	var sent struct {
		Preconditions metav1.Preconditions `json:"preconditions"`
		Metadata      struct {
			UID             string `json:"uid"`
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	var ops []struct {
		Op, Path string
		Value    any
	}
	if r.Header.Get("Content-Type") == string(types.JSONPatchType) {
		_ = json.Unmarshal(body, &ops) // what cannot be read has no tests
		for _, op := range ops {
			switch op.Path {
			case "/metadata/uid":
				uid = fmt.Sprint(op.Value)
			case "/metadata/resourceVersion":
				version = fmt.Sprint(op.Value)
			}
		}
		return uid, version
	}
	_ = json.Unmarshal(body, &sent)
	uid, version = sent.Metadata.UID, sent.Metadata.ResourceVersion
	if p := sent.Preconditions; p.UID != nil && p.ResourceVersion != nil {
		uid, version = string(*p.UID), *p.ResourceVersion
	}
	return uid, version
}

func (d *double) carryOut(r *http.Request, name string, body []byte) (verb string) {
	if r.Method == http.MethodDelete {
		d.remove(name)
		return "delete"
	}
	data := map[string]any{}
	if o := d.objects[name]; o != nil {
		data, _, _ = unstructured.NestedMap(o.Object, "data")
	}
	if r.Header.Get("Content-Type") == string(types.JSONPatchType) {
		for key := range data {
			if bytes.Contains(body, []byte(`"/data/`+key+`"`)) { // all that it ever does is to remove one
				delete(data, key)
			}
		}
		d.put(name, data)
		return "heal"
	}
	sent := &unstructured.Unstructured{}
	_ = json.Unmarshal(body, &sent.Object)
	wanted, _, _ := unstructured.NestedMap(sent.Object, "data")
	for key := range d.applied[name] {
		delete(data, key)
	}
	d.applied[name] = map[string]bool{}
	for key, value := range wanted {
		data[key], d.applied[name][key] = value, true
	}
	d.put(name, data)
	return "apply"
}

func (d *double) answer(o *unstructured.Unstructured, code int) *http.Response {
	var text []byte
	switch {
	case o == nil && code == http.StatusOK:
		code = http.StatusNotFound
		fallthrough
	case code >= http.StatusBadRequest:
		reasons := map[int]metav1.StatusReason{http.StatusNotFound: metav1.StatusReasonNotFound, http.StatusConflict: metav1.StatusReasonConflict}
		text, _ = json.Marshal(metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Code: int32(code), Reason: reasons[code], //nolint:gosec // an HTTP status
		})
	case o == nil:
		text = []byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	default:
		text, _ = json.Marshal(o.Object)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if d.date != nil && !d.ignores.date {
		header.Set("Date", d.date())
	}
	return &http.Response{StatusCode: code, Header: header, Body: io.NopCloser(bytes.NewReader(text))}
}
