// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command good builds.
package main

import "fmt"

func main() { fmt.Println("good") }
