// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// The kinds of a book.
const (
	reports     = "DriftReport"
	inventories = "Inventory"
)

// forgotten is in place of a digest: the page is there, or was, and nobody knows
// what it says.
const forgotten = "?"

// A book is all pages of one kind of one application.
type book struct {
	app  types.NamespacedName
	kind string
}

// blank is a page of the book before it is written.
func (b book) blank(app *api.Application, number int) client.Object {
	return b.page(meta(app, number))
}

// named is enough of a page to delete it.
func (b book) named(name string) client.Object {
	return b.page(metav1.ObjectMeta{Namespace: b.app.Namespace, Name: name})
}

func (b book) page(m metav1.ObjectMeta) client.Object {
	if b.kind == inventories {
		return &api.Inventory{ObjectMeta: m}
	}
	return &api.DriftReport{ObjectMeta: m}
}

// A shelf remembers for each book which pages there are, and what was written
// on them. Pages are written side by side, so it is safe for that.
type shelf struct {
	mu    sync.Mutex
	books map[book]map[string]string // page -> digest of its status
}

// digest is empty for a page that is not known to exist.
func (s *shelf) digest(b book, page string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.books[b][page]
}

func (s *shelf) put(b book, page, digest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.books == nil {
		s.books = map[book]map[string]string{}
	}
	if s.books[b] == nil {
		s.books[b] = map[string]string{}
	}
	s.books[b][page] = digest
}

func (s *shelf) remove(b book, page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.books[b], page)
}

func (s *shelf) forget(b book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for page := range s.books[b] {
		s.books[b][page] = forgotten
	}
}

func (s *shelf) drop(b book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.books, b)
}

// beyond names the pages that a book of count pages does not have.
func (s *shelf) beyond(b book, count int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := maps.Clone(s.books[b])
	for i := range count {
		delete(rest, pageName(b.app.Name, i))
	}
	return slices.Sorted(maps.Keys(rest))
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
