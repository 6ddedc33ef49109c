// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package operator holds what the rules make of an ExternalSecret's status
// against the External Secrets Operator itself.
//
// In: the path of an operator's binary and the folder of its CRDs. Out: a line
// for each way in which Ready=True is not what it seems: what the operator
// wrote, what it was expected to write, and the state of the delivery that the
// rules make of it.
//
// It starts a control plane and the binary, and nothing else. It reads no value
// of a Secret, as the secrets-controller does not either.
package operator
