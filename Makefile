# Holdfast's one front door. Everything here needs Go, git and make, and puts
# what it builds into bin/.

MODULES     := api config source-controller drift-controller secrets-controller cli tests
CONTROLLERS := source-controller drift-controller secrets-controller
# Modules outside the workspace: their versions must not move ours.
SATELLITES  := tools tools/monitoring tests/controlplane
PACKAGES    := $(MODULES:%=./%/...)

VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS = -s -w -X main.version=$(VERSION)
# One set of flags for all that is built: a second would compile everything anew.
export CGO_ENABLED = 0
FLAGS = -trimpath

# Arguments for demo, cluster and bench, and the folder for cases.
ARGS  ?=
CASES ?= tests/cases
# Binaries of source-controllers for conformance: the one that is tested, and one
# to compare with.
SOURCE_CONTROLLER ?=
ORACLE            ?=
KUSTOMIZE_CONTROLLER ?=
KUSTOMIZE_KINDS      ?=
# The External Secrets Operator for eso, and the folder of its CRDs.
OPERATOR ?=
KINDS    ?=
SEEDS ?= 1000
KILLS ?= 500
FIRST ?= 1

# The race detector needs a C compiler; make test says so when there is none.
RACE = $(shell command -v "$$(go env CC)" >/dev/null 2>&1 && echo -race)
TEST = CGO_ENABLED=$(if $(RACE),1,0) go test $(RACE) -p 2 -timeout 30m

CONTROLLER_GEN := bin/controller-gen
GOLANGCI_LINT  := bin/golangci-lint

.DEFAULT_GOAL := help
.SUFFIXES:

##@ Start here

.PHONY: help
help: ## Show this list.
	@awk 'BEGIN {FS = ":.*## "} \
	  /^##@/ {printf "\n\033[1m%s\033[0m\n", substr($$0, 5)} \
	  /^[a-z%-]+:.*## / {printf "  \033[36mmake %-14s\033[0m %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: demo
demo: controlplane build ## Replay the incident on a real API server and stay up (ARGS=--once ends).
	go run $(FLAGS) ./tests/cmd/demo $(ARGS)

.PHONY: cluster
cluster: controlplane ## Start an empty control plane to play with (ARGS=-nodes=3).
	go run $(FLAGS) ./tests/cmd/cluster $(ARGS)

##@ Test

.PHONY: test
test: controlplane ## Run everything: unit, case corpus, scenarios, conformance, end to end.
	@$(if $(RACE),:,echo "no C compiler found: the tests run without the race detector")
	$(TEST) $(PACKAGES)
	cd tests/controlplane && GOWORK=off go test $(FLAGS) ./internal/...

test-%: ## Test one module, e.g. test-drift-controller.
	@$(if $(RACE),:,echo "no C compiler found: the tests run without the race detector")
	$(TEST) ./$*/...

.PHONY: alerts
alerts: ## Evaluate the alert rules and the dashboard's queries with Prometheus' engine (minutes to build at first, so no part of make test).
	cd tools/monitoring && GOWORK=off go test $(FLAGS) ./...

.PHONY: faults
faults: controlplane ## Look for a wrong write: plans for many worlds (SEEDS=10000), then worlds whose controller is killed (KILLS=500 FIRST=1).
	FAULTS_SEEDS=$(or $(SEEDS),10000) go test $(FLAGS) -count=1 -timeout 1h -run 'TestFaults|TestEachGuard|TestEveryGuard' ./drift-controller/plan ./drift-controller/internal/controller
	FAULTS_KILLS=$(KILLS) FAULTS_FIRST=$(FIRST) go test $(FLAGS) -count=1 -timeout 6h -run TestKilled ./tests/faults

.PHONY: cases
cases: controlplane ## Judge a folder of cases, a line each (CASES=DIR).
	go run $(FLAGS) ./tests/cmd/cases $(CASES)

.PHONY: comparison
comparison: controlplane ## Run all cases and write what they show into docs/comparison.md.
	go run $(FLAGS) ./tests/cmd/comparison docs/comparison.md > bin/comparison.md
	cp bin/comparison.md docs/comparison.md

.PHONY: conformance
conformance: controlplane $(if $(SOURCE_CONTROLLER)$(ORACLE),bin/crd) ## Hold a source-controller to Flux's contract (SOURCE_CONTROLLER=PATH, ORACLE=PATH; ours without).
	SOURCE_CONTROLLER=$(SOURCE_CONTROLLER) ORACLE=$(ORACLE) SOURCE_KINDS=$(if $(SOURCE_CONTROLLER)$(ORACLE),$(CURDIR)/bin/crd) \
	  go test $(FLAGS) -count 1 -timeout 60m $(ARGS) ./tests/conformance/...

