// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
)

const (
	modulesFile = ".gitmodules"
	// maxDepth is how deep submodules may hold submodules, as in Flux.
	maxDepth = 10
	// maxSubmodules bounds a repository that names the same ones over and over.
	maxSubmodules = 512
)

// Submodule is a tree that belongs at a path of the one that names it.
type Submodule struct {
	Path string
	Tree *Tree
	// GitFile is the content of the .git file that a checkout of it has.
	GitFile string
}

// Opener opens the tree of one commit of a submodule's repository.
type Opener func(ctx context.Context, remote Remote, commit string) (*Tree, error)

// Submodules opens what a tree's submodules stand at, all levels deep; a
// submodule stands after the one that holds it. All of it happens before the
// deadline or not at all.
func (m *Mirrors) Submodules(ctx context.Context, remote Remote, tree *Tree, deadline time.Time) ([]Submodule, error) {
	return Collect(ctx, Walk{Remote: remote, Tree: tree, MaxEntries: m.maxEntries,
		Open: func(ctx context.Context, remote Remote, commit string) (*Tree, error) {
			return m.checkoutCommit(ctx, remote, commit, deadline)
		}})
}

// Walk is where a walk over submodules begins, and how it goes on.
type Walk struct {
	Remote     Remote
	Tree       *Tree
	Open       Opener
	MaxEntries int // of all submodules together; zero: no bound
}

// Collect opens submodules by the rules of this package on where they may live
// and who gets credentials, whoever fetches them.
func Collect(ctx context.Context, walk Walk) ([]Submodule, error) {
	c := &collector{opener: walk.Open, maxEntries: walk.MaxEntries, opened: map[string]*Tree{}}
	if err := c.collect(ctx, place{remote: walk.Remote, tree: walk.Tree, git: ".git"}); err != nil {
		CloseAll(c.all)
		return nil, err
	}
	return c.all, nil
}

// CloseAll closes the trees of submodules.
func CloseAll(submodules []Submodule) {
	closed := map[*Tree]bool{}
	for _, s := range submodules {
		if !closed[s.Tree] {
			s.Tree.Close()
			closed[s.Tree] = true
		}
	}
}

// collector walks submodules.
type collector struct {
	opener     Opener
	maxEntries int
	opened     map[string]*Tree // by address and commit
	all        []Submodule
	entries    int
	depth      int
}

// place is a repository on the walk.
type place struct {
	remote Remote
	tree   *Tree
	at     string // its folder; empty for the first
	git    string // where a checkout would keep its objects
}

func (c *collector) collect(ctx context.Context, p place) error {
	links := p.tree.links()
	if len(links) == 0 {
		return nil
	}
	if c.depth == maxDepth {
		return &Error{Fault: TooLarge, Message: fmt.Sprintf("submodules hold submodules more than %d levels deep", maxDepth)}
	}
	c.depth++
	defer func() { c.depth-- }()
	modules, err := p.tree.modules(ctx)
	if err != nil {
		return err
	}
	for _, link := range links {
		// A commit without an address stays the empty folder that it is.
		module, named := modules[link.Path]
		if !named {
			continue
		}
		at := path.Join(p.at, link.Path)
		sub, err := submoduleRemote(p.remote, module.address)
		if err != nil {
			return &Error{Fault: Unsupported, Message: fmt.Sprintf("the submodule at '%s' is refused: %s", at, err)}
		}
		opened, err := c.open(ctx, sub, link.ID, at)
		if err != nil {
			return err
		}
		below := place{remote: sub, tree: opened, at: at, git: path.Join(p.git, "modules", module.name)}
		c.all[len(c.all)-1].GitFile = gitFile(below)
		if err := c.collect(ctx, below); err != nil {
			return err
		}
	}
	return nil
}

// gitFile is what a checkout says in a submodule's folder of where its objects
// are. Nobody here reads it; it is part of the tar that Flux makes.
func gitFile(p place) string {
	up := strings.Repeat("../", strings.Count(p.at, "/")+1)
	return "gitdir: " + path.Join(up, p.git) + "\n"
}

