#!/bin/sh
# succession.sh HELD LEFT [ended] runs each second while the start of a primary
# that was killed is held back: for HELD seconds so far, with LEFT seconds to go.
# It succeeds once a replica has taken over, so that nothing need be waited for.
# With "ended" it also sees to that: it tells the best replica to take over.
#
# Why it may (N11): "ended" is the word of the start script that the server which
# ran last on this volume ran in this very pod. Its container has ended, or this
# one would not be here, and no other is started before this script is done. So
# the one server that could still serve the shard does not, whatever network or
# clock do. Whoever cannot say "ended" only looks on.
#
# Why there is no second owner: where the other primaries may vote they are asked
# to (FORCE), as a replica asks by itself some seconds later. Without a vote (TAKEOVER) only where
# none can be under way: with one or two shards nobody else is ever a majority;
# with more, so many of the others are down that the rest is none. "Down" is that
# their addresses refuse connections. Silence counts for alive: they may all be
# on the other side of a cut, and elect somebody there.
#
# Why no write is lost that a replica has confirmed: of the replicas that answer
# the one that has got furthest inherits, and only if their offsets count in one
# history. One that does not answer may have got further, or may lead already, so
# it is waited for until the time is up. Then the choice is between a replica and
# this server's older data, and the replica wins.
set -uf

held=$1 left=$2 ended=${3-}
last=2 # with so many seconds left the time is up: what is tried may need a second time
here=${0%/*}
conf=${VALKEY_DATA:-/data}/nodes.conf
export VALKEY_LOGIN=_pod

say() { echo "succession: $*"; }

# ask ADDRESS COMMAND...: the answer of a server.
ask() {
	address=$1
	shift
	timeout 2 "$here/bin/valkey-cli" -h "${address%:*}" -p "${address##*:}" "$@" 2>&1
}

# plain ADDRESS sets address to what can be connected to.
plain() {
	address=${1%%,*}
	address=${address%@*}
}

# field NAME sets value to that of a field of $state, an answer to INFO.
field() {
	value=${state#*"$1:"}
	[ "$value" != "$state" ] || value=
	value=${value%%[!0-9a-z]*}
}

# look reads $view, an answer to CLUSTER NODES: its is the ID of the server that
# gave it, source that of its primary ("-" on a primary), serves is set if it
# owns slots, and mine if this pod's server does. owners counts the primaries
# with slots, and lost has the addresses of those that do not answer it.
look() {
	its= source= serves= mine= owners=0 lost=
	IFS='
'
	for line in $view; do
		unset IFS
		set -- $line
		case ,${3-}, in *,myself,*) its=$1 source=${4-} serves=${9-} ;; esac
		case ,${3-},,${9-} in *,master,*,[0-9]*) owners=$((owners + 1)) ;; *) continue ;; esac
		[ "$1" != "$me" ] || { mine=yes && continue; }
		plain "$2"
		case ,$3, in *,fail,* | *,fail\?,*) lost="$lost $address" ;; esac
	done
	unset IFS
}

# survey asks all replicas. leader is the address of the one that has taken over;
# behind is set while another one has not heard of that; silent, if one does not
# answer; unsure, if one says what does not fit an end of this server; heir is
# the best of those that wait, as far as they can be compared.
survey() {
	leader= behind= silent= unsure= heir= best=-1 history=
	for replica in $replicas; do
		at=${replica#*=}
		view=$(ask "$at" CLUSTER NODES)
		look
		if [ "$its" != "${replica%%=*}" ]; then # also when somebody else has its address
			silent=yes
		elif [ "$source" = "$me" ]; then
			behind=yes
			weigh
		elif [ "$source" = - ] && [ -n "$serves" ] && [ -z "$mine" ]; then
			leader=$at
		else
			unsure=yes # it has another primary, perhaps the next one, or was reset
		fi
	done
}

# weigh makes the replica at $at the heir if it has more than the others.
weigh() {
	state=$(ask "$at" INFO replication)
	case $state in
	*role:slave*master_link_status:down*) ;;
	*) unsure=yes && return ;; # a server of this ID serves it, or so it thinks
	esac
	field master_sync_in_progress
	[ "$value" = 0 ] || return # its data is half of something
	field slave_repl_offset
	offset=${value:-1}
	[ "$offset" != 1 ] || return # it waits for its first copy
	case $offset,$state in 0,*master_link_down_since_seconds:-*) return ;; esac # the same before its first link
	field master_replid
	[ "${history:=$value}" = "$value" ] || unsure=yes # offsets of two histories compare nothing
	[ "$offset" -gt "$best" ] || return
	best=$offset heir=$at
	[ "$owners" -le "$voters" ] || voters=$owners
	down=$lost
}

# nobody_votes reports whether too few primaries are left for any election. It
# gives up after a few that are silent, so as not to hold the start for minutes.
nobody_votes() {
	[ "$voters" -gt 2 ] || return 0
	[ "$left" -le "$last" ] || return 1
	able=$((voters - 1)) tries=3
	for voter in $down; do
		case $(ask "$voter" PING) in
		*"Connection refused"*) able=$((able - 1)) ;;
		*) tries=$((tries - 1)) ;;
		esac
		[ "$able" -gt $((voters / 2)) ] || return 0
		[ "$tries" -gt 0 ] || return 1
	done
	return 1
}

succeeded() { [ -n "$leader" ] && [ -z "$behind" ]; }

# Everything is read before the first child: BusyBox 1.37 was seen to spin in
# read after the end of one that nobody waited for.
me= voters=0 down=
while read -r id _ flags _ _ _ _ _ slots; do
	case ,$flags, in *,myself,*) me=$id ;; esac
	case ,$flags,,$slots in *,master,*,[0-9]*) voters=$((voters + 1)) ;; esac
done <"$conf"
replicas=
while read -r id address flags primary _; do
	case $primary,$flags, in "$me",*) ;; *) continue ;; esac
	case ,$flags, in *,noaddr,*) continue ;; esac
	plain "$address"
	replicas="$replicas $id=$address"
done <"$conf"
[ -n "$me" ] && [ -n "$replicas" ] || exit 1
# Of equals the one with the lowest ID inherits. So the operator decides too, if
# it comes at the same moment.
replicas=$(printf '%s\n' $replicas | sort)

survey
if ! succeeded; then
	[ "$ended" = ended ] && [ -n "$heir" ] && [ -z "$leader$unsure" ] || exit 1
	[ -z "$silent" ] || [ "$left" -le "$last" ] || exit 1
	if nobody_votes; then
		order=TAKEOVER how="without a vote, for too few primaries are left"
	elif [ "$held" -le 1 ] || [ "$left" -le "$last" ]; then
		order=FORCE how="by a vote of the other primaries"
	else
		exit 1 # to ask again would disturb the election
	fi
	say "$heir takes over $how"
	answer=$(ask "$heir" CLUSTER FAILOVER $order)
	[ "$answer" = OK ] || say "it does not: ${answer:-no answer}"
	for attempt in 1 2 3; do
		survey
		! succeeded || break
		sleep 0.2
	done
fi
succeeded || exit 1
say "$leader has taken over"
