// One binary that is etcd, kube-apiserver or kube-controller-manager, by the name it is started under.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(run(controllermanager.NewControllerManagerCommand()))
	default:
		fmt.Fprintf(os.Stderr, "started as %q: link this binary as etcd, kube-apiserver or kube-controller-manager\n", name)
		os.Exit(2)
	}
}

func run(command *cobra.Command) int { return cli.Run(command) }