func (c *collector) open(ctx context.Context, remote Remote, commit, at string) (*Tree, error) {
	if len(c.all) == maxSubmodules {
		return nil, &Error{Fault: TooLarge, Message: fmt.Sprintf("there are more than %d submodules", maxSubmodules)}
	}
	key := remote.Address.String() + " " + commit
	tree, found := c.opened[key]
	if !found {
		var err error
		if tree, err = c.opener(ctx, remote, commit); err != nil {
			return nil, &Error{Fault: FaultOf(err), Cause: err, Message: fmt.Sprintf(
				"the submodule at '%s' cannot be fetched from %s: %s", at, credentials.Public(remote.Address), err)}
		}
		c.opened[key] = tree
	}
	c.all = append(c.all, Submodule{Path: at, Tree: tree})
	c.entries += len(tree.Entries())
	if most := c.maxEntries; most > 0 && c.entries > most {
		return nil, &Error{Fault: TooLarge, Message: fmt.Sprintf("the submodules have more than %d files", most)}
	}
	return tree, nil
}

// links are the commits of other repositories that the tree names.
func (t *Tree) links() []archive.Entry {
	var links []archive.Entry
	for _, entry := range t.Entries() {
		if entry.Kind == archive.Folder {
			links = append(links, entry)
		}
	}
	return links
}

// modules reads the addresses of submodules by path, with git's own parser.
func (t *Tree) modules(ctx context.Context) (map[string]module, error) {
	for _, entry := range t.Entries() {
		if entry.Path != modulesFile {
			continue
		}
		if entry.Kind == archive.Symlink || entry.Size > smallOutput {
			return nil, &Error{Fault: Unsupported, Message: modulesFile + " is a link or too large"}
		}
		listed, err := t.content.Settings(ctx, entry.ID)
		if err != nil {
			if why := ended(ctx); why != nil {
				return nil, why
			}
			return nil, &Error{Fault: Unsupported, Cause: err, Message: modulesFile + " cannot be read: " + err.Error()}
		}
		return parseModules(listed), nil
	}
	return nil, nil
}

// module is what .gitmodules says of one path.
type module struct{ name, address string }

// parseModules joins paths and addresses, which stand under the same name.
func parseModules(listed string) map[string]module {
	paths, addresses := map[string]string{}, map[string]string{}
	for _, record := range strings.Split(listed, "\x00") {
		key, value, _ := strings.Cut(record, "\n")
		rest, isModule := strings.CutPrefix(key, "submodule.")
		dot := strings.LastIndexByte(rest, '.')
		if !isModule || dot < 0 {
			continue
		}
		switch name := rest[:dot]; rest[dot+1:] {
		case "path":
			paths[name] = value
		case "url":
			addresses[name] = value
		}
	}
	modules := map[string]module{}
	for name, at := range paths {
		if address := addresses[name]; address != "" {
			modules[strings.TrimSuffix(at, "/")] = module{name, address}
		}
	}
	return modules
}

// submoduleRemote is where a repository's text says that a submodule lives, and
// which of the parent's credentials may go there. Whoever can push decides on
// that text, so another host is told nothing; a key for SSH proves itself
// without being shown, and goes to known hosts only.
func submoduleRemote(parent Remote, raw string) (Remote, error) {
	address, err := submoduleAddress(parent.Address, raw)
	if err != nil {
		return Remote{}, err
	}
	user := address.User
	address = credentials.WithoutUser(address)
	switch {
	case address.Scheme == schemeSSH && parent.Address.Scheme == schemeSSH:
		if name := user.Username(); name != "" && name != parent.Auth.Username() {
			return Remote{}, fmt.Errorf("it names the user %q, and the credentials are for %q", name, parent.Auth.Username())
		}
		return Remote{Address: address, Auth: parent.Auth}, nil
	case address.Scheme == schemeSSH:
		return Remote{}, fmt.Errorf("it is reached over SSH, for which spec.secretRef has no key: use https addresses in %s", modulesFile)
	case parent.Address.Scheme != schemeSSH && sameHost(parent.Address, address):
		return Remote{Address: address, Auth: parent.Auth}, nil
	default:
		return Remote{Address: address, Auth: parent.Auth.TrustOnly()}, nil
	}
}

