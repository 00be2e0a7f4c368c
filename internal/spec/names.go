package spec

// The names of the objects that belong to a cluster as a whole. Each is unique
// for its kind in a namespace; where the name of another cluster could lead to
// the same one, the second cluster reports the conflict and touches nothing.

// HeadlessService returns the name of the Service that gives the pods their
// DNS names.
func (c Cluster) HeadlessService() string { return "valkey-" + c.Name }

// ClientService returns the name of the Service that clients connect to.
func (c Cluster) ClientService() string { return "valkey-" + c.Name + "-client" }

// ReadService returns the name of the Service for clients that only read.
func (c Cluster) ReadService() string { return "valkey-" + c.Name + "-read" }

// DisruptionBudget returns the name of the PodDisruptionBudget.
func (c Cluster) DisruptionBudget() string { return "valkey-" + c.Name }

// ServiceAccount returns the name of the account that the pods run as.
func (c Cluster) ServiceAccount() string { return "valkey-" + c.Name }

// ScriptsConfigMap returns the name of the ConfigMap that holds the probes and
// the hand-over before a stop.
func (c Cluster) ScriptsConfigMap() string { return "valkey-" + c.Name + "-scripts" }

// AuthSecret returns the name of the connection Secret for applications.
func (c Cluster) AuthSecret() string { return c.Name + "-auth" }

// SystemPasswordsSecret returns the name of the Secret that holds the
// passwords of the system users.
func (c Cluster) SystemPasswordsSecret() string { return "internal-" + c.Name + "-system-passwords" }

// ACLSecret returns the name of the Secret that holds the ACL file.
func (c Cluster) ACLSecret() string { return "internal-" + c.Name + "-acl" }
