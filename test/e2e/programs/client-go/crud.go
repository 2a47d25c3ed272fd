// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
)

func (s *suite) endpoints() typedcore.EndpointsInterface {
	return s.client.CoreV1().Endpoints(s.ns)
}

// object has one subset with the given ready addresses and port http/80.
func object(name string, ips ...string) *corev1.Endpoints {
	subset := corev1.EndpointSubset{Ports: []corev1.EndpointPort{{Name: "http", Port: 80}}}
	for _, ip := range ips {
		subset.Addresses = append(subset.Addresses, corev1.EndpointAddress{IP: ip})
	}
	return &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Name: name}, Subsets: []corev1.EndpointSubset{subset}}
}

func (s *suite) create(ctx context.Context, obj *corev1.Endpoints) (*corev1.Endpoints, error) {
	return s.endpoints().Create(ctx, obj, metav1.CreateOptions{})
}

func ips(obj *corev1.Endpoints) []string {
	out := []string{}
	for _, subset := range obj.Subsets {
		for _, address := range subset.Addresses {
			out = append(out, address.IP)
		}
	}
	return out
}

func (s *suite) crud() {
	s.check("typed-protobuf", s.typed)
	s.check("every-field", s.everyField)
	s.check("update-conflict", s.updateConflict)
	s.check("typed-errors", s.typedErrors)
	s.check("dry-run-delete-collection", s.collection)
}

func (s *suite) typed(ctx context.Context) error {
	if _, err := s.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.ns}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	made, err := s.create(ctx, object("typed", "10.0.0.1", "10.0.0.2"))
	if err != nil {
		return err
	}
	read, err := s.endpoints().Get(ctx, "typed", metav1.GetOptions{})
	if err != nil {
		return err
	}
	read.Labels = map[string]string{"app": "a"}
	written, err := s.endpoints().Update(ctx, read, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if written.ResourceVersion == made.ResourceVersion {
		return fmt.Errorf("the update kept resourceVersion %s", made.ResourceVersion)
	}
	again, err := s.endpoints().Update(ctx, written, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if err := s.endpoints().Delete(ctx, "typed", metav1.DeleteOptions{}); err != nil {
		return err
	}
	_, gone := s.endpoints().Get(ctx, "typed", metav1.GetOptions{})
	if !apierrors.IsNotFound(gone) {
		return fmt.Errorf("after the delete: %v", gone)
	}
	for kind := range s.wire.seen() {
		if !strings.HasPrefix(kind, protobuf) || !strings.HasSuffix(kind, "HTTP/2.0") {
			return fmt.Errorf("an answer came as %q: %v", kind, s.wire.seen())
		}
	}
	return first(
		equal("uid", read.UID, made.UID),
		equal("kind of protocol default", read.Subsets[0].Ports[0].Protocol, "TCP"),
		equal("no-op update", again.ResourceVersion, written.ResourceVersion),
		equal("namespace", made.Namespace, s.ns),
		equal("addresses", ips(read), []string{"10.0.0.1", "10.0.0.2"}),
	)
}

// everyField: what protobuf carried in comes back in protobuf and in JSON, field for field.
func (s *suite) everyField(ctx context.Context) error {
	node, app, yes := "node-1", "platform.io/h2c", true
	obj := &corev1.Endpoints{
		ObjectMeta: metav1.ObjectMeta{
			Name: "full", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"text": "line\nüñ😀"},
			Finalizers: []string{"example.com/guard"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "example.com/v1", Kind: "Thing", Name: "t", UID: "0b8d9a3c-93b0-4d5a-8f5c-0f1c2d3e4f50", Controller: &yes, BlockOwnerDeletion: &yes,
			}},
		},
		Subsets: []corev1.EndpointSubset{{
			Addresses: []corev1.EndpointAddress{{
				IP: "10.1.0.1", Hostname: "h", NodeName: &node,
				TargetRef: &corev1.ObjectReference{
					APIVersion: "v1", Kind: "Pod", Name: "p", Namespace: "n", UID: "u", ResourceVersion: "7", FieldPath: "spec.containers{c}",
				},
			}},
			NotReadyAddresses: []corev1.EndpointAddress{{IP: "2001:db8::1"}},
			Ports: []corev1.EndpointPort{
				{Name: "a", Port: 1, Protocol: corev1.ProtocolSCTP, AppProtocol: &app}, {Name: "b", Port: 65535, Protocol: corev1.ProtocolUDP},
			},
		}},
	}
	made, err := s.create(ctx, obj)
	if err != nil {
		return err
	}
	body, err := s.client.CoreV1().RESTClient().Get().AbsPath("/api/v1/namespaces/"+s.ns+"/endpoints/full").SetHeader("Accept", "application/json").DoRaw(ctx)
	if err != nil {
		return err
	}
	var plain corev1.Endpoints
	if err := json.Unmarshal(body, &plain); err != nil {
		return fmt.Errorf("%s: %w", body, err)
	}
	plain.Kind, plain.APIVersion = "", ""
	made.Finalizers = nil
	if _, err := s.endpoints().Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	made.Finalizers = obj.Finalizers
	return first(
		equal("subsets", made.Subsets, obj.Subsets),
		equal("owners", made.OwnerReferences, obj.OwnerReferences),
		equal("annotations", made.Annotations, obj.Annotations),
		equal("as JSON", plain, made),
		s.endpoints().Delete(ctx, "full", metav1.DeleteOptions{}),
	)
}

