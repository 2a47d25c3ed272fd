// SPDX-License-Identifier: Apache-2.0

// Command client-go drives a server with the stock k8s.io/client-go over HTTPS: typed client with protobuf, server-side apply, informers
// over a restart, paging, watches, discovery, metadata and dynamic clients. It prints JSON lines (report.go); exit code 1: a check failed.
// It prints {"ask":"restart"} and waits for "done" on stdin: the parent kills the server (for "drain": ends it with SIGTERM) and starts it
// on the same port and data. For "backup" it makes a backup of the running server, and for "restore" it starts the server from that.
package main

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// wire remembers the media types that came back, so that a silent fall-back to JSON is seen.
type wire struct {
	mu    sync.Mutex
	types map[string]int
}

// listener notes each answer of one transport.
type listener struct {
	wire *wire
	next http.RoundTripper
}

func (l listener) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err == nil {
		l.wire.mu.Lock()
		l.wire.types[response.Header.Get("Content-Type")+" "+response.Proto]++
		l.wire.mu.Unlock()
	}
	return response, err
}

func (w *wire) seen() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.types)
}

// others are the media types, but protobuf, of the answers that came after a moment.
func (w *wire) others(before map[string]int) []string {
	out := []string{}
	for kind, count := range w.seen() {
		if count > before[kind] && !strings.HasPrefix(kind, protobuf) {
			out = append(out, kind)
		}
	}
	return out
}

// suite is what the checks share.
type suite struct {
	*report
	config *rest.Config
	client kubernetes.Interface
	wire   *wire
	ns     string
}

func main() {
	server := flag.String("server", "", "https URL of the server")
	ca := flag.String("ca", "", "file of the certificate authority")
	token := flag.String("token", "", "bearer token")
	other := flag.String("other-token", "", "bearer token of a user without rights")
	flag.Parse()

	seen := &wire{types: map[string]int{}}
	config := &rest.Config{
		Host:            *server,
		BearerToken:     *token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: *ca},
		ContentConfig:   rest.ContentConfig{ContentType: protobuf, AcceptContentTypes: protobuf + ",application/json"},
		QPS:             -1,
		WrapTransport: func(next http.RoundTripper) http.RoundTripper {
			return listener{wire: seen, next: next}
		},
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	s := &suite{report: newReport(), config: config, client: client, wire: seen, ns: "client-go"}
	s.crud()
	s.patches()
	s.apply()
	s.reading()
	s.others(*other)
	s.restart()
	if s.failed > 0 {
		os.Exit(1)
	}
}
