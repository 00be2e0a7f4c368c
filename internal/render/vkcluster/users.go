package vkcluster

// The users of every cluster. Names that begin with an underscore are the
// operator's own, and no user of the resource may have one.
const (
	userDefault     = "default"
	userExporter    = "_exporter"
	userOperator    = "_operator"
	userPod         = "_pod"
	userReplication = "_replication"
)

// systemUsers are the operator's own users, in the order of the ACL file.
var systemUsers = []string{userExporter, userOperator, userPod, userReplication}

// rules says what each user may do, in the words of an ACL file. All of it is
// understood by every supported version, because a server does not start with
// an ACL file that it does not understand in full.
var rules = map[string]string{
	// The user that applications and people log in as while the resource names
	// no other.
	userDefault: "~* &* +@all",

	userExporter: "resetchannels -@all +ping +info +dbsize +command +config|get +client|list +client|setname" +
		" +slowlog|get +slowlog|len +latency|latest +latency|histogram" +
		" +cluster|info +cluster|nodes +cluster|slots +cluster|shards",

	// No keys. Of ACL only what reads and reloads the file: the file itself can
	// be changed through Kubernetes alone.
	userOperator: "resetchannels -@all +ping +info +role +dbsize +wait +multi +exec +cluster +config|get +config|set" +
		" +acl|load +acl|list +acl|whoami +client|list +client|kill +client|setname +command|info",

	// Probes, the hand-over before a stop, and the succession before a start.
	userPod: "resetchannels -@all +ping +info +cluster|nodes +cluster|failover",

	// What a replica sends to its primary: SYNC too when it uses two channels.
	//
	// On 9.x the source of a slot migration logs in at the target as this user
	// too, sends CLUSTER SYNCSLOTS, and then writes the keys there with plain
	// commands, in transactions where its clients use them. (Measured on 9.1:
	// each of SELECT, the writes and their keys is refused without the rule.)
	//
	// A rule that names SYNCSLOTS is an error on 8.x, so it is reached the
	// other way round: all of CLUSTER, less what 8.0 can do to a cluster with
	// it. Besides SYNCSLOTS this leaves the queries, and on 9.x the other
	// commands for slot migration. Reading everything is what
	// this user is for; that it may write on 8.x too is the price of one rule.
	userReplication: "~* resetchannels -@all +ping +psync +sync +replconf" +
		" +select +multi +exec +@write -flushall -flushdb -swapdb -migrate -function +cluster" +
		" -cluster|addslots -cluster|addslotsrange -cluster|bumpepoch -cluster|countkeysinslot" +
		" -cluster|delslots -cluster|delslotsrange -cluster|failover -cluster|flushslots -cluster|forget" +
		" -cluster|getkeysinslot -cluster|meet -cluster|replicate -cluster|reset -cluster|saveconfig" +
		" -cluster|set-config-epoch -cluster|setslot",
}
