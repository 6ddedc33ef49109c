// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitverify

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fluxcd/pkg/git/signature"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitobject"
)

// Reasons of a refusal, as Flux's conditions have them.
const (
	InvalidMode   = "InvalidVerificationMode"
	InvalidObject = "InvalidGitObject"
	InvalidTag    = "InvalidTagSignature"
	InvalidCommit = "InvalidCommitSignature"
)

// sshSuffix marks a key of the Secret that holds SSH public keys. Every other
// key is read as an OpenPGP key ring, since Flux once looked at no suffix.
const sshSuffix = ".sshpub"

// Refusal is what does not hold.
type Refusal struct {
	Reason string
	// Final tells that only another spec helps, not another push.
	Final bool
	cause error
}

// Error says what was not verified and why.
func (r *Refusal) Error() string { return r.cause.Error() }

// Unwrap gives the cause.
func (r *Refusal) Unwrap() error { return r.cause }

// Subject is what was fetched.
type Subject struct {
	Commit gitobject.Commit
	// TagName is the tag that led to the commit, in its short form; empty where
	// something else did.
	TagName string
	// Tag is its object; nil for a lightweight tag, which is only a name.
	Tag *gitobject.Tag
}

// Verify checks what the mode asks for against the keys of a Secret.
func Verify(mode sourcev1.GitVerificationMode, subject Subject, secret map[string][]byte) (string, error) {
	trusted := keysOf(secret)
	var verified []string
	if mode == sourcev1.ModeGitTag || mode == sourcev1.ModeGitTagAndHEAD {
		line, refusal := trusted.tag(subject)
		if refusal != nil {
			return "", refusal
		}
		verified = append(verified, line)
	}
	if mode != sourcev1.ModeGitTag {
		key, err := trusted.verify(subject.Commit.Signed)
		if err != nil {
			return "", refuse(InvalidCommit, "signature verification of commit '%s' failed: %w", subject.Commit.Hash, err)
		}
		verified = append(verified, fmt.Sprintf("commit '%s' with key '%s'", subject.Commit.Hash, key))
	}
	return "verified signature of\n\t- " + strings.Join(verified, "\n\t- "), nil
}

func refuse(reason, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, cause: fmt.Errorf(format, args...)}
}

// keys are what is trusted.
type keys struct {
	rings []string // armored OpenPGP
	ssh   []string // in the form of authorized_keys
}

// keysOf sorts, so that the same Secret always names the same key.
func keysOf(secret map[string][]byte) keys {
	var k keys
	for _, name := range slices.Sorted(maps.Keys(secret)) {
		if strings.HasSuffix(name, sshSuffix) {
			k.ssh = append(k.ssh, string(secret[name]))
			continue
		}
		k.rings = append(k.rings, string(secret[name]))
	}
	return k
}

// tag verifies the annotated tag that led to the commit.
func (k keys) tag(subject Subject) (string, *Refusal) {
	tag := subject.Tag
	switch {
	case subject.TagName == "":
		refusal := refuse(InvalidMode, "cannot verify tag object's signature if a tag reference is not specified; set spec.ref.tag or spec.ref.semver, or spec.verify.mode to HEAD")
		refusal.Final = true
		return "", refusal
	case tag == nil:
		return "", refuse(InvalidObject, "cannot verify signature of tag '%s' since it is not signed: it is a lightweight tag", subject.TagName)
	case tag.Signature == "":
		return "", refuse(InvalidObject, "cannot verify signature of tag '%s@%s' since it is not signed", subject.TagName, tag.Hash)
	case tag.Name != subject.TagName:
		// The name is part of what was signed: with it ignored, whoever can push
		// tags offers an old signed release as the newest.
		return "", refuse(InvalidTag, "signature verification of tag '%s@%s' failed: what was signed is the tag %q", subject.TagName, tag.Hash, tag.Name)
	}
	key, err := k.verify(tag.Signed)
	if err != nil {
		return "", refuse(InvalidTag, "signature verification of tag '%s@%s' failed: %w", subject.TagName, tag.Hash, err)
	}
	return fmt.Sprintf("tag '%s@%s' with key '%s'", tag.Name, tag.Hash, key), nil
}

// Kinds of failure below a refusal.
var (
	errUnsigned = errors.New("it is not signed")
	errNoKeys   = errors.New("the Secret of spec.verify has no key of this kind")
)

// verify names the trusted key that made a signature.
func (k keys) verify(signed gitobject.Signed) (string, error) {
	switch {
	case signed.Signature == "":
		return "", errUnsigned
	case signature.IsSSHSignature(signed.Signature):
		if len(k.ssh) == 0 {
			return "", fmt.Errorf("%w: it is signed with an SSH key, and only keys that end with %s are read as such", errNoKeys, sshSuffix)
		}
		return signature.VerifySSHSignature(signed.Signature, signed.Payload, k.ssh...)
	case signature.IsPGPSignature(signed.Signature):
		if len(k.rings) == 0 {
			return "", fmt.Errorf("%w: it is signed with an OpenPGP key", errNoKeys)
		}
		return signature.VerifyPGPSignature(signed.Signature, signed.Payload, k.rings...)
	default:
		return "", fmt.Errorf("its signature is of the kind %q; OpenPGP and SSH are known", signature.GetSignatureType(signed.Signature))
	}
}
