#!/bin/sh
# Starts the server with the configuration that the operator wrote, and keeps
# one that may have lost writes from being a primary again. Arguments of the
# container are options of the server and win over the file.
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

# appends sets appendonly to whether the server writes an append-only file.
appends() {
	directive appendonly no
	appendonly=$found
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

# hold waits until another server has taken over, or the time for that is up.
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

# saved reports whether the data on disk is what the server had at its end: it
# was told to stop, ended well, and wrote its data after that.
saved() {
	[ -n "$stopping" ] && [ "$1" -eq 0 ] || return 1
	[ "$(contents)" != "$before" ] || [ "$appendonly" = yes ]
}

election
appends
led && leader=yes || leader=
in_place && ended=ended || ended=
if ! clean_shutdown && [ -n "$leader" ]; then
	say "this server was a primary and was not shut down cleanly; its replicas have ${seconds}s to replace it"
	hold
fi

[ -z "${VALKEY_POD_UID-}" ] || echo "$VALKEY_POD_UID" >"$last_pod"
run valkey-server "$etc/valkey.conf" "$@"
result=$?
if saved $result; then
	contents >"$marker"
	sync "$data" 2>/dev/null || sync
fi
exit $result
