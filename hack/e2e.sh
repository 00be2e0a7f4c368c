#!/usr/bin/env bash
# e2e.sh TEST-BINARY [ARGS...]: runs the tests on real pods, inside the network
# of a test cluster; nothing that they need may be missing.
set -euo pipefail
cd "$(dirname "$0")/../e2e"
binary=$1
shift
export E2E_REQUIRED=1 E2E_AUDIT_LOG=${TESTBED_AUDIT_LOG:?}
go tool -modfile=../tools/go.mod gotestsum --format testname --raw-command -- \
	go tool test2json -t -p e2e "$binary" -test.v=test2json -test.timeout 60m -test.parallel 3 "$@"
