package podsim

import "time"

// request is what a test asks of the process, one JSON value on its input; the
// first is a [connection].
type request struct {
	// Cluster and Fault have the fault happen to a cluster; empty asks for
	// counts alone.
	Cluster string
	Fault   Fault
}

// connection is how the process reaches the API server.
type connection struct {
	Host          string
	CA, Cert, Key []byte
}

// Fault is something that happens to a whole cluster. Its servers go on among
// themselves: it is the operator that has trouble with them.
type Fault string

// The faults.
const (
	// Healthy ends the others, except that what is not ready stays so until
	// the next look.
	Healthy Fault = "healthy"
	// Hang: the servers take connections and commands and never answer.
	Hang Fault = "hang"
	// Slow: every answer takes [SlowAnswer].
	Slow Fault = "slow"
	// Locked: every password is wrong, for new connections and old ones.
	Locked Fault = "locked"
	// Full: no new connections; those that are there go on.
	Full Fault = "full"
	// Unready: the pods are not ready.
	Unready Fault = "unready"
)

// SlowAnswer is how long a slow server takes for each batch of commands.
const SlowAnswer = 1200 * time.Millisecond

// Counts are what servers have seen since they were started.
type Counts struct {
	// Clusters are by "namespace/name".
	Clusters map[string]ClusterCounts
	// Commands are all of them, by name.
	Commands map[string]int
}

// ClusterCounts are the counts of one cluster.
type ClusterCounts struct {
	// Servers have the number of commands for each of its servers, by the name
	// of the pod.
	Servers map[string]int
	// Passes are how many times any of its servers was asked for its view.
	Passes int
	// GivenUp are the commands that a client gave up waiting for.
	GivenUp int
	// Connections that are open now.
	Connections int
}
