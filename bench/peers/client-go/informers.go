// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// watched is a kind that consumers keep in a cache: an object of it with a value, and the value of an object.
type watched struct {
	resource schema.GroupVersionResource
	kind     string
	content  func(value string) map[string]any
	value    func(obj any) string
}

type fields = map[string]any

var core = schema.GroupVersion{Version: "v1"}

func slice(value string) fields {
	return fields{
		"addressType": "IPv4",
		"endpoints":   []any{fields{"addresses": []any{value}}},
		"ports":       []any{fields{"name": "http", "port": int64(80), "protocol": "TCP"}},
	}
}

func set(value string) fields {
	return fields{"subsets": []any{fields{"addresses": []any{fields{"ip": value}}, "ports": []any{fields{"port": int64(80)}}}}}
}

var kinds = []watched{
	{core.WithResource("services"), "Service", func(value string) fields {
		return fields{"spec": fields{"type": "ExternalName", "externalName": value}}
	}, func(obj any) string { return obj.(*corev1.Service).Spec.ExternalName }},
	{discoveryv1.SchemeGroupVersion.WithResource("endpointslices"), "EndpointSlice", slice,
		func(obj any) string { return obj.(*discoveryv1.EndpointSlice).Endpoints[0].Addresses[0] }},
	{core.WithResource("endpoints"), "Endpoints", set,
		func(obj any) string { return obj.(*corev1.Endpoints).Subsets[0].Addresses[0].IP }},
	{core.WithResource("configmaps"), "ConfigMap", func(value string) fields { return fields{"data": fields{"value": value}} },
		func(obj any) string { return obj.(*corev1.ConfigMap).Data["value"] }},
	{coordinationv1.SchemeGroupVersion.WithResource("leases"), "Lease", func(value string) fields {
		return fields{"spec": fields{"holderIdentity": value}}
	}, func(obj any) string { return *obj.(*coordinationv1.Lease).Spec.HolderIdentity }},
}

// The values that objects have one after another: right as an address and as a name.
const (
	one   = "10.1.0.1"
	two   = "10.1.0.2"
	three = "10.1.0.3"
	four  = "10.1.0.4"
)

// diary is what one informer saw of objects, in order.
type diary struct {
	mu      sync.Mutex
	entries map[string][]string
	changed chan struct{}
}

// called is the name of an object of a kind: each has its own, since the Endpoints of a Service go with it.
func (w watched) called(name string) string {
	return strings.ToLower(w.kind) + "-" + name
}

func (d *diary) add(word string, obj any, of watched) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	object, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	name := strings.TrimPrefix(object.GetName(), of.called(""))
	d.mu.Lock()
	d.entries[name] = append(d.entries[name], word+" "+of.value(obj))
	d.mu.Unlock()
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

func (d *diary) of(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.entries[name], ", ")
}

// until waits until an object has this history.
func (d *diary) until(ctx context.Context, name, history string) error {
	deadline, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for d.of(name) != history {
		select {
		case <-d.changed:
		case <-deadline.Done():
			return fmt.Errorf("%s: got %q, want %q", name, d.of(name), history)
		}
	}
	return nil
}

// cached is a kind with its informer.
type cached struct {
	watched
	s        *suite
	ns       string
	diary    *diary
	informer cache.SharedIndexInformer
}

func (c *cached) write(ctx context.Context, name, value string, isNew bool) error {
	object := &unstructured.Unstructured{Object: c.content(value)}
	object.SetAPIVersion(c.resource.GroupVersion().String())
	object.SetKind(c.kind)
	object.SetName(c.called(name))
	client := c.s.dynamic.Resource(c.resource).Namespace(c.ns)
	if isNew {
		_, err := client.Create(ctx, object, metav1.CreateOptions{})
		return err
	}
	last, err := client.Get(ctx, c.called(name), metav1.GetOptions{})
	if err != nil {
		return err
	}
	object.SetResourceVersion(last.GetResourceVersion())
	_, err = client.Update(ctx, object, metav1.UpdateOptions{})
	return err
}

func (c *cached) create(ctx context.Context, name, value string) error {
	return c.write(ctx, name, value, true)
}

func (c *cached) update(ctx context.Context, name, value string) error {
	return c.write(ctx, name, value, false)
}

func (c *cached) remove(ctx context.Context, name string) error {
	return c.s.dynamic.Resource(c.resource).Namespace(c.ns).Delete(ctx, c.called(name), metav1.DeleteOptions{})
}

