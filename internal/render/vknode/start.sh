#!/bin/sh
# Starts the server with the configuration that the operator wrote, and keeps
# one that may have lost writes from being a primary again. Arguments of the
# container are options of the server and win over the file.
#
# A server whose nodes.conf cannot be used, or is that of another node, starts
# under a new ID, with its data, as a replica of nobody: it serves nobody and
# changes nothing until it is told whose replica to be.
#
# A primary that was not shut down cleanly comes back with older data than its
# replicas have, or with none. If it served at once, they would copy the loss.
# So it stays unreachable until one of them has taken over, or they had the time
# for that; then it returns as a replica. This works without the operator.
set -u

etc=${VALKEY_ETC:-/etc/valkey}
data=${VALKEY_DATA:-/data}
marker=$data/clean-shutdown
last_pod=$data/last-pod
nodes=$data/nodes.conf
# The node that the volume belongs to, once its server has had an ID.
owner=$data/owner
# The ID of no server; a server that has lost its own is the replica of this one.
nobody=0000000000000000000000000000000000000000
newline='
'

say() { echo "start: $*"; }

# contents identifies the data that is on disk, cheaply: every save makes a new
# file.
contents() {
	stat -c '%n %i %s %Y' "$data"/*.rdb "$data"/appendonlydir/* 2>/dev/null
}

# directive sets found to the value of one directive, or to $2. Like everything
# that reads, it is used only before a child was started: BusyBox 1.37 was seen
# to spin in read after the end of a child that nobody waited for yet.
directive() {
	found=$2
	while read -r name value _; do
		[ "$name" != "$1" ] || found=$value
	done <"$etc/valkey.conf"
}

# clean_shutdown reports whether the server ended well and nobody has changed
# its data since. The marker is gone before the server runs.
clean_shutdown() {
	[ -f "$marker" ] || return 1
	[ "$(cat "$marker")" = "$(contents)" ] && well=0 || well=1
	rm -f "$marker"
	sync "$data" 2>/dev/null || sync
	return $well
}

# whose sets this to the name of this node, and other to that of the node that
# wrote the volume, if it is another one: it was copied or restored from there.
whose() {
	this= other=
	[ ! -f "$etc/node" ] || read -r this <"$etc/node"
	[ ! -f "$owner" ] || read -r other <"$owner"
	[ -n "$this" ] && [ "$other" != "$this" ] || other=
}

# inspect reads nodes.conf as the server will. It sets
#   bad    whether there is a line that the server would end with
#   role   what the file says that the server is: master, slave, or nothing; a
#          replica whose primary is not in the file is nothing (9.1 crashes when
#          it is introduced to it)
#   whole  the number of bytes in whole lines
#   last   the first word of the last of them
#   astray how to put replicas into the shard of their primary, for sed; 8.0 and
#          8.1 do not start when one is said to be of another
# A file may have a thousand lines, hence a variable for each ID: shells search
# long texts slowly.
inspect() {
	bad= role= of=- whole=0 last= astray= replicas=
	[ -f "$nodes" ] && [ -r "$nodes" ] || return 0
	while IFS= read -r line; do
		whole=$((whole + ${#line} + 1))
		set -f
		set -- $line
		set +f
		last=${1-}
		case $last in
		vars) [ $(($# % 2)) -eq 1 ] || bad=yes ;;
		*) inspect_node "$@" || bad=yes ;;
		esac
	done <"$nodes"
	[ "$of" = - ] || eval "[ -n \"\${shard_$of-}\" ]" || role=
	for replica in $replicas; do
		eval "its=\$shard_${replica%=*} theirs=\${shard_${replica#*=}-}"
		case $theirs in "" | unknown | "$its") continue ;; esac
		astray="$astray/^${replica%=*} /s/,shard-id=[^ ,]*/,shard-id=$theirs/$newline"
	done
}

# inspect_node ID ADDRESS FLAGS PRIMARY PING PONG EPOCH LINK SLOTS...
inspect_node() {
	[ $# -ge 8 ] && is_id "$1" || return 1
	eval "shard=\${shard_$1-}"
	[ -z "$shard" ] || return 1 # the ID for the second time
	shard=${2#*,shard-id=} shard=${shard%%,*}
	is_id "$shard" || shard=unknown
	eval "shard_$1=$shard"
	inspect_flags "$3," || return 1
	if [ "$4" != - ]; then
		is_id "$4" || return 1
		[ -z "$self" ] || of=$4
		[ "$shard" = unknown ] || replicas="$replicas $1=$4"
	fi
	case $5$6$7 in *[!0-9]*) return 1 ;; esac
	case $8 in connected | disconnected) ;; *) return 1 ;; esac
	shift 8
	for slots; do
		case $slots in
		\[*) ;;
		*[!0-9-]*) return 1 ;;
		esac
	done
}

