// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	"k8s.io/client-go/discovery"
)

// openAPIv3: gnostic reads the protobuf of every document, and it says what the JSON says.
func (s *suite) openAPIv3(context.Context) error {
	client, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		return err
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	for name, document := range paths {
		text, err := document.Schema("application/json")
		if err != nil {
			return err
		}
		want, err := openapi_v3.ParseDocument(text)
		if err != nil {
			return fmt.Errorf("%s as JSON: %w", name, err)
		}
		for _, mediaType := range []string{openapi3Protobuf, openapi3Strict} {
			bytes, err := document.Schema(mediaType)
			if err != nil {
				return err
			}
			got := &openapi_v3.Document{}
			if err := proto.Unmarshal(bytes, got); err != nil {
				return fmt.Errorf("%s as %s: %w", name, mediaType, err)
			}
			if !proto.Equal(got, want) {
				return fmt.Errorf("%s as %s is not what its JSON says", name, mediaType)
			}
		}
	}
	return equal("there are documents", len(paths) > 4, true)
}

const (
	openapi3Protobuf = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
	openapi3Strict   = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
)
