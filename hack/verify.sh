#!/usr/bin/env bash
# verify.sh: fails if anything generated, formatted or tidied would change.
set -euo pipefail
cd "$(dirname "$0")/.."

before=$(git status --porcelain)
make -s generate
gofmt -w $(git ls-files '*.go')
for module in . tools testbed; do
	(cd $module && go mod tidy)
done
after=$(git status --porcelain)
if [ "$before" != "$after" ]; then
	git diff --stat
	echo "Not up to date: run 'make generate', gofmt and 'go mod tidy', and commit what they change." >&2
	exit 1
fi