is_id() {
	[ ${#1} -eq 40 ] || return 1
	case $1 in *[!0-9a-f]*) return 1 ;; esac
}

inspect_flags() {
	flags=$1 self= is=
	while [ -n "$flags" ]; do
		flag=${flags%%,*} flags=${flags#*,}
		case $flag in
		myself) self=yes ;;
		master | slave) is=$flag ;;
		fail | 'fail?' | handshake | noaddr | nofailover | noflags) ;;
		*) return 1 ;;
		esac
	done
	[ -n "$self" ] || return 0
	[ -z "$role" ] && [ -n "$is" ] || return 1
	role=$is
}

# aside WHY moves nodes.conf out of the way, and keeps it. It is small.
aside() {
	kept=$nodes.$1-$(date -u +%Y%m%dT%H%M%SZ)
	while [ -e "$kept" ]; do kept=${kept}x; done
	mv "$nodes" "$kept"
}

# mend keeps the whole lines of a nodes.conf that was cut off behind the
# server's own, and puts replicas into the shard of their primary. read did not
# see zeros.
mend() {
	tr -d '\000' <"$nodes" | head -c "$whole" | sed "$astray" >"$nodes.mended" &&
		aside damaged && mv "$nodes.mended" "$nodes"
}

# draw prints 40 random hexadecimal digits.
draw() { cat /proc/sys/kernel/random/uuid /proc/sys/kernel/random/uuid | tr -d '\n-' | head -c 40; }

# renew makes a nodes.conf with a new ID, of a replica of nobody. It needs a
# shard, or the server would be missing in its own answer to CLUSTER SHARDS.
renew() {
	id=$(draw)
	shard=$(draw)
	is_id "$id" && is_id "$shard" || return 1
	role=slave of=$nobody
	{
		echo "$id :0@0,,tls-port=0,shard-id=$shard myself,slave $nobody 0 0 0 connected"
		echo "$nobody :0@0,,tls-port=0,shard-id=$shard master,noaddr - 0 0 0 disconnected"
		echo "vars currentEpoch 0 lastVoteEpoch 0"
	} >"$nodes.renewed" && mv "$nodes.renewed" "$nodes"
}

# identify makes sure that the server can start from nodes.conf and that the ID
# in it is its own. It sets lost to why it has a new one, and mended if some of
# what it knew is gone. A file that cannot even be read is left to the server,
# which says so; nothing is lost with it.
identify() {
	lost= mended=
	if [ -n "$other" ]; then
		lost="this volume was written by node $other, and this is node $this"
		[ ! -e "$nodes" ] || aside foreign || return 1
	elif [ ! -s "$nodes" ]; then
		if [ -f "$owner" ]; then
			lost="nodes.conf is empty or missing"
		elif [ -e "$nodes" ] && [ -n "$(contents)" ]; then
			lost="nodes.conf is empty"
		fi
	elif [ -f "$nodes" ] && [ -r "$nodes" ]; then
		examine || return 1
	fi
	[ -z "$lost" ] || renew
}

examine() {
	if [ -n "$bad" ] || [ -z "$role" ]; then
		lost="nodes.conf is damaged"
		aside damaged
	elif [ "$whole" -ne "$(stat -c %s "$nodes")" ] || [ -n "$astray" ]; then
		mended=yes
		mend
	elif [ "$last" != vars ]; then
		mended=yes
	fi
}

# own waits until the server has an ID, and notes that the volume is this
# node's.
own() {
	while [ ! -s "$nodes" ]; do
		sleep 0.2
		kill -0 $$ 2>/dev/null || return 0
	done
	echo "$this" >"$owner.new" && mv "$owner.new" "$owner"
}

# led reports whether the server was a primary with replicas when it ended:
# nodes.conf has lines of "id address flags primary …".
led() {
	[ -s "$data/nodes.conf" ] || return 1
	me=
	while read -r id _ flags _; do
		case ,$flags, in
		*,myself,*,master,* | *,myself,master,*) me=$id ;;
		esac
	done <"$data/nodes.conf"
	[ -n "$me" ] || return 1
	while read -r _ _ flags primary _; do
		case ,$flags, in *,fail,*) continue ;; esac
		[ "$primary" != "$me" ] || return 0
	done <"$data/nodes.conf"
	return 1
}

# election sets seconds to how long replicas may need to notice that their
# primary is gone, to vote and to take over. The slowest version needed 4.2 s at
# a node timeout of 2 s; if its first vote fails it asks again after four node
# timeouts.
election() {
	directive cluster-node-timeout 15000
	seconds=$((found * 5 / 1000 + 4))
}

# files sets appendonly to whether the server writes an append-only file, and
# dump to the file that it loads otherwise.
files() {
	directive appendonly no
	appendonly=$found
	directive dbfilename dump.rdb
	dump=$data/$found
}

