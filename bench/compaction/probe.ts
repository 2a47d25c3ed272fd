// SPDX-License-Identifier: Apache-2.0
/** A client that writes one small value after another, and how long it waited. */
import {setTimeout as delay} from 'node:timers/promises';
import {percentile, printFigure} from '../figures.ts';

const PAUSE_MS = 1;

/** Waits of writes, in ms, from now until `task` ends. */
export async function waitsDuring(write: () => Promise<unknown>, task: () => Promise<unknown>): Promise<number[]> {
  const waits: number[] = [];
  let isOver = false;
  const running = task().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const began = performance.now();
    await write();
    waits.push(performance.now() - began);
    await delay(PAUSE_MS);
  }
  await running;
  return waits;
}

const round = (ms: number): number => Math.round(ms * 10) / 10;

export const printWaits = (name: string, waits: readonly number[]): void => {
  printFigure({name: `${name}.write-wait.median`, unit: 'ms', value: round(percentile(waits, 0.5)), n: waits.length});
  printFigure({name: `${name}.write-wait.max`, unit: 'ms', value: round(Math.max(...waits)), n: waits.length});
};

export const printMiB = (name: string, bytes: number): void =>
  printFigure({name, unit: 'MiB', value: Math.round(bytes / 2 ** 20)});

/** Runs `work` for 0 … n-1, a bounded number at a time. */
export async function each(n: number, inFlight: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < n) await work(next++);
  };
  await Promise.all(Array.from({length: Math.min(n, inFlight)}, worker));
}

/** `objects` of so many bytes, each replaced so many times. */
export type Burst = {
  readonly name: string;
  readonly objects: number;
  readonly replaced: number;
  readonly bytes: number;
};
export const BURSTS: readonly Burst[] = [
  {name: 'million-versions', objects: 100_000, replaced: 10, bytes: 512},
  {name: 'objects-of-1-MB', objects: 20, replaced: 60, bytes: 1_000_000},
];
export const keyOf = (i: number): string => `/kube/endpoints/default/web-${String(i).padStart(6, '0')}`;
/** Keys in an order that is the same in each run, and has nothing to do with theirs. */
export const scattered = (i: number, n: number): number => (i * 48_271) % n;
