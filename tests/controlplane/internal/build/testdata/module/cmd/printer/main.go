// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command printer prints a file.
package main

import "fmt"

func main() { fmt.Println("printed: true") }