// submoduleAddress reads an address as git does. Only what is dialled is let
// through: no file, no helper, nothing that a command line could take for an
// option.
func submoduleAddress(parent *url.URL, raw string) (*url.URL, error) {
	if strings.HasPrefix(raw, "./") || strings.HasPrefix(raw, "../") {
		joined := path.Join(strings.TrimSuffix(parent.Path, "/"), raw)
		if climbs(parent.Path, raw) || joined == "/" {
			return nil, fmt.Errorf("its relative address %.200q leads above the host", raw)
		}
		address := *parent
		address.Path, address.RawPath = joined, ""
		return &address, nil
	}
	if user, rest, found := shortForm(raw); found {
		return &url.URL{Scheme: schemeSSH, User: user, Host: rest[0], Path: "/" + strings.TrimPrefix(rest[1], "/")}, nil
	}
	address, err := url.Parse(raw)
	if err != nil || address.Host == "" || strings.HasPrefix(address.Host, "-") {
		return nil, fmt.Errorf("its address is no http, https or ssh address")
	}
	switch address.Scheme {
	case "http", "https", schemeSSH:
		return address, nil
	default:
		return nil, fmt.Errorf("its address has the scheme %.40q; http, https and ssh are fetched from", address.Scheme)
	}
}

// climbs tells whether a relative address has more steps up than its base has
// folders.
func climbs(base, relative string) bool {
	level := strings.Count(strings.Trim(base, "/"), "/") + 1
	for _, step := range strings.Split(relative, "/") {
		switch step {
		case "..":
			level--
		case ".", "":
		default:
			level++
		}
		if level < 0 {
			return true
		}
	}
	return false
}

// shortForm reads user@host:path.
func shortForm(raw string) (*url.Userinfo, [2]string, bool) {
	host, rest, found := strings.Cut(raw, ":")
	if !found || rest == "" || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, ":") || strings.ContainsAny(host, "/ \t\r\n") {
		return nil, [2]string{}, false
	}
	name, host, found := strings.Cut(host, "@")
	if !found || host == "" || name == "" || strings.HasPrefix(host, "-") || strings.HasPrefix(name, "-") {
		return nil, [2]string{}, false
	}
	return url.User(name), [2]string{host, rest}, true
}

// checkoutCommit opens one commit that somebody names by its hash.
func (m *Mirrors) checkoutCommit(ctx context.Context, remote Remote, commit string, deadline time.Time) (*Tree, error) {
	remoteCtx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	held, release, err := m.hold(remoteCtx, remote, formatOf(commit))
	if err != nil {
		return nil, err
	}
	defer release()
	var tree *Tree
	err = held.repaired(remoteCtx, func() error {
		if err := m.bringCommit(remoteCtx, held, remote, commit); err != nil {
			return err
		}
		tree, err = held.tree(ctx, found{commit: commit}, m.maxEntries)
		return err
	})
	return tree, err
}

// bringCommit asks for the commit alone, and where the server gives out only
// what a reference leads to, for all branches.
func (m *Mirrors) bringCommit(ctx context.Context, held *mirror, remote Remote, commit string) error {
	if held.leadsTo(ctx, commit) {
		return nil
	}
	digest := sha256.Sum256([]byte(commit))
	local := onePrefix + hex.EncodeToString(digest[:16])
	alone := m.transfer(ctx, held, remote, fetch{refspec: "+" + commit + ":" + local, local: local, args: []string{"--depth=1"}})
	switch FaultOf(alone) {
	case "":
		return nil
	case Unauthorized, TimedOut, TooLarge, Broken, Redirected:
		return alone
	}
	all := fetch{refspec: "+refs/heads/*:" + allPrefix + "*", args: []string{"--depth=" + whole, "--prune"}}
	if err := m.transfer(ctx, held, remote, all); err != nil {
		return err
	}
	if _, err := held.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{commit}"); err != nil {
		return &Error{Fault: NotFound, Cause: err, Message: fmt.Sprintf("the commit %s is in no branch of it", commit)}
	}
	_, err := held.run(ctx, "update-ref", local, commit)
	return err
}
