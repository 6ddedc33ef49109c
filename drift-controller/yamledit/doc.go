// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package yamledit changes one value of a YAML file and leaves every other byte
// as its author wrote it: comments, order, blank lines, quotes, line ends,
// anchors and the other documents of the file.
//
// In: the text of a file, the document that is meant, a path and a value. Out:
// the new text. The place is found in the nodes that the YAML reader gives, and
// only the text of that value is replaced; nothing is printed anew.
//
// No edit is believed. Both texts are read again, and the result is given only
// if the new one says exactly what the old one says with that one value
// changed; anything else, such as a value that an anchor shares, is an error.
package yamledit
