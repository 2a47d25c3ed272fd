// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const managerNs = "managers"

// pool makes Endpoints of every ConfigMap that has an address, and records an Event about each write.
type pool struct {
	client.Client
	name     string
	recorder events.EventRecorder
}

func (p *pool) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var config corev1.ConfigMap
	if err := p.Get(ctx, request.NamespacedName, &config); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	address, ok := config.Data["address"]
	if !ok {
		return ctrl.Result{}, nil
	}
	made := &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Namespace: config.Namespace, Name: config.Name}}
	result, err := controllerutil.CreateOrUpdate(ctx, p.Client, made, func() error {
		made.Annotations = map[string]string{"written-by": p.name}
		made.Subsets = []corev1.EndpointSubset{{
			Addresses: []corev1.EndpointAddress{{IP: address}},
			Ports:     []corev1.EndpointPort{{Name: "http", Port: 80, Protocol: corev1.ProtocolTCP}},
		}}
		return controllerutil.SetControllerReference(&config, made, p.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if result != controllerutil.OperationResultNone {
		p.recorder.Eventf(&config, made, corev1.EventTypeNormal, "Registered", "Write", "%s wrote %s", p.name, address)
	}
	return ctrl.Result{}, nil
}

// manager starts one with leader election on; the channel closes when it has ended.
func (s *suite) manager(ctx context.Context, name string) (ctrl.Manager, <-chan struct{}, error) {
	lease, renew, retry := leaseDuration, renewDeadline, retryPeriod
	yes := true
	m, err := ctrl.NewManager(s.config, ctrl.Options{
		Scheme:                        scheme.Scheme,
		LeaderElection:                true,
		LeaderElectionID:              "pools.palisade.example",
		LeaderElectionNamespace:       managerNs,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &lease, RenewDeadline: &renew, RetryPeriod: &retry,
		Metrics:    server.Options{BindAddress: "0"},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{managerNs: {}}},
		Controller: config.Controller{SkipNameValidation: &yes},
	})
	if err != nil {
		return nil, nil, err
	}
	reconciler := &pool{m.GetClient(), name, m.GetEventRecorder("palisade.example/" + name)}
	if err := ctrl.NewControllerManagedBy(m).For(&corev1.ConfigMap{}).Owns(&corev1.Endpoints{}).Complete(reconciler); err != nil {
		return nil, nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = m.Start(ctx) // one that is stopped by the test returns without an error or with the lost lease
	}()
	return m, ended, nil
}

// registered: the Endpoints of a name have this address, and the Event of the write names the manager.
func (s *suite) registered(ctx context.Context, name, address, writer string) error {
	return eventually(ctx, func() error {
		made, err := s.client.CoreV1().Endpoints(managerNs).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		list, err := s.client.EventsV1().Events(managerNs).List(ctx, metav1.ListOptions{FieldSelector: "reason=Registered,regarding.name=" + name})
		if err != nil {
			return err
		}
		said := false
		for _, event := range list.Items {
			said = said || event.Note == fmt.Sprintf("%s wrote %s", writer, address)
		}
		return first(equal("address", made.Subsets[0].Addresses[0].IP, address), equal("event", said, true))
	})
}

func (s *suite) configure(ctx context.Context, name, address string) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"address": address}}
	_, err := s.client.CoreV1().ConfigMaps(managerNs).Update(ctx, config, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = s.client.CoreV1().ConfigMaps(managerNs).Create(ctx, config, metav1.CreateOptions{})
	}
	return err
}

func (s *suite) managers() {
	log.SetLogger(logr.Discard())
	ctx, cancel := context.WithTimeout(context.Background(), 5*patience)
	defer cancel()
	ofFirst, stopFirst := context.WithCancel(ctx)
	defer stopFirst()
	var one, two ctrl.Manager
	var oneEnded <-chan struct{}
	s.check("manager-reconciles", func(context.Context) error {
		var err error
		if err = s.namespace(ctx, managerNs); err != nil {
			return err
		}
		if one, oneEnded, err = s.manager(ofFirst, "one"); err != nil {
			return err
		}
		if err = within(ctx, "the first manager leads", one.Elected()); err != nil {
			return err
		}
		if two, _, err = s.manager(ctx, "two"); err != nil {
			return err
		}
		if err = first(s.configure(ctx, "web", "10.2.0.1"), s.registered(ctx, "web", "10.2.0.1", "one")); err != nil {
			return err
		}
		select {
		case <-two.Elected():
			return fmt.Errorf("both managers lead")
		default:
		}
		// Somebody else's change of an owned object is put right.
		patch := []byte(`{"subsets":[{"addresses":[{"ip":"10.9.9.9"}]}]}`)
		if _, err := s.client.CoreV1().Endpoints(managerNs).Patch(ctx, "web", "application/merge-patch+json", patch, metav1.PatchOptions{}); err != nil {
			return err
		}
		return s.registered(ctx, "web", "10.2.0.1", "one")
	})
	s.check("manager-after-restart", func(context.Context) error {
		if err := s.ask("restart"); err != nil {
			return err
		}
		return first(s.configure(ctx, "web", "10.2.0.2"), s.registered(ctx, "web", "10.2.0.2", "one"))
	})
	s.check("manager-hands-over", func(context.Context) error {
		stopFirst()
		began := time.Now()
		if err := first(within(ctx, "the first manager ends", oneEnded), within(ctx, "the second manager leads", two.Elected())); err != nil {
			return err
		}
		if took := time.Since(began); took > leaseDuration/2 {
			return fmt.Errorf("the second manager waited for %s", took)
		}
		return first(s.configure(ctx, "web", "10.2.0.3"), s.registered(ctx, "web", "10.2.0.3", "two"))
	})
	s.check("owned-objects-go", func(context.Context) error {
		if err := s.client.CoreV1().ConfigMaps(managerNs).Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
			return err
		}
		return eventually(ctx, func() error {
			_, err := s.client.CoreV1().Endpoints(managerNs).Get(ctx, "web", metav1.GetOptions{})
			return equal("gone", apierrors.IsNotFound(err), true)
		})
	})
}
