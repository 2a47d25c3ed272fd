// SPDX-License-Identifier: Apache-2.0
/** The main thread's side, with threads that a test plays. */
import {expect, test} from 'vitest';
import {
  LOG_AGAIN_MS,
  TARGETS_PER_MESSAGE_MAX,
  THREAD_LOOK_MS,
  THREAD_RESTART_MAX_MS,
  THREAD_RESTART_MIN_MS,
  THREAD_SILENT_LOOKS_MAX,
} from './limits.ts';
import type {CheckResult} from './port.ts';
import {createProber} from './prober.ts';
import type {Watched} from './schedule/scheduler.ts';
import {targetOf} from './testing/check-once.ts';
import {ManualTime} from './testing/manual-time.ts';
import type {ThreadOptions} from './thread/check-thread.ts';
import type {ThreadReport, ThreadResult, ToThread} from './thread/messages.ts';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const createLab = () => {
  const time = new ManualTime();
  const state: {fault: Error | undefined} = {fault: undefined};
  const said: {message: string; fields: Record<string, unknown>}[] = [];
  const note = (fields: Record<string, unknown>, message: string): void => void said.push({message, fields});
  const threads: {options: ThreadOptions; messages: ToThread[]; terminated: number}[] = [];
  const results: CheckResult[] = [];
  const prober = createProber({
    ...{clock: time, timers: time, random: {next: () => 0.5}, log: {info: note, warn: note, error: note}},
    openThread: options => {
      if (state.fault !== undefined) throw state.fault;
      const thread = {options, messages: [] as ToThread[], terminated: 0};
      threads.push(thread);
      return {
        post: message => void thread.messages.push(message),
        terminate: async () => {
          thread.terminated++;
          options.onEnd('');
        },
      };
    },
  });
  prober.onResults(batch => void results.push(...batch));
  const watched = (thread: number): readonly Watched[] =>
    threads[thread]?.messages.flatMap(message => ('watch' in message ? message.watch : [])) ?? [];
  const forgotten = (thread: number): readonly number[] =>
    threads[thread]?.messages.flatMap(message => ('forget' in message ? message.forget : [])) ?? [];
  const report = (results: readonly Partial<ThreadResult>[], more: Partial<ThreadReport> = {}): void =>
    threads.at(-1)?.options.onReport({
      results: results.map(result => ({number: 1, kind: 'passed', message: '', durationMs: 1, agoMs: 0, ...result})),
      ...{counts: {targets: 1, underWay: 0, waiting: 0}, delays: {count: 0, sumMs: 0, maxMs: 0}},
      ...more,
    });
  return {time, state, said, threads, results, prober, watched, forgotten, report};
};
const target = (id: string, delayMs = 0) => targetOf(80, {type: 'tcp'}, {id, delayMs});

test('46-2 what one turn asks for goes in messages of a bounded size; what is forgotten at once never goes', async () => {
  const {prober, threads, watched, forgotten} = createLab();
  for (let i = 0; i <= TARGETS_PER_MESSAGE_MAX; i++) prober.watch(target(`t${i}`));
  prober.forget('t0');
  prober.forget('unknown');
  expect(threads[0]?.messages).toEqual([]);
  await turn();
  expect(watched(0)).toHaveLength(TARGETS_PER_MESSAGE_MAX);
  prober.forget('t1');
  prober.watch(target('t2', 5)); // another one in its place
  await turn();
  expect([forgotten(0), watched(0).length, threads[0]?.messages.length]).toEqual([
    [2, 3],
    TARGETS_PER_MESSAGE_MAX + 1,
    2,
  ]);
});

test('46-2 I2 results of a target that was replaced or forgotten are not given on, those of others are, with their time', async () => {
  const {time, prober, results, report} = createLab();
  prober.watch(target('a'));
  prober.watch(target('b'));
  prober.watch(target('a', 5));
  prober.forget('b');
  report([
    {number: 1},
    {number: 2},
    {number: 3, kind: 'failed', message: 'connection refused', durationMs: 2.5, agoMs: 12},
  ]);
  expect(results).toEqual([
    {id: 'a', atMs: time.now() - 12, passed: false, durationMs: 2.5, message: 'connection refused'},
  ]);
  expect(prober.counts).toMatchObject({passed: 2, failed: 1, targets: 1});
});

test('46-2 a check that this machine could not make is no result; it is counted, and logged once a minute', () => {
  const {time, prober, results, said, report} = createLab();
  prober.watch(target('a'));
  const notMade = {kind: 'not-made', message: 'too many open files'} as const;
  report([notMade, notMade]);
  const SECOND_MS = 1_000;
  for (let ms = SECOND_MS; ms < LOG_AGAIN_MS; ms += SECOND_MS) {
    time.advance(SECOND_MS);
    report([notMade]);
  }
  expect([results, prober.counts.notMade, said.length]).toEqual([[], 61, 1]);
  time.advance(SECOND_MS);
  report([notMade]);
  expect(said).toEqual(
    Array.from({length: 2}, () => ({
      message: 'health check could not be made',
      fields: {reason: 'too many open files', ip: '127.0.0.1', port: 80, group: 'g'},
    })),
  );
});

