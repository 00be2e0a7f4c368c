#!/usr/bin/env bash
# demo.sh: a persistent ValkeyCluster on real Kubernetes, from nothing to keys
# written and read. It starts a test cluster on this machine (needs root), or
# uses the one that DEMO_KUBECONFIG names.
set -euo pipefail
cd "$(dirname "$0")/.."

begun=$SECONDS
say() { printf '\n\033[1m[%3ds] %s\033[0m\n' $((SECONDS - begun)) "$*"; }
testbed() { go -C testbed run . "$@"; }

namespace=demo
manifest=examples/cluster-persistent.yaml
cluster=my-cluster
keys=1000

if [ -n "${DEMO_KUBECONFIG-}" ]; then
	say "Using the Kubernetes cluster of $DEMO_KUBECONFIG"
	kubectl() { command kubectl --kubeconfig "$DEMO_KUBECONFIG" "$@"; }
	kubectl cluster-info | head -n 1
	echo "Its machines must be able to pull $(make -s image-name): push it to a registry that they use, or load it"
	echo "into them (make image IMAGE=... makes it, make dist IMAGE=... has the manifest name it)."
	kubectl get storageclass gp3 >/dev/null || {
		echo "It has no storage class gp3, which $manifest asks for. Create one, or change the manifest."
		exit 1
	}
else
	export VALKEY_TESTBED_NAME=demo
	kubectl() { "$testbed" kubectl "$@"; }
	say "Building Kubernetes and Valkey images, where they are missing (about 15 minutes the first time)"
	testbed build
	testbed images
	say "Building the operator"
	make -s image
	say "Starting Kubernetes"
	trap 'printf "\nInterrupted. What was started is still there; make demo-down ends it, make demo goes on.\n"; exit 130' INT TERM
	testbed up --nodes "${DEMO_NODES:-3}"
	testbed load "$(make -s image-archive)"
	# The command itself, so that each kubectl need not compile it.
	testbed=$PWD/bin/testbed
	go -C testbed build -o "$testbed" .
fi

say "Installing the operator: kubectl apply -f dist/install.yaml"
running=$(kubectl -n valkey-operator-system get deployment valkey-operator --ignore-not-found -o name)
kubectl apply -f dist/install.yaml
# An image of the same name may be another one by now.
[ -z "$running" ] || kubectl -n valkey-operator-system rollout restart "$running"
kubectl -n valkey-operator-system rollout status deployment/valkey-operator --timeout=5m || {
	echo "The operator does not start. Can the machines pull $(make -s image-name)? kubectl -n valkey-operator-system get pods says more." >&2
	exit 1
}

say "Creating a ValkeyCluster: kubectl apply -f $manifest"
cat "$manifest"
kubectl create namespace $namespace --dry-run=client -o yaml | kubectl apply -f - >/dev/null
kubectl label namespace $namespace --overwrite pod-security.kubernetes.io/enforce=restricted >/dev/null
kubectl -n $namespace apply -f "$manifest"
kubectl -n $namespace get valkeycluster $cluster --watch &
watch=$!
kubectl -n $namespace wait valkeycluster/$cluster --for=condition=Ready --timeout=10m >/dev/null
sleep 1
kill $watch 2>/dev/null || true
wait $watch 2>/dev/null || true

say "kubectl get valkeycluster,valkeynode"
kubectl -n $namespace get valkeycluster,valkeynode

say "Writing $keys keys, and reading them back through another node"
valkey_cli() { kubectl -n $namespace exec -i "valkey-$1-0" -c server -- valkey-cli -c; }
written=$(for i in $(seq $keys); do echo "SET key:$i value-$i"; done | valkey_cli $cluster-0-0 | grep -c '^OK$')
read=$(for i in $(seq $keys); do echo "GET key:$i"; done | valkey_cli $cluster-2-1 | grep -c '^value-')
echo "$written keys written, $read keys read"
[ "$written" = $keys ] && [ "$read" = $keys ] || {
	echo "Some keys are missing." >&2
	exit 1
}

say "It is yours now"
if [ -n "${DEMO_KUBECONFIG-}" ]; then
	cat <<-END
		  kubectl -n $namespace get vkc,vkn,pods,pvc
		  kubectl -n $namespace exec -it valkey-$cluster-0-0-0 -c server -- valkey-cli -c
		  kubectl delete namespace $namespace          # ends the demo
	END
else
	cat <<-END
		  export VALKEY_TESTBED_NAME=demo
		  alias kubectl='$testbed kubectl'
		  kubectl -n $namespace get vkc,vkn,pods,pvc
		  kubectl -n $namespace exec -it valkey-$cluster-0-0-0 -c server -- valkey-cli -c
		  make demo-down                                # ends the demo
	END
fi
