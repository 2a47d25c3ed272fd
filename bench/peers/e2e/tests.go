// SPDX-License-Identifier: Apache-2.0
// Upstream's own end-to-end tests: the import makes this module know what they need; `go test -c` builds the package itself.
package e2e

import _ "k8s.io/kubernetes/test/e2e"
