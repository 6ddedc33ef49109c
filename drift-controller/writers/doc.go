// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package writers is the catalogue of field managers: who is a person's tool,
// who deploys for another tool, who is a controller.
//
// In: a manager's name as managedFields has it, and a Project's additions.
// Out: its role. A name that is in no list is a controller, because a program
// that nobody knows is more often an operator than a person, and a difference
// it makes on a declared field still counts, as Contested. The package knows
// nothing of objects or paths.
package writers
