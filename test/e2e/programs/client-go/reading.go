// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

var resource = schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}

func (s *suite) reading() {
	s.check("paging-snapshot", s.paging)
	s.check("watch-initial-events", s.watchInitial)
	s.check("watch-expired", s.watchExpired)
}

// paging: pages of two are one snapshot; what is written meanwhile is in none of them.
func (s *suite) paging(ctx context.Context) error {
	for i := range 5 {
		obj := object(fmt.Sprintf("page-%d", i), "10.0.0.1")
		obj.Labels = map[string]string{"paged": "yes"}
		if _, err := s.create(ctx, obj); err != nil {
			return err
		}
	}
	opts := metav1.ListOptions{LabelSelector: "paged=yes", Limit: 2}
	names, versions, sizes := []string{}, []string{}, []int{}
	for {
		page, err := s.endpoints().List(ctx, opts)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		sizes = append(sizes, len(page.Items))
		versions = append(versions, page.ResourceVersion)
		if page.Continue == "" {
			break
		}
		if len(sizes) == 1 {
			late := object("page-late", "10.0.0.1")
			late.Labels = map[string]string{"paged": "yes"}
			if _, err := s.create(ctx, late); err != nil {
				return err
			}
		}
		opts.Continue = page.Continue
	}
	fields, err := s.endpoints().List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=page-3"})
	if err != nil {
		return err
	}
	return first(
		equal("names", names, []string{"page-0", "page-1", "page-2", "page-3", "page-4"}),
		equal("sizes", sizes, []int{2, 2, 1}),
		equal("one snapshot", len(slices.Compact(versions)), 1),
		equal("by field selector", len(fields.Items), 1),
	)
}

