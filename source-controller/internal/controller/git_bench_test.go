// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/artifact/storage"
	"github.com/fluxcd/pkg/git"
	"github.com/fluxcd/pkg/git/gogit"
	gitclone "github.com/fluxcd/pkg/git/repository"
	"github.com/fluxcd/pkg/sourceignore"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitaccess"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
)

// The benchmarks run each side in a process of its own, so that peak memory is
// that of one side, with the processes that it starts.
const (
	envSide = "HOLDFAST_BENCH_SIDE" // ours or flux
	envURL  = "HOLDFAST_BENCH_URL"
	envDir  = "HOLDFAST_BENCH_DIR"
)

// serveSide makes one artifact for each line that it reads, and answers with the
// processor time that it took, children included.
func serveSide(side string) error {
	url, dir := os.Getenv(envURL), os.Getenv(envDir)
	pass := func() error { return fluxPass(url, dir) }
	if side == "ours" {
		mirrors, err := gitremote.Open(context.Background(), gitremote.Config{Root: filepath.Join(dir, "git"), Environ: os.Environ()})
		if err != nil {
			return err
		}
		kind := &gitKind{access: &gitaccess.Access{Reader: secretReader{}}, remotes: mirrors, donors: storedIn(dir), now: time.Now}
		ours := &ourSide{kind: kind, obj: source(url, func(o *sourcev1.GitRepository) { o.Spec.Reference = &sourcev1.GitRepositoryRef{Branch: "main"} }), dir: dir}
		pass = ours.pass
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		before := processorTime()
		if err := pass(); err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, processorTime()-before)
	}
	return nil
}

// storedIn opens the artifact of the pass before.
func storedIn(dir string) func(*meta.Artifact) (*archive.Donor, func()) {
	return func(artifact *meta.Artifact) (*archive.Donor, func()) {
		file, err := os.Open(filepath.Join(dir, "artifact.tar.gz"))
		if artifact == nil || err != nil {
			return nil, func() {}
		}
		info, err := file.Stat()
		if err != nil {
			return nil, func() { _ = file.Close() }
		}
		return archive.NewDonor(file, info.Size()), func() { _ = file.Close() }
	}
}

func processorTime() int64 {
	var total int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			total += usage.Utime.Nano() + usage.Stime.Nano()
		}
	}
	return total
}

// ourSide is a source that is looked at again and again.
type ourSide struct {
	kind *gitKind
	obj  *sourcev1.GitRepository
	dir  string
}

func (s *ourSide) pass() error {
	target, failure := s.kind.resolve(context.Background(), s.obj)
	if failure != nil {
		return failure.Halt
	}
	if s.obj.GetArtifact().HasRevision(target.revision) && !target.rebuild {
		return nil
	}
	got, failure := target.fetch(context.Background())
	if failure != nil {
		return failure.Halt
	}
	defer got.close()
	file, err := os.Create(filepath.Join(s.dir, "artifact.tar.gz.new"))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := got.write(file); err != nil {
		return err
	}
	got.record()
	s.obj.Status.Artifact = &meta.Artifact{Revision: got.revision, Path: "artifact.tar.gz"}
	return os.Rename(file.Name(), filepath.Join(s.dir, "artifact.tar.gz"))
}

// fluxPass clones and packs as Flux's controller does at each new revision.
func fluxPass(url, dir string) error {
	clone, err := os.MkdirTemp(dir, "clone-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(clone)
	client, err := gogit.NewClient(clone, &git.AuthOptions{Transport: git.HTTP}, gogit.WithDiskStorage())
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err := client.Clone(context.Background(), url, gitclone.CloneConfig{
		ShallowClone: true, CheckoutStrategy: gitclone.CheckoutStrategy{Branch: "main"},
	}); err != nil {
		return err
	}
	domain := strings.Split(clone, string(filepath.Separator))
	patterns, err := sourceignore.LoadIgnorePatterns(clone, domain)
	if err != nil {
		return err
	}
	store := storage.Storage{BasePath: dir, Hostname: "localhost"}
	return store.Archive(&meta.Artifact{Path: "artifact.tar.gz"}, clone, storage.SourceIgnoreFilter(patterns, domain))
}

// side is a running process of one side.
type side struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startSide(b *testing.B, name, url string) *side {
	b.Helper()
	s := &side{command: exec.Command(os.Args[0])}
	s.command.Env = append(os.Environ(), envSide+"="+name, envURL+"="+url, envDir+"="+b.TempDir())
	s.command.Stderr = os.Stderr
	var err error
	if s.in, err = s.command.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := s.command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = s.in.Close()
		_ = s.command.Wait()
	})
	return s
}

// cost is what one pass took.
type cost struct {
	wall, cpu time.Duration
	peak      int64
}

