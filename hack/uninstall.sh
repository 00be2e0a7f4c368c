#!/usr/bin/env bash
# uninstall.sh: removes the operator in an order in which nothing hangs: first
# the resources, while the operator is there to let them go, then the operator.
# Claims stay, unless a resource's reclaim policy says Delete.
set -euo pipefail
cd "$(dirname "$0")/.."

kubectl delete valkeyclusters --all --all-namespaces --wait
kubectl wait valkeynodes --all --all-namespaces --for=delete --timeout=5m 2>/dev/null || true
kubectl delete valkeynodes --all --all-namespaces --wait
kubectl delete -f dist/install.yaml --wait