// next is the next event of a watch, its kind and object's name in one word.
func next(ctx context.Context, w watch.Interface) (string, *corev1.Endpoints, error) {
	select {
	case event, open := <-w.ResultChan():
		if !open {
			return "", nil, fmt.Errorf("the watch ended")
		}
		obj, ok := event.Object.(*corev1.Endpoints)
		if !ok {
			return string(event.Type), nil, fmt.Errorf("%s with %T: %+v", event.Type, event.Object, event.Object)
		}
		return string(event.Type) + " " + obj.Name, obj, nil
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
}

func (s *suite) watchInitial(ctx context.Context) error {
	yes := true
	w, err := s.endpoints().Watch(ctx, metav1.ListOptions{
		LabelSelector: "paged=yes", AllowWatchBookmarks: true, SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		return err
	}
	defer w.Stop()
	words, end := []string{}, (*corev1.Endpoints)(nil)
	for end == nil {
		word, obj, err := next(ctx, w)
		if err != nil {
			return err
		}
		words = append(words, word)
		if word == "BOOKMARK " {
			end = obj
		}
	}
	changed := object("page-1", "10.0.0.2")
	changed.Labels = map[string]string{"paged": "yes"}
	if _, err := s.endpoints().Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := s.endpoints().Delete(ctx, "page-2", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := s.create(ctx, object("unlabelled", "10.0.0.1")); err != nil {
		return err
	}
	changed.Labels = nil
	if _, err := s.endpoints().Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
		return err
	}
	live := []string{}
	for range 3 {
		word, _, err := next(ctx, w)
		if err != nil {
			return err
		}
		live = append(live, word)
	}
	slices.Sort(words)
	return first(
		equal("initial events", strings.Join(words, ","), "ADDED page-0,ADDED page-1,ADDED page-2,ADDED page-3,ADDED page-4,ADDED page-late,BOOKMARK "),
		equal("mark of the end", end.Annotations[metav1.InitialEventsAnnotationKey], "true"),
		equal("live events", live, []string{"MODIFIED page-1", "DELETED page-2", "DELETED page-1"}),
	)
}

// watchExpired: a version of the future and one that is no version are refused as typed errors.
func (s *suite) watchExpired(ctx context.Context) error {
	// Without retries: client-go would try ten times, as the answer says when to.
	err := s.client.CoreV1().RESTClient().Get().MaxRetries(0).Namespace(s.ns).Resource("endpoints").
		Param("resourceVersion", "99999999").Param("resourceVersionMatch", "NotOlderThan").Do(ctx).Error()
	if !apierrors.IsTimeout(err) && !apierrors.IsServerTimeout(err) {
		return fmt.Errorf("a version of the future: %v", err)
	}
	_, err = s.endpoints().List(ctx, metav1.ListOptions{Continue: "bm90IGEgdG9rZW4"})
	if !apierrors.IsBadRequest(err) {
		return fmt.Errorf("a broken continue token: %v", err)
	}
	return nil
}

func (s *suite) others(readerToken string) {
	s.check("metadata-client", s.metadataOnly)
	s.check("dynamic-client", s.dynamic)
	s.check("discovery", s.discovery)
	s.check("openapi-v3-protobuf", s.openAPIv3)
	s.check("rbac", func(ctx context.Context) error { return s.rbac(ctx, readerToken) })
}

func (s *suite) metadataOnly(ctx context.Context) error {
	client, err := metadata.NewForConfig(s.config)
	if err != nil {
		return err
	}
	list, err := client.Resource(resource).Namespace(s.ns).List(ctx, metav1.ListOptions{LabelSelector: "paged=yes"})
	if err != nil {
		return err
	}
	for _, item := range list.Items {
		if item.Name == "" || item.UID == "" || item.Labels["paged"] != "yes" {
			return fmt.Errorf("metadata are missing: %+v", item)
		}
	}
	if len(list.Items) == 0 {
		return fmt.Errorf("nothing was listed")
	}
	return nil
}

func (s *suite) dynamic(ctx context.Context) error {
	config := rest.CopyConfig(s.config)
	config.ContentConfig = rest.ContentConfig{}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	got, err := client.Resource(resource).Namespace(s.ns).Get(ctx, "page-0", metav1.GetOptions{})
	if err != nil {
		return err
	}
	got.SetAnnotations(map[string]string{"by": "dynamic"})
	written, err := client.Resource(resource).Namespace(s.ns).Update(ctx, got, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return first(
		equal("kind", written.GroupVersionKind().String(), "/v1, Kind=Endpoints"),
		equal("annotations", written.GetAnnotations(), map[string]string{"by": "dynamic"}),
	)
}

func (s *suite) discovery(ctx context.Context) error {
	client, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		return err
	}
	version, err := client.ServerVersion()
	if err != nil {
		return err
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	verbs := ""
	for _, list := range lists {
		for _, r := range list.APIResources {
			if list.GroupVersion == "v1" && r.Name == "endpoints" {
				verbs = strings.Join(r.Verbs, ",")
			}
		}
	}
	document, err := client.OpenAPISchema()
	if err != nil {
		return err
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	if _, ok := paths["api/v1"]; !ok {
		return fmt.Errorf("OpenAPI v3 lists %v", paths)
	}
	defined := false
	for _, d := range document.GetDefinitions().GetAdditionalProperties() {
		defined = defined || d.GetName() == "io.k8s.api.core.v1.Endpoints"
	}
	return first(
		equal("major version", version.Major, "1"),
		equal("verbs", verbs, "create,delete,deletecollection,get,list,patch,update,watch"),
		equal("definition of Endpoints in OpenAPI v2", defined, true),
	)
}

// rbac: a user without rights is refused, and may read after a Role and its binding say so.
func (s *suite) rbac(ctx context.Context, token string) error {
	config := rest.CopyConfig(s.config)
	config.BearerToken = token
	reader, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	_, before := reader.CoreV1().Endpoints(s.ns).Get(ctx, "page-0", metav1.GetOptions{})
	if !apierrors.IsForbidden(before) {
		return fmt.Errorf("without a role: %v", before)
	}
	if err := s.grant(ctx); err != nil {
		return err
	}
	if _, err := reader.CoreV1().Endpoints(s.ns).Get(ctx, "page-0", metav1.GetOptions{}); err != nil {
		return fmt.Errorf("with a role: %w", err)
	}
	_, write := reader.CoreV1().Endpoints(s.ns).Create(ctx, object("not-mine", "10.0.0.1"), metav1.CreateOptions{})
	if !apierrors.IsForbidden(write) {
		return fmt.Errorf("a write with a reading role: %v", write)
	}
	config.BearerToken = "nobody"
	stranger, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	_, unknown := stranger.CoreV1().Endpoints(s.ns).List(ctx, metav1.ListOptions{})
	if !apierrors.IsUnauthorized(unknown) {
		return fmt.Errorf("with a token nobody knows: %v", unknown)
	}
	return nil
}
