// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// diary is what an informer told, in order.
type diary struct {
	mu      sync.Mutex
	entries []string
	changed chan struct{}
}

func (d *diary) add(word string, obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	e, ok := obj.(*corev1.Endpoints)
	if !ok {
		return
	}
	d.mu.Lock()
	d.entries = append(d.entries, fmt.Sprintf("%s %s %s", word, e.Name, strings.Join(ips(e), "+")))
	d.mu.Unlock()
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

func (d *diary) of(name string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := []string{}
	for _, entry := range d.entries {
		if strings.Contains(entry, " "+name+" ") {
			out = append(out, strings.Replace(entry, " "+name+" ", " ", 1))
		}
	}
	return out
}

// until waits for a condition over the diary.
func (d *diary) until(ctx context.Context, what string, done func() bool) error {
	deadline, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !done() {
		select {
		case <-d.changed:
		case <-deadline.Done():
			d.mu.Lock()
			defer d.mu.Unlock()
			return fmt.Errorf("waited for %s, saw %v", what, d.entries)
		}
	}
	return nil
}

func (s *suite) set(ctx context.Context, name, ip string) error {
	obj := object(name, ip)
	if _, err := s.endpoints().Update(ctx, obj, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	return nil
}

// restart: an informer and a plain watch live through the death of the server; each change before, during and after arrives.
func (s *suite) restart() {
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	factory := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithNamespace(s.ns))
	informer := factory.Core().V1().Endpoints().Informer()
	log := &diary{changed: make(chan struct{}, 1)}
	before := s.wire.seen()
	s.check("informer-before-restart", func(context.Context) error {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { log.add("add", obj) },
			UpdateFunc: func(_, obj any) { log.add("update", obj) },
			DeleteFunc: func(obj any) { log.add("delete", obj) },
		}); err != nil {
			return err
		}
		factory.Start(ctx.Done())
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return fmt.Errorf("no sync")
		}
		for _, step := range []func() error{
			func() error { _, err := s.create(ctx, object("stays", "10.0.0.1")); return err },
			func() error { _, err := s.create(ctx, object("goes", "10.0.0.1")); return err },
			func() error { return s.set(ctx, "stays", "10.0.0.2") },
			func() error { _, err := s.create(ctx, object("short", "10.0.0.1")); return err },
			func() error { return s.endpoints().Delete(ctx, "short", metav1.DeleteOptions{}) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		if err := log.until(ctx, "the delete of short", func() bool { return len(log.of("short")) == 2 }); err != nil {
			return err
		}
		return first(
			equal("stays", log.of("stays"), []string{"add 10.0.0.1", "update 10.0.0.2"}),
			equal("short", log.of("short"), []string{"add 10.0.0.1", "delete 10.0.0.1"}),
			equal("other media types than protobuf", s.wire.others(before), []string{}),
			equal("watched in protobuf", s.wire.seen()[protobuf+";stream=watch HTTP/2.0"] > before[protobuf+";stream=watch HTTP/2.0"], true),
		)
	})
	var since string
	s.check("killed-and-started", func(context.Context) error {
		list, err := s.endpoints().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		since = list.ResourceVersion
		if err := s.set(ctx, "stays", "10.0.0.3"); err != nil {
			return err
		}
		if err := s.ask("restart"); err != nil {
			return err
		}
		kept, err := s.endpoints().Get(ctx, "stays", metav1.GetOptions{})
		if err != nil {
			return err
		}
		// The informer has not come back yet (its backoff is longer): it has to catch up on these.
		for _, step := range []func() error{
			func() error { return s.set(ctx, "stays", "10.0.0.4") },
			func() error { return s.endpoints().Delete(ctx, "goes", metav1.DeleteOptions{}) },
			func() error { _, err := s.create(ctx, object("comes", "10.0.0.1")); return err },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return equal("the last answered write", ips(kept), []string{"10.0.0.3"})
	})
	s.check("watch-resumes-over-restart", func(context.Context) error { return s.resume(ctx, since) })
	s.check("informer-after-restart", func(context.Context) error { return s.afterRestart(ctx, log, informer.GetStore()) })
	s.check("informer-after-drain", func(context.Context) error {
		if err := s.ask("drain"); err != nil {
			return err
		}
		if err := s.set(ctx, "stays", "10.0.0.6"); err != nil {
			return err
		}
		return log.until(ctx, "a change after the drained restart", func() bool { return slices.Contains(log.of("stays"), "update 10.0.0.6") })
	})
	s.check("informer-after-restore", func(context.Context) error { return s.afterRestore(ctx, log, informer.GetStore()) })
}

// afterRestore: the server is restored from a backup. The informer drops later writes, and receives changes after the restore.
func (s *suite) afterRestore(ctx context.Context, log *diary, store cache.Store) error {
	if err := s.ask("backup"); err != nil {
		return err
	}
	if err := s.set(ctx, "stays", "10.0.0.7"); err != nil {
		return err
	}
	if _, err := s.create(ctx, object("lost", "10.0.0.1")); err != nil {
		return err
	}
	if err := log.until(ctx, "writes after the backup", func() bool {
		return len(log.of("lost")) == 1 && slices.Contains(log.of("stays"), "update 10.0.0.7")
	}); err != nil {
		return err
	}
	if err := s.ask("restore"); err != nil {
		return err
	}
	if err := log.until(ctx, "the state of the backup", func() bool {
		stays := log.of("stays")
		return len(log.of("lost")) == 2 && stays[len(stays)-1] == "update 10.0.0.6"
	}); err != nil {
		return err
	}
	if err := s.set(ctx, "stays", "10.0.0.8"); err != nil {
		return err
	}
	if err := log.until(ctx, "a change after the restore", func() bool { return slices.Contains(log.of("stays"), "update 10.0.0.8") }); err != nil {
		return err
	}
	return first(
		equal("lost", log.of("lost"), []string{"add 10.0.0.1", "delete 10.0.0.1"}),
		s.storeIsList(ctx, store),
	)
}

// resume: a watch from a version before the restart brings every later change once, in order.
func (s *suite) resume(ctx context.Context, since string) error {
	w, err := s.endpoints().Watch(ctx, metav1.ListOptions{ResourceVersion: since, AllowWatchBookmarks: true})
	if err != nil {
		return err
	}
	defer w.Stop()
	words := []string{}
	for len(words) < 4 {
		word, obj, err := next(ctx, w)
		if err != nil {
			return fmt.Errorf("after %v: %w", words, err)
		}
		if word != "BOOKMARK " {
			words = append(words, word+" "+strings.Join(ips(obj), "+"))
		}
	}
	return equal("changes", words, []string{
		"MODIFIED stays 10.0.0.3", "MODIFIED stays 10.0.0.4", "DELETED goes 10.0.0.1", "ADDED comes 10.0.0.1",
	})
}

func (s *suite) afterRestart(ctx context.Context, log *diary, store cache.Store) error {
	if err := log.until(ctx, "what happened while the informer was cut off", func() bool {
		return len(log.of("goes")) == 2 && len(log.of("comes")) == 1 && slices.Contains(log.of("stays"), "update 10.0.0.4")
	}); err != nil {
		return err
	}
	if err := s.set(ctx, "stays", "10.0.0.5"); err != nil {
		return err
	}
	if err := s.endpoints().Delete(ctx, "comes", metav1.DeleteOptions{}); err != nil {
		return err
	}
	started := time.Now()
	if err := log.until(ctx, "live events again", func() bool {
		return len(log.of("comes")) == 2 && slices.Contains(log.of("stays"), "update 10.0.0.5")
	}); err != nil {
		return err
	}
	if late := time.Since(started); late > 5*time.Second {
		return fmt.Errorf("live events took %s", late)
	}
	return first(
		equal("goes", log.of("goes"), []string{"add 10.0.0.1", "delete 10.0.0.1"}),
		equal("comes", log.of("comes"), []string{"add 10.0.0.1", "delete 10.0.0.1"}),
		s.storeIsList(ctx, store),
	)
}

func (s *suite) storeIsList(ctx context.Context, store cache.Store) error {
	list, err := s.endpoints().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	stored := map[string]string{}
	for _, item := range store.List() {
		e := item.(*corev1.Endpoints)
		stored[e.Name] = e.ResourceVersion
	}
	listed := map[string]string{}
	for _, e := range list.Items {
		listed[e.Name] = e.ResourceVersion
	}
	return equal("the informer's store is what a list gives", stored, listed)
}