func (s *suite) updateConflict(ctx context.Context) error {
	stale, err := s.create(ctx, object("conflict", "10.0.0.1"))
	if err != nil {
		return err
	}
	fresh := stale.DeepCopy()
	fresh.Labels = map[string]string{"winner": "first"}
	if _, err := s.endpoints().Update(ctx, fresh, metav1.UpdateOptions{}); err != nil {
		return err
	}
	stale.Labels = map[string]string{"winner": "second"}
	_, lost := s.endpoints().Update(ctx, stale, metav1.UpdateOptions{})
	if !apierrors.IsConflict(lost) {
		return fmt.Errorf("a stale update: %v", lost)
	}
	byVersion := s.endpoints().Delete(ctx, "conflict", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &stale.ResourceVersion}})
	if !apierrors.IsConflict(byVersion) {
		return fmt.Errorf("a delete with a stale resourceVersion: %v", byVersion)
	}
	wrong := types.UID("00000000-1111-2222-3333-444444444444")
	byUid := s.endpoints().Delete(ctx, "conflict", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	if !apierrors.IsConflict(byUid) {
		return fmt.Errorf("a delete with a foreign uid: %v", byUid)
	}
	read, err := s.endpoints().Get(ctx, "conflict", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return equal("labels", read.Labels, map[string]string{"winner": "first"})
}

func (s *suite) typedErrors(ctx context.Context) error {
	if _, err := s.create(ctx, object("conflict", "10.0.0.1")); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second create: %v", err)
	}
	_, err := s.create(ctx, object("bad", "127.0.0.1", "169.254.1.1"))
	if !apierrors.IsInvalid(err) {
		return fmt.Errorf("forbidden addresses: %v", err)
	}
	fields := []string{}
	for _, cause := range err.(apierrors.APIStatus).Status().Details.Causes {
		fields = append(fields, cause.Field)
	}
	_, far := s.client.CoreV1().Endpoints("absent").Create(ctx, object("x", "10.0.0.1"), metav1.CreateOptions{})
	if !apierrors.IsNotFound(far) {
		return fmt.Errorf("a create in a namespace that does not exist: %v", far)
	}
	return equal("causes", fields, []string{"subsets[0].addresses[0].ip", "subsets[0].addresses[1].ip"})
}

func (s *suite) collection(ctx context.Context) error {
	for _, name := range []string{"c-1", "c-2", "c-3"} {
		obj := object(name, "10.0.0.1")
		obj.Labels = map[string]string{"group": strings.Replace(name, "c-3", "other", 1)[:1]}
		if _, err := s.create(ctx, obj); err != nil {
			return err
		}
	}
	dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
	selected := metav1.ListOptions{LabelSelector: "group=c"}
	if err := s.endpoints().DeleteCollection(ctx, dry, selected); err != nil {
		return err
	}
	before, err := s.endpoints().List(ctx, selected)
	if err != nil {
		return err
	}
	if err := s.endpoints().DeleteCollection(ctx, metav1.DeleteOptions{}, selected); err != nil {
		return err
	}
	after, err := s.endpoints().List(ctx, metav1.ListOptions{LabelSelector: "group"})
	if err != nil {
		return err
	}
	if _, err := s.endpoints().Create(ctx, object("dry", "10.0.0.1"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		return err
	}
	_, stored := s.endpoints().Get(ctx, "dry", metav1.GetOptions{})
	if !apierrors.IsNotFound(stored) {
		return fmt.Errorf("a dry run was stored: %v", stored)
	}
	return first(
		equal("after a dry run", len(before.Items), 2),
		equal("after the deletion", len(after.Items), 1),
	)
}
