//go:build pins

// Package tools pins the programs that generate and check the code, and the
// API modules of other projects that CRDs are generated from.
package tools

import (
	_ "github.com/external-secrets/external-secrets/apis/externalsecrets/v1"
	_ "github.com/fluxcd/source-controller/api/v1"
)
