# make help lists what there is. Everything that runs real Kubernetes needs root
# on Debian, and installs the packages that are missing.

SHELL := /bin/bash -euo pipefail
.DEFAULT_GOAL := help

# One way of building everywhere, so that the build cache is shared.
export CGO_ENABLED := 0
export GOFLAGS := -buildvcs=false -trimpath

IMAGE ?= valkey-operator/valkey-operator:dev
VERSION ?= dev
BIN := $(CURDIR)/bin

TOOL := go tool -modfile=tools/go.mod
TESTBED := go -C testbed run .
GOTESTSUM := $(TOOL) gotestsum --format pkgname

# Where the servers of each version are, and BusyBox, the shell of their images.
# With TESTS_REQUIRED a test that lacks what it needs fails instead of being
# skipped.
VALKEY_BINS = TESTS_REQUIRED=1 VALKEY_BIN_8_0=$$($(TESTBED) valkey 8.0) VALKEY_BIN_8_1=$$($(TESTBED) valkey 8.1) \
	VALKEY_BIN_9_1=$$($(TESTBED) valkey 9.1) PATH="$$PATH:$$($(TESTBED) valkey 9.1)"

# Names of the clusters that the targets start, so that they can run beside a
# demo.
TEST_CLUSTER := test
BENCH_CLUSTER := bench

##@ Try it
.PHONY: demo
demo: ## (root) a persistent cluster on real Kubernetes, from nothing to keys written and read
	hack/demo.sh

.PHONY: demo-down
demo-down: ## (root) end the demo; nothing is left of it
	$(TESTBED) down --name demo

##@ Test
.PHONY: test
test: verify lint test-pure test-testbed test-servers test-api test-pods ## (root) every layer of tests, from nothing

# Packages whose tests need neither servers nor an API server.
SERVER_PACKAGES := ./internal/valkey/... ./internal/probe/... ./internal/valkeytest/... ./internal/scenario/... ./internal/render/... ./internal/watch/...
API_PACKAGES := ./cmd/manager/... ./internal/crds/... ./internal/controller/... ./internal/act/... ./internal/apitest/...

.PHONY: test-pure
test-pure: ## tests of pure code: tables, properties, fuzz corpora
	$(GOTESTSUM) -- $$(go list ./... | grep -v -e /e2e -e /internal/valkey$$ -e /internal/valkeytest -e /internal/probe -e /internal/scenario -e /internal/render -e /internal/watch -e /internal/crds -e /internal/controller -e /internal/act$$ -e /internal/apitest -e /cmd/manager)

.PHONY: test-testbed
test-testbed: ## tests of the testbed's own code
	cd testbed && go vet . ./internal/... && go test . ./internal/... ./cmd/localprovisioner/...

# More at a time than there are cores: these tests wait more than they work.
.PHONY: test-servers
test-servers: testbed-images ## (root, first time) tests against real Valkey servers of every version
	$(VALKEY_BINS) $(GOTESTSUM) -- -parallel 8 $(SERVER_PACKAGES)

.PHONY: test-api
test-api: testbed-build testbed-images ## (root, first time) tests against a real API server
	$(VALKEY_BINS) KUBEBUILDER_ASSETS=$$($(TESTBED) assets) $(GOTESTSUM) -- $(API_PACKAGES)

.PHONY: test-many
test-many: testbed-build ## (root, first time) 200 clusters under one operator, with simulated pods
	KUBEBUILDER_ASSETS=$$($(TESTBED) assets) SCALE=200 QUIET=60 go test -v -count=1 -timeout 30m -run TestManyClusters ./cmd/manager

.PHONY: test-pods
test-pods: testbed-build testbed-images image ## (root) tests on real pods, on a Kubernetes of three nodes
	go test -c -o $(BIN)/e2e.test ./e2e
	hack/with-cluster.sh $(TEST_CLUSTER) 3 hack/e2e.sh $(BIN)/e2e.test $(E2E_ARGS)

.PHONY: soak
soak: ## (root) the tests that take long: five quiet minutes, dying leaders, more random schedules
	E2E_SOAK=1 $(MAKE) test-pods E2E_QUIET=5m E2E_ARGS='-test.run "TestQuiet|TestLeaders"'
	$(MAKE) test-servers GOTESTSUM="$(GOTESTSUM)" RAPID_CHECKS=2000
	$(MAKE) test-many

.PHONY: bench
bench: testbed-build testbed-images image ## (root) measure the operator beside its floor
	go build -o $(BIN)/bench ./bench
	hack/with-cluster.sh $(BENCH_CLUSTER) 3 $(BIN)/bench $(BENCH_ARGS)

##@ Develop
.PHONY: generate
generate: ## generate deep copies, apply configurations, definitions and dist/install.yaml
	$(TOOL) controller-gen object applyconfiguration paths=./api/...
	raw=$$(mktemp -d); trap 'rm -rf "$$raw"' EXIT; \
		$(TOOL) controller-gen crd:generateEmbeddedObjectMeta=true paths=./api/... output:crd:dir=$$raw; \
		go run ./hack/manifests crds $$raw config/crd
	$(MAKE) -s dist

.PHONY: dist
dist: ## write dist/install.yaml, for the operator image that IMAGE names
	mkdir -p dist
	go run ./hack/manifests install $(IMAGE) > dist/install.yaml.new
	mv dist/install.yaml.new dist/install.yaml

.PHONY: verify
verify: ## fail if generated code, formatting or modules are not up to date
	hack/verify.sh

.PHONY: lint
lint: ## run the linters; .golangci.yml says why each of them
	$(TOOL) golangci-lint run ./...

.PHONY: build
build: ## build the operator
	go build -ldflags "-s -w -X main.version=$(VERSION)" -o $(BIN)/valkey-operator ./cmd/manager

.PHONY: image
image: build ## make the image of the operator, as an archive
	$(TESTBED) image --name $(IMAGE) --binary $(BIN)/valkey-operator --out $(BIN)/operator-image.tar

.PHONY: image-archive
image-archive:
	@echo $(BIN)/operator-image.tar

.PHONY: image-name
image-name:
	@echo $(IMAGE)

.PHONY: testbed-build
testbed-build: ## (root) build Kubernetes, where it is missing
	$(TESTBED) build

.PHONY: testbed-images
testbed-images: ## (root) make the images of Valkey, where they are missing
	$(TESTBED) images

.PHONY: uninstall
uninstall: ## remove the operator from the cluster that kubectl uses; volumes stay
	hack/uninstall.sh

.PHONY: clean
clean: ## remove what was built here; the testbed's cache stays
	rm -rf $(BIN)

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