.PHONY: crashes
crashes: controlplane ## Kill the source-controller while it works, many times, and look at what it serves then (CRASHES=200).
	CRASHES=$(or $(CRASHES),100) go test $(FLAGS) -count 1 -timeout 120m -v -run TestKilled ./tests/conformance

.PHONY: flux
flux: controlplane build-drift-controller bin/crd ## Flux's consumers on our artifacts, ours on Flux's, binaries swapped (ORACLE=PATH KUSTOMIZE_CONTROLLER=PATH KUSTOMIZE_KINDS=FOLDER).
	@test -x "$(ORACLE)" && test -x "$(KUSTOMIZE_CONTROLLER)" && test -d "$(KUSTOMIZE_KINDS)" || { \
	  echo "flux: give ORACLE (Flux's source-controller), KUSTOMIZE_CONTROLLER (its kustomize-controller) and KUSTOMIZE_KINDS (the folder of its CRDs)"; exit 1; }
	ORACLE=$(ORACLE) KUSTOMIZE_CONTROLLER=$(KUSTOMIZE_CONTROLLER) KUSTOMIZE_KINDS=$(KUSTOMIZE_KINDS) SOURCE_KINDS=$(CURDIR)/bin/crd \
	  go test $(FLAGS) -count 1 -timeout 30m -v -run 'TestFluxReconcilesFromOurs|TestOursObservesFromFlux|TestSwappedBinary' ./tests/conformance

# All of Flux's kinds, which its own binary watches.
bin/crd: $(CONTROLLER_GEN)
	cd tools && GOWORK=off ../$(CONTROLLER_GEN) crd paths=github.com/fluxcd/source-controller/api/v1 output:crd:dir=../bin/crd

.PHONY: secret-cases
secret-cases: ## Judge a folder of cases about secrets, a line each (CASES=DIR).
	cd secrets-controller && CASES=$(abspath $(if $(filter-out tests/cases,$(CASES)),$(CASES),secrets-controller/testdata/cases)) \
	  go test $(FLAGS) ./casefile -v -count 1 -run 'TestCases|TestMaskedCases' | grep -v '^=== '

.PHONY: eso
eso: controlplane ## Hold what the rules read off statuses against the External Secrets Operator itself (OPERATOR=PATH KINDS=FOLDER of its CRDs).
	@test -x "$(OPERATOR)" || { echo "eso: give OPERATOR, the path of the operator's binary"; exit 1; }
	go run $(FLAGS) ./tests/cmd/eso -operator $(OPERATOR) -kinds $(or $(KINDS),secrets-controller/schema/crd)

.PHONY: property
property: controlplane ## Hold random objects against the laws of drift (SEEDS=10000 FIRST=1).
	go test $(FLAGS) -run TestProperties -count 1 -timeout 6h -v ./tests/property -seeds $(SEEDS) -first $(FIRST)

.PHONY: bench
bench: controlplane build ## Measure what docs/benchmarks.md reports (ARGS=-short).
	go test $(FLAGS) -run '^$$' -bench . -benchtime 1x -timeout 120m $(ARGS) ./tests/bench/...
	go test $(FLAGS) -run '^$$' -bench . -benchtime 3x -timeout 60m $(ARGS) ./source-controller/internal/archive ./source-controller/internal/controller

##@ Build

.PHONY: build
build: $(CONTROLLERS:%=build-%) build-cli ## Build the three controllers and holdfast into bin/.

.PHONY: build-cli
build-cli:
	go build $(FLAGS) -ldflags '$(LDFLAGS)' -o bin/holdfast ./cli

build-%: ## Build one controller into bin/, e.g. build-drift-controller.
	go build $(FLAGS) -ldflags '$(LDFLAGS)' -o bin/$* ./$*

REGISTRY  ?= ghcr.io/holdfast-gitops
PLATFORMS ?= linux/amd64,linux/arm64
IMAGE_ARGS ?=
comma := ,

.PHONY: release
release: $(foreach p,$(subst $(comma), ,$(PLATFORMS)),release-$(subst /,-,$(p))) ## Static binaries of all programs for all platforms, with an SBOM each, into bin/release (PLATFORMS=).

release-%: bin/cyclonedx-gomod
	@mkdir -p bin/release/$*
	@for program in $(CONTROLLERS) holdfast; do \
	  folder=$$program; test $$program = holdfast && folder=cli; \
	  export CGO_ENABLED=0 GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)); \
	  echo "release: $$program for $$GOOS/$$GOARCH" && \
	  (cd $$folder && GOWORK=off go build $(FLAGS) -ldflags '$(LDFLAGS)' -o ../bin/release/$*/$$program . && \
	    ../bin/cyclonedx-gomod bin -json -std -version $(VERSION) -output ../bin/release/$*/$$program.cdx.json ../bin/release/$*/$$program) || exit 1; done

