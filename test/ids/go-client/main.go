// SPDX-License-Identifier: Apache-2.0

// Drives a server with Google's own Go client for Cloud IDS, over REST or gRPC, and prints what it saw as one line of JSON.
//
//	go run . rest http://127.0.0.1:PORT
//	go run . grpc 127.0.0.1:PORT
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	ids "cloud.google.com/go/ids/apiv1"
	"cloud.google.com/go/ids/apiv1/idspb"
	"github.com/googleapis/gax-go/v2/apierror"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const parent = "projects/p/locations/us-central1-a"

func open(ctx context.Context, kind, address string) (*ids.Client, error) {
	if kind == "rest" {
		return ids.NewRESTClient(ctx, option.WithEndpoint(address), option.WithoutAuthentication())
	}
	return ids.NewClient(ctx, option.WithEndpoint(address), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
}

// codeOf names the gRPC code, or the HTTP status, of a refusal.
func codeOf(err error) string {
	var api *apierror.APIError
	if !errors.As(err, &api) {
		return fmt.Sprint(err)
	}
	if api.HTTPCode() > 0 {
		return fmt.Sprint(api.HTTPCode())
	}
	return api.GRPCStatus().Code().String()
}

func run(ctx context.Context, kind, address string) (map[string]any, error) {
	client, err := open(ctx, kind, address)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	seen := map[string]any{}
	id := "go-" + kind
	request := &idspb.CreateEndpointRequest{
		Parent: parent, EndpointId: id, RequestId: "0f3c2f6e-8d5f-4c1e-9a9e-2f1f5f7a1b2c",
		Endpoint: &idspb.Endpoint{Network: "net", Severity: idspb.Endpoint_HIGH, Description: "d",
			Labels: map[string]string{"a": "b"}, TrafficLogs: true},
	}
	if kind == "grpc" {
		request.RequestId = "1f3c2f6e-8d5f-4c1e-9a9e-2f1f5f7a1b2c"
	}
	first, err := client.CreateEndpoint(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	again, err := client.CreateEndpoint(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("repeated create: %w", err)
	}
	seen["sameOperation"] = first.Name() == again.Name()
	endpoint, err := first.Wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("wait for create: %w", err)
	}
	metadata, err := first.Metadata()
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	seen["created"] = []any{endpoint.GetName(), endpoint.GetState().String(), endpoint.GetSeverity().String(),
		endpoint.GetLabels()["a"], endpoint.GetTrafficLogs(), endpoint.GetEndpointIp() != "", metadata.GetVerb()}
	request.RequestId = ""
	_, err = client.CreateEndpoint(ctx, request)
	seen["twice"] = codeOf(err)
	_, err = client.CreateEndpoint(ctx, &idspb.CreateEndpointRequest{Parent: parent, Endpoint: request.GetEndpoint()})
	seen["noId"] = codeOf(err)
	_, err = client.GetEndpoint(ctx, &idspb.GetEndpointRequest{Name: parent + "/endpoints/none"})
	seen["missing"] = codeOf(err)
	names := []string{}
	list := client.ListEndpoints(ctx, &idspb.ListEndpointsRequest{Parent: parent, PageSize: 1, Filter: "labels.a=b"})
	for {
		next, err := list.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		names = append(names, next.GetName())
	}
	seen["listed"] = names
	deletion, err := client.DeleteEndpoint(ctx, &idspb.DeleteEndpointRequest{Name: endpoint.GetName()})
	if err != nil {
		return nil, fmt.Errorf("delete: %w", err)
	}
	if err := deletion.Wait(ctx); err != nil {
		return nil, fmt.Errorf("wait for delete: %w", err)
	}
	_, err = client.GetEndpoint(ctx, &idspb.GetEndpointRequest{Name: endpoint.GetName()})
	seen["gone"] = codeOf(err)
	return seen, nil
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	seen, err := run(ctx, os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(seen)
}
