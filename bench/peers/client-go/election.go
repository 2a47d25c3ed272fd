// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

const (
	electionNs = "elections"
	// Long enough that a leader outlives a restart of the server.
	leaseDuration = 15 * time.Second
	renewDeadline = 12 * time.Second
	retryPeriod   = 200 * time.Millisecond
)

// candidate runs for a lease until its context ends. While cut is set, none of its requests leaves.
type candidate struct {
	name    string
	cut     atomic.Bool
	started chan struct{}
	stopped chan struct{}
	elector *leaderelection.LeaderElector
}

type severed struct {
	cut  *atomic.Bool
	next http.RoundTripper
}

func (l severed) RoundTrip(request *http.Request) (*http.Response, error) {
	if l.cut.Load() {
		return nil, fmt.Errorf("cut off")
	}
	return l.next.RoundTrip(request)
}

func (s *suite) candidate(ctx context.Context, lease, name string) (*candidate, error) {
	c := &candidate{name: name, started: make(chan struct{}), stopped: make(chan struct{})}
	config := rest.CopyConfig(s.config)
	config.WrapTransport = func(next http.RoundTripper) http.RoundTripper { return severed{&c.cut, next} }
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, electionNs, lease, client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{
		Identity:      name,
		EventRecorder: broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: name}),
	})
	if err != nil {
		return nil, err
	}
	c.elector, err = leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(c.started) },
			OnStoppedLeading: func() { close(c.stopped) },
		},
	})
	if err != nil {
		return nil, err
	}
	go c.elector.Run(ctx)
	return c, nil
}

// within waits for a candidate to begin or to stop.
func within(ctx context.Context, what string, signal <-chan struct{}) error {
	select {
	case <-signal:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s: not within %s", what, patience)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
}

// eventually asks again until nothing is wrong, or the time is over.
func eventually(ctx context.Context, ask func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// held: who has the lease, and how often it changed hands.
func (s *suite) held(ctx context.Context, lease, holder string, transitions int32) error {
	return eventually(ctx, func() error {
		got, err := s.client.CoordinationV1().Leases(electionNs).Get(ctx, lease, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return first(equal("holder", *got.Spec.HolderIdentity, holder), equal("transitions", *got.Spec.LeaseTransitions, transitions))
	})
}

func (s *suite) elections() {
	ctx, cancel := context.WithTimeout(context.Background(), 6*patience)
	defer cancel()
	const lease = "controller"
	ofA, stopA := context.WithCancel(ctx)
	defer stopA()
	var a, b, c *candidate
	s.check("one-leads", func(context.Context) error {
		var err error
		if err = s.namespace(ctx, electionNs); err != nil {
			return err
		}
		if a, err = s.candidate(ofA, lease, "a"); err != nil {
			return err
		}
		if err = within(ctx, "a leads", a.started); err != nil {
			return err
		}
		if b, err = s.candidate(ctx, lease, "b"); err != nil {
			return err
		}
		if err = eventually(ctx, func() error { return equal("leader that b sees", b.elector.GetLeader(), "a") }); err != nil {
			return err
		}
		return first(equal("a leads", a.elector.IsLeader(), true), equal("b leads", b.elector.IsLeader(), false), s.held(ctx, lease, "a", 0))
	})
	s.check("leader-outlives-restart", func(context.Context) error {
		before, err := s.client.CoordinationV1().Leases(electionNs).Get(ctx, lease, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := s.ask("restart"); err != nil {
			return err
		}
		if err := eventually(ctx, func() error {
			now, err := s.client.CoordinationV1().Leases(electionNs).Get(ctx, lease, metav1.GetOptions{})
			if err != nil {
				return err
			}
			return equal("renewed", now.Spec.RenewTime.After(before.Spec.RenewTime.Time), true)
		}); err != nil {
			return err
		}
		return first(equal("a leads", a.elector.IsLeader(), true), s.held(ctx, lease, "a", 0))
	})
	s.check("released-lease-is-taken", func(context.Context) error {
		stopA()
		began := time.Now()
		if err := first(within(ctx, "a stops", a.stopped), within(ctx, "b leads", b.started)); err != nil {
			return err
		}
		if took := time.Since(began); took > leaseDuration/2 {
			return fmt.Errorf("b waited for %s, as if the lease had not been released", took)
		}
		return s.held(ctx, lease, "b", 1)
	})
	s.check("lost-lease-is-taken", func(context.Context) error {
		var err error
		if c, err = s.candidate(ctx, lease, "c"); err != nil {
			return err
		}
		b.cut.Store(true) // b cannot renew: it gives up first, then c takes the lease when it has run out
		if err := first(within(ctx, "b stops", b.stopped), within(ctx, "c leads", c.started)); err != nil {
			return err
		}
		return s.held(ctx, lease, "c", 2)
	})
	s.check("leader-events", func(context.Context) error {
		return eventually(ctx, func() error {
			list, err := s.client.CoreV1().Events(electionNs).List(ctx, metav1.ListOptions{
				FieldSelector: "involvedObject.kind=Lease,involvedObject.name=" + lease + ",reason=LeaderElection",
			})
			if err != nil {
				return err
			}
			said := map[string]bool{}
			for _, event := range list.Items {
				said[event.Message] = true
			}
			return first(equal("a", said["a became leader"], true), equal("b", said["b became leader"], true), equal("c", said["c became leader"], true))
		})
	})
}
