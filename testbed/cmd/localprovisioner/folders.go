package main

import (
	"context"
	"os"
	"path/filepath"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// A class whose parameter size is "limited" gets volumes of exactly the size
// that is asked for; others have the room of the machine's disk.
const (
	sizeParameter = "size"
	sizeLimited   = "limited"
)

// annProvisionedBy is set by the provisioning library.
const annProvisionedBy = "pv.kubernetes.io/provisioned-by"

// annSize carries the class's parameter over to the volume.
const annSize = "testbed/size"

// folders makes and removes the folders that serve as volumes. All nodes of a
// testbed see the same file system; the node affinity of a volume is what ties
// it to one of them, as a disk would.
type folders struct {
	dir    string
	client kubernetes.Interface
}

// Provision makes the folder of one claim and returns the volume that shows it.
func (f folders) Provision(ctx context.Context, o controller.ProvisionOptions) (*v1.PersistentVolume, controller.ProvisioningState, error) {
	node := o.SelectedNodeName
	if node == "" {
		var err error
		if node, err = f.pickNode(ctx); err != nil {
			return nil, controller.ProvisioningFinished, err
		}
	}
	path := filepath.Join(f.dir, o.PVC.Namespace+"_"+o.PVC.Name+"_"+o.PVName)
	if err := makeFolder(path); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	if o.StorageClass.Parameters[sizeParameter] == sizeLimited {
		size := o.PVC.Spec.Resources.Requests[v1.ResourceStorage]
		if err := mountLimited(path, size.Value()); err != nil {
			return nil, controller.ProvisioningFinished, err
		}
	}
	return localVolume(o, path, node), controller.ProvisioningFinished, nil
}

// Delete removes the folder of a volume, with what is in it.
func (f folders) Delete(_ context.Context, pv *v1.PersistentVolume) error {
	if err := unmountLimited(pv.Spec.Local.Path); err != nil {
		return err
	}
	return os.RemoveAll(pv.Spec.Local.Path)
}

// makeFolder makes a folder that any user may write to: not every pod asks for
// an fsGroup, and the mode must not depend on the umask.
func makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	return os.Chmod(path, 0o777)
}

func localVolume(o controller.ProvisionOptions, path, node string) *v1.PersistentVolume {
	onNode := v1.NodeSelectorRequirement{
		Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{node},
	}
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        o.PVName,
			Annotations: map[string]string{annSize: o.StorageClass.Parameters[sizeParameter]},
		},
		Spec: v1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *o.StorageClass.ReclaimPolicy,
			AccessModes:                   o.PVC.Spec.AccessModes,
			VolumeMode:                    o.PVC.Spec.VolumeMode,
			Capacity:                      v1.ResourceList{v1.ResourceStorage: o.PVC.Spec.Resources.Requests[v1.ResourceStorage]},
			PersistentVolumeSource:        v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: path}},
			NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{onNode}}},
			}},
		},
	}
}

// limited tells whether a volume has a size of its own.
func limited(pv *v1.PersistentVolume) bool { return pv.Annotations[annSize] == sizeLimited }
