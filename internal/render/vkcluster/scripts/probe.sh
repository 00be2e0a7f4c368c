#!/bin/sh
# probe.sh readiness | liveness
#
# readiness: the server can be used. It has loaded its data, and as a replica
# it is connected to its primary and has the primary's data.
#
# liveness: the server answers, whatever it answers. One that is loading, busy
# or refuses the login is alive; restarting it would only lose its data.
set -u

here=${0%/*}
export VALKEY_LOGIN=_pod

# ask SECONDS COMMAND... sets answer to what the server, or else valkey-cli,
# says. A hung server must not leave more and more processes behind, hence the
# limit; the tools of different images report differently that it was reached.
ask() {
	limit=$1
	shift
	answer=$(timeout "$limit" "$here/bin/valkey-cli" -h "${VALKEY_HOST:-127.0.0.1}" "$@" 2>&1)
	case $? in 124 | 143) answer="no answer within $limit s" ;; esac
	[ -n "$answer" ] || answer="the server ended the connection without an answer"
}

no() {
	echo "$1"
	exit 1
}

# readiness looks again for most of a second before it says no to a server that
# starts: the next probe is a second away.
readiness() {
	for again in yes yes yes yes yes yes no; do
		ask 2 INFO replication persistence
		case $answer in
		*loading:1*) why="loading its data" ;;
		*role:slave*master_link_status:up*) return ;;
		*role:slave*) why="not connected to its primary" ;;
		*role:master*) return ;;
		*"Could not connect"*) why=$answer ;;
		*) why=$answer again=no ;;
		esac
		[ "$again" = yes ] || no "$why"
		sleep 0.1
	done
}

liveness() {
	ask 4 PING
	case $answer in
	*PONG* | *LOADING* | *BUSY* | *MASTERDOWN* | *MISCONF*) ;;
	*NOAUTH* | *WRONGPASS* | *NOPERM* | *"ERR "*) ;; # also too many clients
	*) no "$answer" ;;
	esac
}

case ${1-} in
readiness | liveness) "$1" ;;
*) no "usage: probe.sh readiness | liveness" ;;
esac