func (s *side) pass(b *testing.B) cost {
	b.Helper()
	done, peak := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		for {
			most = max(most, residentTree(s.command.Process.Pid))
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	start := time.Now()
	if _, err := io.WriteString(s.in, "\n"); err != nil {
		b.Fatal(err)
	}
	answer, err := s.out.ReadString('\n')
	wall := time.Since(start)
	close(done)
	most := <-peak
	if err != nil {
		b.Fatal(err)
	}
	cpu, err := strconv.ParseInt(strings.TrimSpace(answer), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return cost{wall, time.Duration(cpu), most}
}

// residentTree adds up the resident memory of a process and its descendants.
func residentTree(pid int) int64 {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(statm))
	if len(fields) < 3 {
		return 0
	}
	// What files back is shared, most of it between all processes.
	resident, _ := strconv.ParseInt(fields[1], 10, 64)
	shared, _ := strconv.ParseInt(fields[2], 10, 64)
	total := (resident - shared) * int64(os.Getpagesize())
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range children {
		list, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, child := range strings.Fields(string(list)) {
			if number, err := strconv.Atoi(child); err == nil {
				total += residentTree(number)
			}
		}
	}
	return total
}

// BenchmarkGit compares a cold fetch, a one-file commit and an unchanged
// reference with fluxcd/pkg/git on one repository of 2,000 files.
func BenchmarkGit(b *testing.B) {
	server := gittest.Serve(b)
	repository := server.Create(b, "mono.git")
	random := rand.New(rand.NewPCG(1, 2))
	files := map[string]string{}
	for i := range 2000 {
		var text strings.Builder
		for text.Len() < 12<<10 {
			fmt.Fprintf(&text, "key-%d: value-%08x\n", text.Len()%97, random.Uint32())
		}
		files[fmt.Sprintf("apps/%03d/file-%d.yaml", i/10, i%10)] = text.String()
	}
	repository.Commit(b, "all", files)
	repository.Push(b, "HEAD", "refs/heads/main")
	ours, flux := startSide(b, "ours", server.URL+"/mono.git"), startSide(b, "flux", server.URL+"/mono.git")
	report := func(name string, a, f cost) {
		b.Logf("%-9s ours %8s wall %8s cpu %4d MiB; flux %8s wall %8s cpu %4d MiB", name,
			a.wall.Round(time.Millisecond), a.cpu.Round(time.Millisecond), a.peak>>20, f.wall.Round(time.Millisecond), f.cpu.Round(time.Millisecond), f.peak>>20)
		b.ReportMetric(float64(a.wall)/float64(f.wall), name+"-time-ratio")
		b.ReportMetric(float64(a.cpu)/float64(f.cpu), name+"-cpu-ratio")
		b.ReportMetric(float64(a.peak)/float64(f.peak), name+"-peak-ratio")
	}
	report("cold", ours.pass(b), flux.pass(b))
	repository.Commit(b, "one file", map[string]string{"apps/100/file-5.yaml": "changed: true\n"})
	repository.Push(b, "HEAD", "refs/heads/main")
	report("commit", ours.pass(b), flux.pass(b))
	server.Traffic()
	idle := ours.pass(b)
	requests, sent := server.Traffic()
	b.Logf("unchanged ours %s wall %s cpu, %d request, %d bytes", idle.wall.Round(time.Millisecond), idle.cpu.Round(time.Millisecond), len(requests), sent)
	b.ReportMetric(float64(len(requests)), "unchanged-requests")
	b.ReportMetric(float64(idle.cpu)/1e6, "unchanged-cpu-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkManySources counts what 500 sources of one repository ask of it.
func BenchmarkManySources(b *testing.B) {
	server := gittest.Serve(b)
	repository := server.Create(b, "mono.git")
	repository.Commit(b, "all", map[string]string{"a": "1"})
	repository.Push(b, "HEAD", "refs/heads/main")
	git := gitForTest(b, nil)
	const sources = 500
	fetches := 0
	for range sources {
		obj := source(server.URL+"/mono.git", func(o *sourcev1.GitRepository) { o.Spec.Reference = &sourcev1.GitRepositoryRef{Branch: "main"} })
		target, failure := git.resolve(b.Context(), obj)
		if failure != nil {
			b.Fatal(failure.Halt)
		}
		server.Traffic()
		got, failure := target.fetch(b.Context())
		if failure != nil {
			b.Fatal(failure.Halt)
		}
		if requests, _ := server.Traffic(); len(requests) > 0 {
			fetches++
		}
		got.close()
	}
	b.ReportMetric(float64(fetches), "fetches/500-sources")
	b.ReportMetric(0, "ns/op")
}
