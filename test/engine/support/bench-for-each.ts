// SPDX-License-Identifier: Apache-2.0
/** What imports this has a bench of its own for each test, with the stack `dev`. */
import {afterEach, beforeEach, vi} from 'vitest';
import {EngineBench} from './engine-bench.ts';

// Every step starts a program: on a busy machine that takes its time.
vi.setConfig({testTimeout: 240_000, hookTimeout: 60_000});

/** Of the test that runs. */
export let bench: EngineBench;

beforeEach(async () => {
  bench = new EngineBench();
  await bench.init();
});
afterEach(() => bench.remove());
