// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"cloud.google.com/go/ids/apiv1/idspb"
	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"github.com/googleapis/gax-go/v2/apierror"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
)

// Create to READY, with the bundled rules.
const readyWithin = 30 * time.Second

func (s *suite) name(id string) string { return s.parent + "/endpoints/" + id }

func (s *suite) request(id string) *idspb.CreateEndpointRequest {
	return &idspb.CreateEndpointRequest{
		Parent: s.parent, EndpointId: id,
		Endpoint: &idspb.Endpoint{
			Network: "my-net", Severity: idspb.Endpoint_MEDIUM, Description: "two words", TrafficLogs: true, Labels: map[string]string{"env": "prod"},
		},
	}
}

// code is the canonical code of an error, over either transport.
func code(err error) codes.Code {
	var api *apierror.APIError
	if !errors.As(err, &api) {
		return codes.Unknown
	}
	byHTTP := map[int]codes.Code{
		400: codes.InvalidArgument, 401: codes.Unauthenticated, 403: codes.PermissionDenied, 404: codes.NotFound, 409: codes.AlreadyExists,
	}
	if found, ok := byHTTP[api.HTTPCode()]; ok {
		return found
	}
	return api.GRPCStatus().Code()
}

func expectCode(what string, err error, want codes.Code) error {
	if err == nil {
		return fmt.Errorf("%s was accepted", what)
	}
	if code(err) != want {
		return fmt.Errorf("%s: %v, want %s", what, err, want)
	}
	return nil
}

func (s *suite) create(ctx context.Context) error {
	op, err := s.client.CreateEndpoint(ctx, s.request("one"))
	if err != nil {
		return err
	}
	started, err := op.Metadata()
	if err != nil {
		return err
	}
	// The name alone is enough to wait for it, as in another process.
	waited := s.client.CreateEndpointOperation(op.Name())
	endpoint, err := waited.Wait(ctx)
	if err != nil {
		return err
	}
	ended, err := waited.Metadata()
	if err != nil {
		return err
	}
	if took := ended.GetEndTime().AsTime().Sub(ended.GetCreateTime().AsTime()); took <= 0 || took > readyWithin {
		return fmt.Errorf("the operation took %s", took)
	}
	if net.ParseIP(endpoint.EndpointIp) == nil || !strings.Contains(endpoint.EndpointForwardingRule, "/forwardingRules/") {
		return fmt.Errorf("IP %q, forwarding rule %q", endpoint.EndpointIp, endpoint.EndpointForwardingRule)
	}
	if endpoint.CreateTime.AsTime().IsZero() || endpoint.UpdateTime.AsTime().Before(endpoint.CreateTime.AsTime()) {
		return fmt.Errorf("created %v, updated %v", endpoint.CreateTime.AsTime(), endpoint.UpdateTime.AsTime())
	}
	return errors.Join(
		equal("operation name", strings.HasPrefix(op.Name(), s.parent+"/operations/operation-"), true),
		equal("verb and target", []string{started.GetVerb(), started.GetTarget(), started.GetApiVersion()}, []string{"create", s.name("one"), "v1"}),
		equal("name", endpoint.Name, s.name("one")),
		equal("state", endpoint.State.String(), "READY"),
		equal("network", endpoint.Network, "my-net"),
		equal("severity", endpoint.Severity.String(), "MEDIUM"),
		equal("description", endpoint.Description, "two words"),
		equal("labels", endpoint.Labels, map[string]string{"env": "prod"}),
		equal("traffic logs", endpoint.TrafficLogs, true),
	)
}

func (s *suite) get(ctx context.Context) error {
	endpoint, err := s.client.GetEndpoint(ctx, &idspb.GetEndpointRequest{Name: s.name("one")})
	if err != nil {
		return err
	}
	_, missing := s.client.GetEndpoint(ctx, &idspb.GetEndpointRequest{Name: s.name("none")})
	var api *apierror.APIError
	if !errors.As(missing, &api) || !strings.Contains(missing.Error(), s.name("none")) {
		return fmt.Errorf("a missing endpoint: %v", missing)
	}
	return errors.Join(
		equal("state", endpoint.State.String(), "READY"),
		expectCode("a missing endpoint", missing, codes.NotFound),
	)
}

