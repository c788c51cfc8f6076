// One binary that is etcd, a server of the control plane or a program of a node, by the name it is started under.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(run(controllermanager.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(run(scheduler.NewSchedulerCommand()))
	case "kube-proxy":
		os.Exit(run(proxy.NewProxyCommand()))
	case "kubelet":
		os.Exit(run(kubelet.NewKubeletCommand(context.Background())))
	default:
		fmt.Fprintf(os.Stderr, "started as %q: link this binary under the name of a server\n", name)
		os.Exit(2)
	}
}

func run(command *cobra.Command) int { return cli.Run(command) }
