// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command broken does not compile.
package main

func main() { undefined() }
