#!/usr/bin/env bash
# with-cluster.sh NAME NODES COMMAND...: runs the command in the network of a
# fresh test cluster in which the operator is installed, and ends the cluster
# whatever happens. KEEP_CLUSTER=1 leaves it running. Needs root.
set -euo pipefail
cd "$(dirname "$0")/.."

export VALKEY_TESTBED_NAME=$1
nodes=$2
shift 2

tools=$(mktemp -d)
testbed=$tools/testbed
go -C testbed build -o "$testbed" .
finish() {
	[ -n "${KEEP_CLUSTER-}" ] || "$testbed" down
	rm -rf "$tools"
}
trap finish EXIT

"$testbed" down
"$testbed" up --nodes "$nodes"
"$testbed" load bin/operator-image.tar
"$testbed" kubectl apply -f dist/install.yaml >/dev/null
"$testbed" kubectl -n valkey-operator-system rollout status deployment/valkey-operator --timeout=5m
TESTBED_AUDIT_LOG=$("$testbed" audit-log) TESTBED=$testbed "$testbed" exec -- "$@"
