#!/usr/bin/env bash
# uninstall.sh: removes the operator in an order in which nothing hangs: first
# the resources, while the operator is there to let them go, then the operator.
# Claims stay, unless a resource's reclaim policy says Delete.
set -euo pipefail
cd "$(dirname "$0")/.."

if kubectl get crd valkeyclusters.valkey.io >/dev/null 2>&1; then
	kubectl delete valkeyclusters --all --all-namespaces --wait
fi
if kubectl get crd valkeynodes.valkey.io >/dev/null 2>&1; then
	kubectl wait valkeynodes --all --all-namespaces --for=delete --timeout=5m 2>/dev/null || true
	kubectl delete valkeynodes --all --all-namespaces --wait
fi
kubectl delete -f dist/install.yaml --wait --ignore-not-found