# hands_over reports whether the server is to hand its slots over when it is told
# to stop: whoever made the pod wants that, the configuration says nothing else,
# and it is of a version that starts with such a setting.
hands_over() {
	[ -n "${VALKEY_STOP_FAILOVER-}" ] && [ -z "$on_sigterm" ] || return 1
	case $(valkey-server --version) in
	*" v=8."* | *" v=9.0."*) return 1 ;;
	esac
}

stopping=
child=
stop() {
	stopping=yes
	before=$(contents)
	[ -z "$child" ] || kill -TERM "$child" 2>/dev/null
}
trap stop TERM INT

# run COMMAND...: its exit status. A signal to this script ends wait too; the
# child is then still there.
run() {
	"$@" &
	child=$!
	[ -z "$stopping" ] || kill -TERM "$child"
	while :; do
		wait "$child"
		status=$?
		kill -0 "$child" 2>/dev/null || break
	done
	child=
	return $status
}

# saved reports whether the data on disk is what the server had at its end: it
# was told to stop, ended well, and wrote its data after that.
saved() {
	[ -n "$stopping" ] && [ "$1" -eq 0 ] || return 1
	[ "$(contents)" != "$before" ] || [ "$appendonly" = yes ]
}

# in_place reports whether the last server on this volume ran in this very pod.
# Then it has ended with its container. Of a server in another pod that is not
# known: a machine that is cut off goes on running what it runs.
in_place() {
	[ -n "${VALKEY_POD_UID-}" ] && [ -r "$last_pod" ] || return 1
	read -r uid <"$last_pod" || return 1
	[ "$uid" = "$VALKEY_POD_UID" ]
}

# now prints seconds that no setting of a clock changes.
now() { cut -d. -f1 /proc/uptime; }

# succeeded HELD LEFT reports whether another server has taken over, by the word
# of the script that whoever made the pod knows how to ask. It is told for how
# long the start is held back, and whether this server is known to have ended.
succeeded() {
	[ -n "${VALKEY_SUCCESSION-}" ] && run /bin/sh "$VALKEY_SUCCESSION" "$1" "$2" $ended
}

# hold keeps the server away until another one has taken over, or the time for
# that is up.
hold() {
	begin=$(now) held=0
	while ! succeeded "$held" $((seconds - held)); do
		[ "$held" -lt "$seconds" ] || return
		[ -n "$stopping" ] || run sleep 1
		[ -z "$stopping" ] || exit 0
		held=$(($(now) - begin))
		[ "$held" -le "$seconds" ] || held=$seconds
	done
	[ -z "$stopping" ] || exit 0
}

# unloadable STATUS: whether the server ended by itself because of its data,
# which its own tool finds to be damaged. It sets damage to what the tool says;
# keys, of which the tool says more, are nobody's business.
unloadable() {
	[ "$1" -eq 1 ] && [ -z "$stopping" ] && [ "$appendonly" != yes ] && [ -f "$dump" ] || return 1
	damage=$(timeout 60 valkey-check-rdb "$dump" 2>&1) && return 1
	case $damage in *"RDB ERROR DETECTED ---"*) ;; *) return 1 ;; esac
	damage=${damage#*"RDB ERROR DETECTED ---$newline"}
	damage=${damage%%"$newline"*}
}

# Exit code of a server that cannot load its data; the operator knows it.
unloadable_code=65

# Whatever reads comes before the first child; see directive.
election
files
directive shutdown-on-sigterm ""
on_sigterm=$found
whose
inspect
led && leader=yes || leader=
in_place && ended=ended || ended=
if ! identify; then
	say "the volume cannot be written, which is needed because ${lost:-nodes.conf is damaged}"
	exit 1
fi
[ -z "$mended" ] || [ "$role" != master ] || leader=yes # its replicas' lines may be gone
if [ -n "$lost" ]; then
	say "$lost; the server starts under a new ID, with the data that is there, in ${seconds}s: until then its replicas, if it had any, can replace it"
	hold
elif ! clean_shutdown && [ -n "$leader" ]; then
	say "this server was a primary and was not shut down cleanly; its replicas have ${seconds}s to replace it"
	hold
fi

[ -z "${VALKEY_POD_UID-}" ] || echo "$VALKEY_POD_UID" >"$last_pod"
own &
! hands_over || set -- --shutdown-on-sigterm failover "$@"
run valkey-server "$etc/valkey.conf" "$@"
result=$?
if saved $result; then
	contents >"$marker"
	sync "$data" 2>/dev/null || sync
elif unloadable $result; then
	if [ "$role" = slave ] && [ "$of" != $nobody ]; then
		mv "$dump" "$dump.damaged"
		say "${dump##*/} is damaged ($damage); it is put aside, because a replica gets its data from its primary"
	else
		say "${dump##*/} cannot be loaded: $damage"
		result=$unloadable_code
	fi
fi
exit $result