// agrees: the informer's store has the objects and versions that a list gives.
func (c *cached) agrees(ctx context.Context) error {
	list, err := c.s.dynamic.Resource(c.resource).Namespace(c.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	listed, stored := map[string]string{}, map[string]string{}
	for _, item := range list.Items {
		listed[item.GetName()] = item.GetResourceVersion()
	}
	for _, item := range c.informer.GetStore().List() {
		object, err := meta.Accessor(item)
		if err != nil {
			return err
		}
		stored[object.GetName()] = object.GetResourceVersion()
	}
	return equal(c.kind+": the informer's store and a list", stored, listed)
}

// streamed: the informer took its first objects from a watch, in protobuf, and asked for no list.
func (c *cached) streamed() error {
	reads := c.s.wire.of(c.resource.Resource)
	for _, read := range reads {
		if !strings.Contains(read, "sendInitialEvents=true") || !strings.Contains(read, " 200 "+protobuf+";stream=watch") {
			return fmt.Errorf("%s: read without a stream: %s", c.kind, read)
		}
	}
	if len(reads) == 0 {
		return fmt.Errorf("%s: no read", c.kind)
	}
	return nil
}

func (s *suite) watch(factory informers.SharedInformerFactory, ns string) ([]*cached, error) {
	all := []*cached{}
	for _, kind := range kinds {
		generic, err := factory.ForResource(kind.resource)
		if err != nil {
			return nil, err
		}
		c := &cached{kind, s, ns, &diary{entries: map[string][]string{}, changed: make(chan struct{}, 1)}, generic.Informer()}
		if _, err := c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(obj any) { c.diary.add("add", obj, c.watched) },
			UpdateFunc: func(old, obj any) {
				if c.value(old) != c.value(obj) { // not the repetition of a first list
					c.diary.add("update", obj, c.watched)
				}
			},
			DeleteFunc: func(obj any) { c.diary.add("delete", obj, c.watched) },
		}); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// each does the same to every kind, and stops at the first fault.
func each(all []*cached, do func(c *cached) error) error {
	for _, c := range all {
		if err := do(c); err != nil {
			return fmt.Errorf("%s: %w", c.kind, err)
		}
	}
	return nil
}

// informers: five caches live through the death of the server; each change before, during and after arrives.
func (s *suite) informers() {
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	const ns = "informers"
	factory := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithNamespace(ns))
	var all []*cached
	s.check("watch-list", func(context.Context) error {
		var err error
		if err = s.namespace(ctx, ns); err != nil {
			return err
		}
		if all, err = s.watch(factory, ns); err != nil {
			return err
		}
		if err = each(all, func(c *cached) error { return c.create(ctx, "first", one) }); err != nil {
			return err
		}
		factory.Start(ctx.Done())
		within, stop := context.WithTimeout(ctx, patience)
		defer stop()
		for kind, ok := range factory.WaitForCacheSync(within.Done()) {
			if !ok {
				return fmt.Errorf("%s: not synced", kind)
			}
		}
		return each(all, func(c *cached) error { return first(c.diary.until(ctx, "first", "add "+one), c.streamed()) })
	})
	s.check("add-update-delete", func(context.Context) error {
		if err := each(all, func(c *cached) error {
			return first(c.create(ctx, "stays", one), c.create(ctx, "goes", one), c.create(ctx, "short", one),
				c.update(ctx, "stays", two), c.remove(ctx, "short"))
		}); err != nil {
			return err
		}
		return each(all, func(c *cached) error {
			return first(c.diary.until(ctx, "stays", "add "+one+", update "+two), c.diary.until(ctx, "short", "add "+one+", delete "+one),
				c.diary.until(ctx, "goes", "add "+one))
		})
	})
	s.check("informers-after-restart", func(context.Context) error { return s.afterRestart(ctx, all) })
}

func (s *suite) afterRestart(ctx context.Context, all []*cached) error {
	if err := s.ask("restart"); err != nil {
		return err
	}
	// The informers come back later (their backoff is longer), and have to catch up on these.
	if err := each(all, func(c *cached) error {
		return first(c.update(ctx, "stays", three), c.remove(ctx, "goes"), c.create(ctx, "comes", one))
	}); err != nil {
		return err
	}
	caughtUp := "add " + one + ", update " + two + ", update " + three
	if err := each(all, func(c *cached) error {
		return first(c.diary.until(ctx, "stays", caughtUp), c.diary.until(ctx, "goes", "add "+one+", delete "+one),
			c.diary.until(ctx, "comes", "add "+one))
	}); err != nil {
		return err
	}
	if err := each(all, func(c *cached) error { return c.update(ctx, "stays", four) }); err != nil {
		return err
	}
	started := time.Now()
	if err := each(all, func(c *cached) error {
		// Slices that mirror the Endpoints still come and go meanwhile.
		return first(c.diary.until(ctx, "stays", caughtUp+", update "+four), eventually(ctx, func() error { return c.agrees(ctx) }))
	}); err != nil {
		return err
	}
	if late := time.Since(started); late > 5*time.Second {
		return fmt.Errorf("live events took %s", late)
	}
	return nil
}
