package vkcluster

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// Names of the ports of containers and Services.
const (
	portClient = "client"
	portBus    = "bus"
)

// HeadlessService returns the Service that gives each pod its DNS name, from
// before it is ready: members find each other by it while they form.
func HeadlessService(c spec.Cluster) *coreac.ServiceApplyConfiguration {
	s := service(c, c.HeadlessService(), port(portClient, v1alpha1.PortClient), port(portBus, v1alpha1.PortBus))
	s.Spec.WithClusterIP(corev1.ClusterIPNone).WithPublishNotReadyAddresses(true)
	return s
}

// ClientService returns the Service that a cluster-aware client is given as
// its first address. Any ready member will do there: the client asks it for
// the slots and connects to their owners by itself from then on.
func ClientService(c spec.Cluster) *coreac.ServiceApplyConfiguration {
	return service(c, c.ClientService(), port(portClient, v1alpha1.PortClient))
}

// ReadService returns the Service for clients that only read. It leads to the
// same ready members as the client Service, because roles move without any
// label of a pod changing; such a client sends READONLY on each connection, is
// redirected to the shard of each key, and reads from the replicas there. The
// name is a place to hang other routing on, such as a preference for the own
// zone.
func ReadService(c spec.Cluster) *coreac.ServiceApplyConfiguration {
	return service(c, c.ReadService(), port(portClient, v1alpha1.PortClient))
}

func service(c spec.Cluster, name string, ports ...*coreac.ServicePortApplyConfiguration) *coreac.ServiceApplyConfiguration {
	return coreac.Service(name, c.Namespace).
		WithLabels(c.Labels()).
		WithOwnerReferences(owner(c)).
		WithSpec(coreac.ServiceSpec().
			WithSelector(c.Selector()).
			WithPorts(ports...))
}

func port(name string, number int32) *coreac.ServicePortApplyConfiguration {
	return coreac.ServicePort().
		WithName(name).
		WithPort(number).
		WithTargetPort(intstr.FromString(name)).
		WithProtocol(corev1.ProtocolTCP)
}
