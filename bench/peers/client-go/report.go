// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Every wait of the program ends after this long; what is waited for comes within milliseconds.
const patience = 30 * time.Second

// report prints one JSON line per check: {"check": name, "ok": bool, "detail": what went wrong}.
type report struct {
	failed int
	stdin  *bufio.Reader
	out    *json.Encoder
}

func newReport() *report {
	return &report{stdin: bufio.NewReader(os.Stdin), out: json.NewEncoder(os.Stdout)}
}

type line struct {
	Check  string `json:"check,omitempty"`
	Ok     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
	Ask    string `json:"ask,omitempty"`
}

// check runs one check under a deadline and prints how it ended.
func (r *report) check(name string, body func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	out := line{Check: name, Ok: true}
	if err := body(ctx); err != nil {
		out.Ok, out.Detail = false, err.Error()
		r.failed++
	}
	_ = r.out.Encode(out)
}

// ask has the parent do something (restart the server) and returns when it is done: one line comes back on stdin.
func (r *report) ask(what string) error {
	if err := r.out.Encode(line{Ask: what}); err != nil {
		return err
	}
	answer, err := r.stdin.ReadString('\n')
	if err != nil {
		return fmt.Errorf("no answer to %q: %w", what, err)
	}
	if answer != "done\n" {
		return fmt.Errorf("answer to %q: %q", what, answer)
	}
	return nil
}

// equal is nil when both sides have the same JSON.
func equal(what string, got, want any) error {
	g, errG := json.Marshal(got)
	w, errW := json.Marshal(want)
	if errG != nil || errW != nil {
		return fmt.Errorf("%s: %v %v", what, errG, errW)
	}
	if string(g) != string(w) {
		return fmt.Errorf("%s: got %s, want %s", what, g, w)
	}
	return nil
}

// first returns the first of several findings that is an error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
