// SPDX-License-Identifier: Apache-2.0
// kubectl, built from its own Go module as cmd/kubectl of k8s.io/kubernetes builds it.
package main

import (
	"os"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // the authentication plugins that kubectl ships
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	// Ref: kubernetes v1.37 cmd/kubectl/kubectl.go.
	logs.GlogSetter(cmd.GetLogVerbosity(os.Args)) //nolint:errcheck
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
