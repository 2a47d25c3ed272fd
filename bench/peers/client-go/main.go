// SPDX-License-Identifier: Apache-2.0

// Command client-go drives a server with the stock k8s.io/client-go 0.37 and sigs.k8s.io/controller-runtime 0.25, as controllers use them:
// informers that stream their lists, leader election over Leases, recorders of Events, managers. It prints JSON lines (report.go); exit
// code 1: a check failed. It prints {"ask":"restart"} and waits for "done" on stdin: the parent kills the server and starts it on the same
// port and data.
//
// With -assets it measures instead how long a server for tests takes to start: Palisade, and what envtest of controller-runtime starts.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// wire remembers which reads were sent, and what they were answered with.
type wire struct {
	mu    sync.Mutex
	reads []string
}

type listener struct {
	wire *wire
	next http.RoundTripper
}

func (l listener) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err == nil && request.Method == http.MethodGet {
		l.wire.mu.Lock()
		l.wire.reads = append(l.wire.reads, fmt.Sprintf("%s?%s %d %s", request.URL.Path, request.URL.RawQuery, response.StatusCode, response.Header.Get("Content-Type")))
		l.wire.mu.Unlock()
	}
	return response, err
}

// of are the reads of the lists of one resource.
func (w *wire) of(resource string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := []string{}
	for _, read := range w.reads {
		if strings.Contains(read, "/"+resource+"?") {
			out = append(out, read)
		}
	}
	return out
}

// suite is what the checks share.
type suite struct {
	*report
	config  *rest.Config
	client  kubernetes.Interface
	dynamic dynamic.Interface
	wire    *wire
}

// namespace makes one for a group of checks.
func (s *suite) namespace(ctx context.Context, name string) error {
	_, err := s.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

func main() {
	server := flag.String("server", "", "https URL of the server")
	ca := flag.String("ca", "", "file of the certificate authority")
	token := flag.String("token", "", "bearer token")
	program := flag.String("palisade", "", "with -assets: the command palisade")
	assets := flag.String("assets", "", "folder with etcd and kube-apiserver")
	rounds := flag.Int("rounds", 5, "with -assets: how often each is started")
	flag.Parse()
	if *assets != "" {
		if err := measureStarts(*program, *assets, *rounds); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}

	seen := &wire{}
	plain := &rest.Config{
		Host:            *server,
		BearerToken:     *token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: *ca},
		QPS:             -1,
	}
	config := rest.CopyConfig(plain)
	config.ContentConfig = rest.ContentConfig{ContentType: protobuf, AcceptContentTypes: protobuf + ",application/json"}
	config.WrapTransport = func(next http.RoundTripper) http.RoundTripper { return listener{wire: seen, next: next} }
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	untyped, err := dynamic.NewForConfig(plain)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	s := &suite{report: newReport(), config: plain, client: client, dynamic: untyped, wire: seen}
	s.informers()
	s.elections()
	s.events()
	s.managers()
	if s.failed > 0 {
		os.Exit(1)
	}
}
