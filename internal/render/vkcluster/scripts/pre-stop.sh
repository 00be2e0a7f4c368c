#!/bin/sh
# pre-stop.sh runs before the server is told to stop. If it is a primary, the
# best of its replicas takes over first, which holds writes up for some 50 ms;
# the others would need seconds to notice and to vote.
#
# It asks for a failover that loses nothing (the primary waits for the replica
# to have everything) and never for a forced one. It never fails either: a pod
# that cannot hand over has to stop all the same.
set -uf

here=${0%/*}
export VALKEY_LOGIN=_pod

# say writes to the log of the container.
say() {
	echo "pre-stop: $*" 2>/dev/null >>"${VALKEY_LOG:-/proc/1/fd/1}" || :
}

# ask COMMAND...: the answer of this server, or with -h and -p of another one.
ask() {
	timeout 2 "$here/bin/valkey-cli" -h "${VALKEY_HOST:-127.0.0.1}" "$@" 2>&1
}

# choose sets ip and port to those of the replica that has got furthest, of the
# ones that have spoken within the last two seconds and are not in $refused.
choose() {
	best=-1
	for line in $1; do
		case $line in
		slave[0-9]*:ip=*,port=*,state=online,offset=*,lag=[012][!0-9]*) ;;
		*) continue ;;
		esac
		its_ip=${line#*ip=} its_port=${line#*port=} its_offset=${line#*offset=}
		its_ip=${its_ip%%,*} its_port=${its_port%%,*} its_offset=${its_offset%%,*}
		case $refused in *"<$its_ip $its_port>"*) continue ;; esac
		if [ "$its_offset" -gt "$best" ]; then
			best=$its_offset ip=$its_ip port=$its_port
		fi
	done
	[ "$best" -ge 0 ]
}

# await_role waits until this server has become a replica. A failover that takes
# longer than 5 s has been given up by the servers themselves, and one whose
# replica has gone away is not waited for.
await_role() {
	waited=0 gone=0
	while [ "$waited" -lt 100 ]; do
		case $(ask INFO replication) in
		*role:slave*) outcome="has taken over" && return ;;
		*"ip=$ip,port=$port,"*) gone=0 ;;
		*) gone=$((gone + 1)) ;;
		esac
		[ "$gone" -lt 10 ] || { outcome="has gone away" && return; }
		waited=$((waited + 1))
		sleep 0.05
	done
	outcome="has not taken over in time"
}

refused=
for attempt in 1 2 3; do
	state=$(ask INFO replication)
	case $state in
	*role:master*) ;;
	*) exit 0 ;; # a replica, or nobody to ask
	esac
	if ! choose "$state"; then
		case $state in
		*connected_slaves:0*) ;; # an only copy stops as it is
		*) say "no replica is able to take over" ;;
		esac
		exit 0
	fi
	answer=$(ask -h "$ip" -p "$port" CLUSTER FAILOVER)
	if [ "$answer" = OK ]; then
		await_role
		say "$ip:$port $outcome"
		exit 0
	fi
	say "$ip:$port does not take over (attempt $attempt): ${answer:-no answer}"
	refused="$refused<$ip $port>"
done
