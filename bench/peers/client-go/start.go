// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// starter starts a server for tests over an empty store, and returns how to reach and how to stop it.
type starter func() (*rest.Config, func() error, error)

func palisade(program string) starter {
	return func() (*rest.Config, func() error, error) {
		dir, err := os.MkdirTemp("", "palisade")
		if err != nil {
			return nil, nil, err
		}
		server := exec.Command(program, "serve", "--data", dir, "--http", "127.0.0.1:0", "--auth", "none",
			"--apis", "kubernetes", "--compat", "kubernetes", "--log-level", "error")
		server.Stderr = os.Stderr
		stdout, err := server.StdoutPipe()
		if err != nil {
			return nil, nil, err
		}
		if err := server.Start(); err != nil {
			return nil, nil, err
		}
		stop := func() error {
			defer os.RemoveAll(dir)
			if err := server.Process.Signal(os.Interrupt); err != nil {
				return err
			}
			return server.Wait()
		}
		var ready struct{ HTTP string }
		if err := json.NewDecoder(stdout).Decode(&ready); err != nil {
			return nil, nil, fmt.Errorf("not ready: %w, %v", err, stop())
		}
		return &rest.Config{Host: ready.HTTP}, stop, nil
	}
}

// testEnvironment is what controller-runtime starts: etcd and kube-apiserver out of one folder.
func testEnvironment(assets string) starter {
	return func() (*rest.Config, func() error, error) {
		environment := &envtest.Environment{BinaryAssetsDirectory: assets}
		config, err := environment.Start()
		return config, environment.Stop, err
	}
}

// figures of one start: until a client has written an object, and until everything has ended.
type figures struct{ written, ended time.Duration }

func (start starter) measure() (figures, error) {
	began := time.Now()
	config, stop, err := start()
	if err != nil {
		return figures{}, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return figures{}, fmt.Errorf("%w, %v", err, stop())
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "first"}}
	if _, err := client.CoreV1().ConfigMaps("default").Create(context.Background(), object, metav1.CreateOptions{}); err != nil {
		return figures{}, fmt.Errorf("%w, %v", err, stop())
	}
	written := time.Since(began)
	began = time.Now()
	err = stop()
	return figures{written, time.Since(began)}, err
}

// measureStarts prints the medians of both, taken in turn.
func measureStarts(program, assets string, rounds int) error {
	log.SetLogger(logr.Discard())
	path, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	names := []string{"palisade", "envtest"}
	starters := map[string]starter{"palisade": palisade(path), "envtest": testEnvironment(assets)}
	taken := map[string][]figures{}
	for range rounds {
		for _, name := range names {
			one, err := starters[name].measure()
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			taken[name] = append(taken[name], one)
		}
	}
	for _, name := range names {
		median := func(of func(figures) time.Duration) int64 {
			values := []time.Duration{}
			for _, one := range taken[name] {
				values = append(values, of(one))
			}
			slices.Sort(values)
			return values[len(values)/2].Milliseconds()
		}
		for figure, of := range map[string]func(figures) time.Duration{
			"written": func(f figures) time.Duration { return f.written },
			"ended":   func(f figures) time.Duration { return f.ended },
		} {
			line, err := json.Marshal(map[string]any{
				"name": "start-for-tests." + name + "." + figure, "unit": "ms", "value": median(of), "n": rounds,
			})
			if err != nil {
				return err
			}
			fmt.Println(string(line))
		}
	}
	return nil
}
