// Command localprovisioner gives every claim of a testbed storage class a
// folder of one node, as a local PersistentVolume, and lets claims grow.
package main

import (
	"context"
	"flag"
	"log"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// provisionerName is what the storage classes name as their provisioner.
const provisionerName = "testbed/local"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file")
	dir := flag.String("dir", "", "folder below which the volumes are made")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	// Twenty claims made at once are served at once.
	config.QPS, config.Burst = 300, 500
	client := kubernetes.NewForConfigOrDie(config)
	ctx := context.Background()
	go newGrower(client).run(ctx)
	folders := folders{dir: *dir, client: client}
	controller.NewProvisionController(ctx, client, provisionerName, folders,
		controller.LeaderElection(false), controller.Threadiness(20)).Run(ctx)
}
