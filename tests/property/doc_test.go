// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package property_test tries what must hold for every object, on random ones:
// a seed makes an object of a random kind, lets random tools write it to a real
// API server in random ways, moves Git perhaps, and looks at it as the product
// does. Nothing here knows the right class of anything; it knows that
//
//   - an object is Drifted exactly if it has differences that count, each with a
//     class and an explanation;
//   - the differences part the whole: laid over live they give the restored
//     form, none lies in another, and none is empty;
//   - a second look without a change says the same, also with the baseline that
//     the first one left;
//   - Unknown has a cause, and at the best precision only one that the server
//     named;
//   - without a dry run nothing turns newly red, and nothing that Git declares
//     or a person wrote turns green;
//   - a hand edit of what was in sync is caught;
//   - no value of a Secret is in what leaves.
//
// testdata/kinds has a file for each kind: an object, and levers, which are
// paths with values that they may have. -seeds says how many, -first where to
// begin; a failure names its seed.
package property_test
