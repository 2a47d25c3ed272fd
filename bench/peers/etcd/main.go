// SPDX-License-Identifier: Apache-2.0
// The reference program of the bench, built from its own Go module as it is.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