test('46-2 waiting and late starts are logged and counted', () => {
  const {time, prober, said, report} = createLab();
  prober.watch(target('a'));
  const delays = {count: 10, sumMs: 20_000, maxMs: 4_000.4};
  report([], {counts: {targets: 9, underWay: 4, waiting: 5}, delays});
  report([], {counts: {targets: 9, underWay: 4, waiting: 5}, delays});
  expect(said).toEqual([
    {
      message: 'health checks are waiting, too many are under way, or too many of one group or namespace',
      fields: {underWay: 4, waiting: 5, latestByMs: 4_000, limit: 4_096, limitOfGroup: 1_024},
    },
  ]);
  expect(prober.counts).toMatchObject({underWay: 4, waiting: 5, started: 20, lateMs: 40_000});
  time.advance(1);
  report([], {delays});
  expect(said[1]?.message).toBe('health checks started late');
});

test('46-2 I1 a thread that ends is replaced after a wait that grows, with all targets and what is left of their delay', async () => {
  const {time, said, threads, prober, watched} = createLab();
  prober.watch(target('a', 60_000));
  prober.watch(target('b'));
  await turn();
  for (let wait = THREAD_RESTART_MIN_MS, i = 1; i <= 12; i++) {
    threads.at(-1)?.options.onEnd('out of memory');
    prober.watch(target(`while-${i}`)); // no thread just now
    prober.forget(`while-${i}`);
    time.advance(wait - 1);
    expect(threads).toHaveLength(i);
    time.advance(1);
    expect(threads).toHaveLength(i + 1);
    wait = Math.min(wait * 2, THREAD_RESTART_MAX_MS);
  }
  await turn();
  expect(watched(1).map(({number, target: {id, delayMs}}) => ({number, id, delayMs}))).toEqual([
    {number: 1, id: 'a', delayMs: 60_000 - THREAD_RESTART_MIN_MS},
    {number: 2, id: 'b', delayMs: 0},
  ]);
  expect(watched(12).map(({target: {delayMs}}) => delayMs)).toEqual([0, 0]);
  expect(said[0]).toEqual({
    message: 'thread of health checks ended, starting another one',
    fields: {error: 'out of memory', restartInMs: THREAD_RESTART_MIN_MS, targets: 2},
  });
  expect(prober.counts.threadStarts).toBe(13);
});

test('46-2 I1 a thread that cannot start is no error of who watches, and is tried again after the same wait', async () => {
  const {time, state, said, threads, prober, watched} = createLab();
  state.fault = new Error('ERR_WORKER_INIT_FAILED EAGAIN');
  prober.watch(target('a'));
  prober.watch(target('b'));
  time.advance(THREAD_RESTART_MIN_MS + THREAD_RESTART_MIN_MS * 2);
  expect(said.map(({message, fields}) => [message, fields['error'], fields['restartInMs']])).toEqual(
    [1, 2, 4].map(times => [
      'thread of health checks ended, starting another one',
      'ERR_WORKER_INIT_FAILED EAGAIN',
      THREAD_RESTART_MIN_MS * times,
    ]),
  );
  state.fault = undefined;
  time.advance(THREAD_RESTART_MIN_MS * 4);
  await turn();
  expect([threads.length, watched(0).map(({target: {id}}) => id)]).toEqual([1, ['a', 'b']]);
  expect(said.at(-1)?.message).toBe('thread of health checks started again');
  await Promise.all([prober.stop(), Promise.resolve(threads[0]?.options.onEnd(''))]);
  expect(time.pending).toBe(0);
});

test('46-2 a thread that says nothing any longer is ended and replaced; one that reports is not', () => {
  const {time, said, threads, prober, report} = createLab();
  prober.watch(target('a'));
  for (let i = 0; i < 50; i++) {
    time.advance(THREAD_LOOK_MS);
    report([]);
  }
  expect(threads[0]?.terminated).toBe(0);
  time.advance(THREAD_LOOK_MS * (THREAD_SILENT_LOOKS_MAX + 1));
  expect(threads[0]?.terminated).toBe(1);
  expect(said[0]?.fields).toMatchObject({error: 'it reported nothing any longer'});
});

test('46-2 an unexpected error of a check is logged', () => {
  const {said, threads, prober} = createLab();
  prober.watch(target('a'));
  threads[0]?.options.onFault('AssertionError');
  expect(said).toEqual([
    {message: 'health check met an unexpected error, others continue', fields: {error: 'AssertionError'}},
  ]);
});

test('46-2 stop waits for the thread to end, or ends it; without a thread there is nothing to wait for', async () => {
  await createLab().prober.stop();
  const {time, said, threads, prober} = createLab();
  prober.watch(target('a'));
  const stopped = prober.stop();
  expect(threads[0]?.messages).toEqual([{stop: true}]);
  time.advance(60_000);
  await stopped;
  expect([threads[0]?.terminated, threads.length, said, time.pending]).toEqual([1, 1, [], 0]);
});

test('46-2 after the end of a subscription nothing comes', () => {
  const {prober, results, report} = createLab();
  prober.watch(target('a'));
  const more: CheckResult[] = [];
  const end = prober.onResults(batch => void more.push(...batch));
  report([{}]);
  end();
  report([{}]);
  expect([results.length, more.length]).toEqual([2, 1]);
});
