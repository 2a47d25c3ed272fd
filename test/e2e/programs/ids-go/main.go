// SPDX-License-Identifier: Apache-2.0

// Command ids-go drives a server with the stock cloud.google.com/go/ids, the same checks over REST and over gRPC. It prints JSON lines,
// {"check": "rest/NAME" or "grpc/NAME", "ok": bool, "detail": what went wrong}; exit code 1: a check failed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	ids "cloud.google.com/go/ids/apiv1"
	longrunning "cloud.google.com/go/longrunning/autogen"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Bound on one check; a create takes a few seconds.
const patience = 60 * time.Second

// suite runs the checks over one transport.
type suite struct {
	transport string
	client    *ids.Client
	parent    string
	failed    int
	// google.longrunning over the same transport.
	operationsClient *longrunning.OperationsClient
	// Whose operations are listed: google.longrunning over REST takes the collection's path, over gRPC its parent.
	operationsOf string
}

func (s *suite) check(name string, body func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out := map[string]any{"check": s.transport + "/" + name, "ok": true}
	if err := body(ctx); err != nil {
		out["ok"], out["detail"] = false, err.Error()
		s.failed++
	}
	_ = json.NewEncoder(os.Stdout).Encode(out)
}

// equal is nil when both sides have the same JSON.
func equal(what string, got, want any) error {
	g, errG := json.Marshal(got)
	w, errW := json.Marshal(want)
	if err := errors.Join(errG, errW); err != nil {
		return err
	}
	if string(g) != string(w) {
		return fmt.Errorf("%s: got %s, want %s", what, g, w)
	}
	return nil
}

// connect makes the clients of one transport, without credentials.
func connect(ctx context.Context, transport, rest, grpcAddress string) (*suite, error) {
	s := &suite{transport: transport, parent: "projects/p-" + transport + "/locations/us-central1-a"}
	var wrong error
	if transport == "grpc" {
		plain := option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials()))
		s.client, wrong = ids.NewClient(ctx, option.WithEndpoint(grpcAddress), option.WithoutAuthentication(), plain)
		if wrong == nil {
			s.operationsClient, s.operationsOf = s.client.LROClient, s.parent
		}
		return s, wrong
	}
	if s.client, wrong = ids.NewRESTClient(ctx, option.WithEndpoint(rest), option.WithoutAuthentication()); wrong != nil {
		return nil, wrong
	}
	s.operationsOf = s.parent + "/operations"
	s.operationsClient, wrong = longrunning.NewOperationsRESTClient(ctx, option.WithEndpoint(rest), option.WithoutAuthentication())
	return s, wrong
}

func main() {
	rest := flag.String("rest", "", "http URL of the server")
	grpcAddress := flag.String("grpc", "", "host:port of the server's gRPC")
	secure := flag.String("secure", "", "https URL of a server that wants tokens")
	ca := flag.String("ca", "", "file of that server's certificate authority")
	token := flag.String("token", "", "bearer token for it")
	weak := flag.String("other-token", "", "bearer token of a user without rights there")
	flag.Parse()

	ctx := context.Background()
	failed := 0
	for _, transport := range []string{"rest", "grpc"} {
		s, err := connect(ctx, transport, *rest, *grpcAddress)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		s.check("create", s.create)
		s.check("get", s.get)
		s.check("list", s.list)
		s.check("errors", s.errors)
		s.check("request-id", s.requestID)
		s.check("operations", s.operations)
		s.check("cancel", s.cancelled)
		s.check("delete", s.remove)
		s.check("tokens", func(ctx context.Context) error { return s.tokens(ctx, *secure, *ca, *token, *weak) })
		failed += s.failed
		if err := s.client.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed++
		}
	}
	if failed > 0 {
		os.Exit(1)
	}
}