bin/cyclonedx-gomod: tools/sbom/go.mod tools/sbom/go.sum
	@mkdir -p bin
	cd tools/sbom && GOWORK=off go build $(FLAGS) -o ../../$@ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

.PHONY: images
images: $(CONTROLLERS:%=image-%) ## Build the images for all platforms (REGISTRY=, PLATFORMS=, IMAGE_ARGS=--push); needs docker buildx.

image-%:
	docker buildx build --platform $(PLATFORMS) --build-arg VERSION=$(VERSION) --sbom=true --provenance=true \
	  -t $(REGISTRY)/$*:$(VERSION) -f $*/Dockerfile $(IMAGE_ARGS) .

.PHONY: controlplane
controlplane: ## Build the test control plane into bin/k8s, once (about five minutes).
	@cd tests/controlplane && GOWORK=off go run $(FLAGS) ./cmd/build -module . -out ../../bin/k8s

.PHONY: clean
clean: ## Remove what was built, the control plane too.
	rm -rf bin

##@ Change

.PHONY: generate
generate: $(CONTROLLER_GEN) ## Regenerate deepcopy, CRDs, RBAC and docs/fields.md.
	cd api && GOWORK=off ../$(CONTROLLER_GEN) object:headerFile=../hack/boilerplate.go.txt paths=./...
	rm -f config/crd/bases/*.yaml
	cd api && GOWORK=off ../$(CONTROLLER_GEN) crd paths=./... output:crd:dir=../config/crd/bases
	rm -f secrets-controller/schema/crd/*.yaml
	cd tools && GOWORK=off ../$(CONTROLLER_GEN) crd:maxDescLen=0 paths=github.com/external-secrets/external-secrets/apis/externalsecrets/v1 \
	  paths=github.com/external-secrets/external-secrets/apis/externalsecrets/v1alpha1 \
	  paths=github.com/external-secrets/external-secrets/apis/generators/v1alpha1 output:crd:dir=../secrets-controller/schema/crd
	rm -rf bin/crd
	cd tools && GOWORK=off ../$(CONTROLLER_GEN) crd paths=github.com/fluxcd/source-controller/api/v1 output:crd:dir=../bin/crd
	cp bin/crd/source.toolkit.fluxcd.io_gitrepositories.yaml bin/crd/source.toolkit.fluxcd.io_ocirepositories.yaml config/crd/flux/
	for c in $(CONTROLLERS); do \
	  (cd $$c && GOWORK=off ../$(CONTROLLER_GEN) rbac:roleName=holdfast-$$c,fileName=$$c.yaml \
	    paths=./internal/controller output:rbac:dir=../config/rbac) || exit 1; done
	go run $(FLAGS) ./tests/cmd/fields config/crd/bases > docs/fields.md

.PHONY: tidy
tidy: ## Tidy every module.
	for m in $(MODULES) $(SATELLITES) tools/lint tools/sbom; do (cd $$m && GOWORK=off go mod tidy) || exit 1; done

.PHONY: fmt
fmt: ## Format every Go file.
	@git ls-files -co --exclude-standard '*.go' | xargs gofmt -w

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Lint every module against .golangci.yml.
	for m in $(MODULES); do echo "lint $$m" && (cd $$m && ../$(GOLANGCI_LINT) run ./...) || exit 1; done

##@ Check before a commit

.PHONY: verify
verify: generate ## Regenerate, check formats and modules, build with the workspace off; fails on a dirty tree.
	@files=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l); test -z "$$files" || { \
	  echo "verify: not formatted, run make fmt:"; echo "$$files"; exit 1; }
	@for m in $(MODULES) $(SATELLITES) tools/lint tools/sbom; do echo "verify: go.mod of $$m is tidy" && \
	  (cd $$m && GOWORK=off go mod tidy -diff) || exit 1; done
	@for m in $(MODULES) tests/controlplane; do echo "verify: $$m builds with the workspace off" && \
	  (cd $$m && GOWORK=off go build $(FLAGS) ./... && GOWORK=off go vet $(FLAGS) ./...) || exit 1; done
	@go list -deps -test $(PACKAGES) >/dev/null
	@changes=$$(git status --porcelain); test -z "$$changes" || { \
	  echo "verify: the tree differs from the last commit; commit this (generated files and go.work.sum too):"; \
	  echo "$$changes"; git --no-pager diff --stat; exit 1; }
	@echo "verify: the tree is clean and everything builds"

$(CONTROLLER_GEN): tools/go.mod tools/go.sum
	@mkdir -p bin
	cd tools && GOWORK=off go build $(FLAGS) -o ../$@ sigs.k8s.io/controller-tools/cmd/controller-gen

$(GOLANGCI_LINT): tools/lint/go.mod tools/lint/go.sum
	@mkdir -p bin
	cd tools/lint && GOWORK=off go build $(FLAGS) -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
