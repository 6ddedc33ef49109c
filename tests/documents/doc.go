// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package documents runs the commands that the documents tell people to type.
//
// In: Markdown with console blocks. Out: commands with what they show, and a
// shell that runs them one after the other, as a person would, against a real
// API server and a real Git server. A document is one session; comments in it
// say what its text cannot:
//
//	<!-- not run: reason -->   the next block is for the reader only
//	<!-- file: NAME -->        the next block is written into that file
//	<!-- exit: 1 -->           the last command of the next block ends so
//
// What a block shows below a command has to be in that command's output, word
// by word but for ages, digests and the like; a command that only reads is
// repeated until it shows that, since a cluster takes a moment.
package documents
