// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	ids "cloud.google.com/go/ids/apiv1"
	"cloud.google.com/go/ids/apiv1/idspb"
	"golang.org/x/oauth2"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/oauth"
)

// tokens: over TLS, a known token with rights is let in, one without is forbidden, an unknown one is not authenticated.
func (s *suite) tokens(ctx context.Context, server, caFile, token, weak string) error {
	try := func(token string) error {
		client, err := s.secured(ctx, server, caFile, token)
		if err != nil {
			return err
		}
		defer client.Close()
		_, err = client.ListEndpoints(ctx, &idspb.ListEndpointsRequest{Parent: s.parent}).Next()
		if errors.Is(err, iterator.Done) {
			return nil
		}
		return err
	}
	if err := try(token); err != nil {
		return fmt.Errorf("with the administrator's token: %w", err)
	}
	return errors.Join(
		expectCode("a list without rights", try(weak), codes.PermissionDenied),
		expectCode("an unknown token", try("nobody"), codes.Unauthenticated),
	)
}

func (s *suite) secured(ctx context.Context, server, caFile, token string) (*ids.Client, error) {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	trust := &tls.Config{RootCAs: pool}
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})
	if s.transport == "rest" {
		base := &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true}
		return ids.NewRESTClient(ctx, option.WithEndpoint(server), option.WithHTTPClient(&http.Client{Transport: &oauth2.Transport{Source: source, Base: base}}))
	}
	address, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	connection, err := grpc.NewClient(address.Host, grpc.WithTransportCredentials(credentials.NewTLS(trust)),
		grpc.WithPerRPCCredentials(oauth.TokenSource{TokenSource: source}))
	if err != nil {
		return nil, err
	}
	return ids.NewClient(ctx, option.WithGRPCConn(connection))
}
