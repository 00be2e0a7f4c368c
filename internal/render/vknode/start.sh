#!/bin/sh
# Starts the server with the configuration that the operator wrote. Arguments
# of the container are options of the server and win over the file.
set -eu

exec valkey-server /etc/valkey/valkey.conf "$@"
