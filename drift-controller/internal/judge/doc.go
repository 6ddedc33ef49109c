// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package judge keeps the verdicts of an application's objects up to date at
// the cost of what changed.
//
// In: the desired set, the stamps of the metadata watches, the inventory. Out:
// a judged object for each declared one, and the objects that are ours and no
// longer declared. An object whose stamp, declaration, schema and admission
// configuration are those of its last judgement costs no request; one whose
// content is the same costs one read; only a real change costs a dry run.
//
// It reads as the application's observer and never writes. An API server that
// is not there ends the run with an error, so that nothing turns Missing.
package judge