// short is the last part of a resource name.
func short(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// list: three endpoints in pages of two, filtered and ordered.
func (s *suite) list(ctx context.Context) error {
	for _, id := range []string{"l-1", "l-2"} {
		request := s.request(id)
		request.Endpoint.Severity = idspb.Endpoint_HIGH
		if _, err := s.client.CreateEndpoint(ctx, request); err != nil {
			return err
		}
	}
	pages := []int{}
	names := []string{}
	pager := iterator.NewPager(s.client.ListEndpoints(ctx, &idspb.ListEndpointsRequest{Parent: s.parent}), 2, "")
	for {
		var page []*idspb.Endpoint
		token, err := pager.NextPage(&page)
		if err != nil {
			return err
		}
		pages = append(pages, len(page))
		for _, endpoint := range page {
			names = append(names, short(endpoint.Name))
		}
		if token == "" {
			break
		}
	}
	everywhere := strings.Replace(s.parent, "us-central1-a", "-", 1)
	high := []string{}
	found := s.client.ListEndpoints(ctx, &idspb.ListEndpointsRequest{Parent: everywhere, Filter: "severity=HIGH", OrderBy: "name desc"})
	for endpoint, err := range found.All() {
		if err != nil {
			return err
		}
		high = append(high, short(endpoint.Name))
	}
	_, bad := s.client.ListEndpoints(ctx, &idspb.ListEndpointsRequest{Parent: s.parent, Filter: "severity="}).Next()
	return errors.Join(
		equal("names", names, []string{"l-1", "l-2", "one"}),
		equal("pages", pages, []int{2, 1}),
		equal("filtered in all locations, descending", high, []string{"l-2", "l-1"}),
		expectCode("a broken filter", bad, codes.InvalidArgument),
	)
}

func (s *suite) errors(ctx context.Context) error {
	_, twice := s.client.CreateEndpoint(ctx, s.request("one"))
	_, unnamed := s.client.CreateEndpoint(ctx, s.request(""))
	_, wrong := s.client.CreateEndpoint(ctx, s.request("Bad_id-"))
	empty := s.request("empty")
	empty.Endpoint = &idspb.Endpoint{}
	_, bare := s.client.CreateEndpoint(ctx, empty)
	fields := []string{}
	var api *apierror.APIError
	if errors.As(bare, &api) && api.Details().BadRequest != nil {
		for _, violation := range api.Details().BadRequest.FieldViolations {
			fields = append(fields, violation.Field)
		}
	}
	return errors.Join(
		expectCode("a second create", twice, codes.AlreadyExists),
		expectCode("an empty id", unnamed, codes.InvalidArgument),
		expectCode("a malformed id", wrong, codes.InvalidArgument),
		expectCode("neither network nor severity", bare, codes.InvalidArgument),
		equal("field violations", fields, []string{"endpoint.network", "endpoint.severity"}),
	)
}

func (s *suite) requestID(ctx context.Context) error {
	request := &idspb.DeleteEndpointRequest{
		Name: s.name("l-1"), RequestId: "0e7c2a54-7d0c-4b3a-9f6b-3c5a8f1d2e4" + map[string]string{"rest": "0", "grpc": "1"}[s.transport],
	}
	// The create of before may be under way still: its end is awaited first.
	if err := s.settled(ctx); err != nil {
		return err
	}
	one, err := s.client.DeleteEndpoint(ctx, request)
	if err != nil {
		return err
	}
	two, err := s.client.DeleteEndpoint(ctx, request)
	if err != nil {
		return fmt.Errorf("the same request again: %w", err)
	}
	if err := two.Wait(ctx); err != nil {
		return err
	}
	late, err := s.client.DeleteEndpoint(ctx, request)
	if err != nil {
		return fmt.Errorf("the same request when it is done: %w", err)
	}
	request.RequestId = "00000000-0000-0000-0000-000000000000"
	_, zero := s.client.DeleteEndpoint(ctx, request)
	return errors.Join(
		equal("operation", two.Name(), one.Name()),
		equal("operation when done", late.Name(), one.Name()),
		expectCode("the all-zero request id", zero, codes.InvalidArgument),
	)
}

// settled waits until every operation of the location is done.
func (s *suite) settled(ctx context.Context) error {
	for op, err := range s.operationsClient.ListOperations(ctx, &longrunningpb.ListOperationsRequest{Name: s.operationsOf, Filter: "done=false"}).All() {
		if err != nil {
			return err
		}
		if _, err := s.client.CreateEndpointOperation(op.Name).Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) operations(ctx context.Context) error {
	verbs := map[string]int{}
	created := ""
	all := s.operationsClient.ListOperations(ctx, &longrunningpb.ListOperationsRequest{Name: s.operationsOf, PageSize: 1})
	for op, err := range all.All() {
		if err != nil {
			return err
		}
		metadata := &idspb.OperationMetadata{}
		if err := op.Metadata.UnmarshalTo(metadata); err != nil {
			return err
		}
		verbs[metadata.Verb]++
		if metadata.Target == s.name("one") {
			created = op.Name
		}
	}
	read, err := s.operationsClient.GetOperation(ctx, &longrunningpb.GetOperationRequest{Name: created})
	if err != nil {
		return err
	}
	endpoint := &idspb.Endpoint{}
	if err := read.GetResponse().UnmarshalTo(endpoint); err != nil {
		return err
	}
	if err := s.operationsClient.CancelOperation(ctx, &longrunningpb.CancelOperationRequest{Name: created}); err != nil {
		return fmt.Errorf("cancel of what is done: %w", err)
	}
	if err := s.operationsClient.DeleteOperation(ctx, &longrunningpb.DeleteOperationRequest{Name: created}); err != nil {
		return err
	}
	_, gone := s.operationsClient.GetOperation(ctx, &longrunningpb.GetOperationRequest{Name: created})
	return errors.Join(
		equal("verbs", verbs, map[string]int{"create": 3, "delete": 1}),
		equal("done", read.Done, true),
		equal("response", endpoint.Name, s.name("one")),
		expectCode("a deleted operation", gone, codes.NotFound),
	)
}

// cancelled: a create is called off at once. Either it says so and leaves nothing, or it was done before and the endpoint is there.
func (s *suite) cancelled(ctx context.Context) error {
	op, err := s.client.CreateEndpoint(ctx, s.request("called-off"))
	if err != nil {
		return err
	}
	if err := s.operationsClient.CancelOperation(ctx, &longrunningpb.CancelOperationRequest{Name: op.Name()}); err != nil {
		return err
	}
	_, ended := op.Wait(ctx)
	if !op.Done() {
		return fmt.Errorf("a cancelled create did not end: %v", ended)
	}
	_, read := s.client.GetEndpoint(ctx, &idspb.GetEndpointRequest{Name: s.name("called-off")})
	if ended == nil {
		return read
	}
	if !strings.Contains(strings.ToLower(ended.Error()), "cancel") {
		return fmt.Errorf("a cancelled create ended with %v", ended)
	}
	return expectCode("what was called off", read, codes.NotFound)
}

func (s *suite) remove(ctx context.Context) error {
	op, err := s.client.DeleteEndpoint(ctx, &idspb.DeleteEndpointRequest{Name: s.name("one")})
	if err != nil {
		return err
	}
	if err := op.Wait(ctx); err != nil {
		return err
	}
	metadata, err := op.Metadata()
	if err != nil {
		return err
	}
	_, gone := s.client.GetEndpoint(ctx, &idspb.GetEndpointRequest{Name: s.name("one")})
	return errors.Join(
		equal("verb", metadata.GetVerb(), "delete"),
		equal("end time", metadata.GetEndTime().IsValid(), true),
		expectCode("a deleted endpoint", gone, codes.NotFound),
	)
}
