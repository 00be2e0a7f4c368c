#!/bin/sh
# succession.sh SECONDS runs while a primary that was killed is held back before
# its start, each time with the SECONDS that are left of that. It succeeds once a
# replica has taken over, so that nothing need be waited for.
#
# Mostly the other primaries elect one. Where they are too few for that, because
# the cluster has one or two shards or others are gone too, nobody ever is
# elected: then this script tells the best replica to take over without a vote.
# That is safe here and nowhere else: the one server that could still serve the
# shard is the one that is not running in this very pod, on its own volume.
set -uf

here=${0%/*}
conf=${VALKEY_DATA:-/data}/nodes.conf
export VALKEY_LOGIN=_pod

say() { echo "succession: $*"; }

# ask IP PORT COMMAND...: the answer of a server.
ask() {
	ip=$1 port=$2
	shift 2
	timeout 2 "$here/bin/valkey-cli" -h "$ip" -p "$port" "$@" 2>&1
}

# field NAME prints a field of $state, the answer to INFO.
field() {
	value=${state#*"$1:"}
	[ "$value" != "$state" ] || value=
	value=${value%%[!0-9a-z]*}
}

# Everything is read before the first child: BusyBox 1.37 was seen to spin in
# read after the end of one that nobody waited for.
me= voters=0
while read -r id _ flags _ _ _ _ _ slots; do
	case ,$flags, in *,myself,*) me=$id ;; esac
	case ,$flags,$slots in *,master,*,[0-9]*) voters=$((voters + 1)) ;; esac
done <"$conf"
replicas=
while read -r id address flags primary _; do
	case $primary,$flags, in "$me",*) ;; *) continue ;; esac
	case ,$flags, in *,noaddr,*) continue ;; esac
	address=${address%%,*} address=${address%@*}
	replicas="$replicas $id=$address"
done <"$conf"
[ -n "$me" ] && [ -n "$replicas" ] || exit 1

best=-1 history= unsure=
for replica in $replicas; do
	id=${replica%%=*} address=${replica#*=}
	host=${address%:*} on=${address##*:}
	[ "$(ask "$host" "$on" CLUSTER MYID)" = "$id" ] || continue # somebody else has its address
	state=$(ask "$host" "$on" INFO replication)
	case $state in
	*role:master*)
		say "$address has taken over"
		exit 0
		;;
	*role:slave*master_link_status:down*) ;;
	*) # connected to a primary, perhaps to the next one, or no answer that says anything
		unsure=yes
		continue
		;;
	esac
	field master_sync_in_progress
	[ "$value" = 0 ] || continue
	field master_replid
	[ "${history:=$value}" = "$value" ] || unsure=yes # offsets of two histories compare nothing
	field slave_repl_offset
	if [ "${value:-0}" -gt 0 ] && [ "$value" -gt "$best" ]; then
		best=$value heir_host=$host heir_port=$on
	fi
done
[ "$best" -ge 0 ] && [ -z "$unsure" ] || exit 1
[ "$voters" -le 2 ] || [ "${1:-1}" -le 0 ] || exit 1

say "too few primaries are left to vote; $heir_host:$heir_port takes over"
answer=$(ask "$heir_host" "$heir_port" CLUSTER FAILOVER TAKEOVER)
[ "$answer" = OK ] || say "it does not: ${answer:-no answer}"
exit 1 # the next time will see what became of it
