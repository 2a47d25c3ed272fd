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
	"k8s.io/apimachinery/pkg/types"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/util/retry"
)

func (s *suite) patches() {
	s.check("four-patches", s.fourPatches)
	s.check("retry-on-conflict", s.retries)
}

func (s *suite) fourPatches(ctx context.Context) error {
	if _, err := s.create(ctx, object("patched", "10.0.0.1")); err != nil {
		return err
	}
	steps := []struct {
		kind types.PatchType
		body string
	}{
		{types.MergePatchType, `{"metadata":{"labels":{"merge":"yes"}}}`},
		{types.StrategicMergePatchType, `{"metadata":{"labels":{"strategic":"yes"},"finalizers":["example.com/a"]}}`},
		{types.StrategicMergePatchType, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/a"]}}`},
		{types.JSONPatchType, `[{"op":"test","path":"/subsets/0/ports/0/port","value":80},{"op":"replace","path":"/subsets/0/ports/0/port","value":81}]`},
		{types.ApplyPatchType, `{"apiVersion":"v1","kind":"Endpoints","metadata":{"labels":{"apply":"yes"}}}`},
	}
	for _, step := range steps {
		opts := metav1.PatchOptions{}
		if step.kind == types.ApplyPatchType {
			opts.FieldManager = "patcher"
		}
		if _, err := s.endpoints().Patch(ctx, "patched", step.kind, []byte(step.body), opts); err != nil {
			return fmt.Errorf("%s %s: %w", step.kind, step.body, err)
		}
	}
	_, failing := s.endpoints().Patch(ctx, "patched", types.JSONPatchType, []byte(`[{"op":"test","path":"/subsets/0/ports/0/port","value":80}]`), metav1.PatchOptions{})
	if !apierrors.IsInvalid(failing) {
		return fmt.Errorf("a JSON patch whose test fails: %v", failing)
	}
	read, err := s.endpoints().Get(ctx, "patched", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return first(
		equal("labels", read.Labels, map[string]string{"merge": "yes", "strategic": "yes", "apply": "yes"}),
		equal("finalizers", len(read.Finalizers), 0),
		equal("port", read.Subsets[0].Ports[0].Port, 81),
	)
}

// retries: writers that read, change and write again on a conflict each get their change in.
func (s *suite) retries(ctx context.Context) error {
	if _, err := s.create(ctx, object("counter", "10.0.0.1")); err != nil {
		return err
	}
	const writers = 8
	results := make(chan error, writers)
	for i := range writers {
		go func() {
			results <- retry.OnError(retry.DefaultBackoff, apierrors.IsConflict, func() error {
				for {
					obj, err := s.endpoints().Get(ctx, "counter", metav1.GetOptions{})
					if err != nil {
						return err
					}
					obj.Subsets[0].Addresses = append(obj.Subsets[0].Addresses, corev1.EndpointAddress{IP: fmt.Sprintf("10.9.0.%d", i+1)})
					if _, err = s.endpoints().Update(ctx, obj, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
						return err
					}
				}
			})
		}()
	}
	for range writers {
		if err := <-results; err != nil {
			return err
		}
	}
	read, err := s.endpoints().Get(ctx, "counter", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return equal("addresses", len(ips(read)), writers+1)
}

func (s *suite) apply() {
	s.check("apply-twice", s.applyTwice)
	s.check("apply-conflict-force", s.applyConflict)
	s.check("apply-removes", s.applyRemoves)
}

// declared is an apply configuration with one label, and one subset when an IP is given.
func (s *suite) declared(name, label, value, ip string) *applycore.EndpointsApplyConfiguration {
	out := applycore.Endpoints(name, s.ns)
	if label != "" {
		out = out.WithLabels(map[string]string{label: value})
	}
	if ip != "" {
		out = out.WithSubsets(applycore.EndpointSubset().
			WithAddresses(applycore.EndpointAddress().WithIP(ip)).
			WithPorts(applycore.EndpointPort().WithName("http").WithPort(80)))
	}
	return out
}

func (s *suite) applyTwice(ctx context.Context) error {
	config := s.declared("applied", "from", "one", "10.0.0.1")
	made, err := s.endpoints().Apply(ctx, config, metav1.ApplyOptions{FieldManager: "one"})
	if err != nil {
		return err
	}
	again, err := s.endpoints().Apply(ctx, config, metav1.ApplyOptions{FieldManager: "one"})
	if err != nil {
		return err
	}
	extracted, err := applycore.ExtractEndpoints(again, "one")
	if err != nil {
		return err
	}
	return first(
		equal("resourceVersion after the same apply", again.ResourceVersion, made.ResourceVersion),
		equal("managers", managers(again), []string{"one Apply v1"}),
		equal("extracted labels", extracted.Labels, map[string]string{"from": "one"}),
		equal("extracted subsets", len(extracted.Subsets), 1),
	)
}

func managers(obj *corev1.Endpoints) []string {
	out := []string{}
	for _, entry := range obj.ManagedFields {
		out = append(out, fmt.Sprintf("%s %s %s", entry.Manager, entry.Operation, entry.APIVersion))
	}
	return out
}

func (s *suite) applyConflict(ctx context.Context) error {
	rival := s.declared("applied", "from", "two", "10.0.0.2")
	_, refused := s.endpoints().Apply(ctx, rival, metav1.ApplyOptions{FieldManager: "two"})
	if !apierrors.IsConflict(refused) {
		return fmt.Errorf("an apply over another manager's fields: %v", refused)
	}
	fields := []string{}
	for _, cause := range refused.(apierrors.APIStatus).Status().Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict || !strings.Contains(cause.Message, `"one"`) {
			return fmt.Errorf("cause %+v does not name the manager", cause)
		}
		fields = append(fields, cause.Field)
	}
	forced, err := s.endpoints().Apply(ctx, rival, metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	shared, err := s.endpoints().Apply(ctx, s.declared("applied", "from", "two", ""), metav1.ApplyOptions{FieldManager: "three"})
	if err != nil {
		return fmt.Errorf("an equal value is no conflict: %w", err)
	}
	return first(
		equal("conflicts", slices.Sorted(slices.Values(fields)), []string{".metadata.labels.from", ".subsets"}),
		equal("addresses", ips(forced), []string{"10.0.0.2"}),
		equal("managers after force", managers(forced), []string{"two Apply v1"}),
		equal("managers sharing", len(shared.ManagedFields), 2),
	)
}

func (s *suite) applyRemoves(ctx context.Context) error {
	if _, err := s.endpoints().Apply(ctx, s.declared("removing", "a", "1", "10.0.0.1"), metav1.ApplyOptions{FieldManager: "m"}); err != nil {
		return err
	}
	if _, err := s.endpoints().Patch(ctx, "removing", types.MergePatchType, []byte(`{"metadata":{"annotations":{"other":"kept"}}}`), metav1.PatchOptions{FieldManager: "n"}); err != nil {
		return err
	}
	left, err := s.endpoints().Apply(ctx, s.declared("removing", "", "", "10.0.0.1"), metav1.ApplyOptions{FieldManager: "m"})
	if err != nil {
		return err
	}
	return first(
		equal("labels", len(left.Labels), 0),
		equal("annotations", left.Annotations, map[string]string{"other": "kept"}),
		equal("addresses", ips(left), []string{"10.0.0.1"}),
	)
}
