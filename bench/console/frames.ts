// SPDX-License-Identifier: Apache-2.0
/** What a user waits for and what stutters, as the page itself measures it. */
import type {BrowserContext, Page} from 'playwright-core';
import {percentile, printFigure} from '../figures.ts';
import {until} from '../processes.ts';

/** A frame of 60 Hz, and half of one for jitter. */
const DROPPED_AFTER_MS = 25;
const FRAME_MS = 1000 / 60;
const PAINT_MS_MAX = 30_000;

/** Runs in each page before its own scripts. */
const OBSERVE = `
  globalThis.benchPaints = {};
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) benchPaints[entry.name || entry.entryType] = entry.startTime;
  }).observe({type: 'paint', buffered: true});
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) benchPaints.lcp = entry.startTime;
  }).observe({type: 'largest-contentful-paint', buffered: true});
  globalThis.benchLongTasks = [];
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) benchLongTasks.push(entry.duration);
  }).observe({type: 'longtask', buffered: true});
`;

export const observe = (context: BrowserContext): Promise<unknown> => context.addInitScript(OBSERVE);

/** ms since the navigation began. */
export type Paints = {readonly first: number; readonly largest: number};

/** Waits for both: a heading is in the document before it is painted. */
export const paintsOf = async (page: Page): Promise<Paints> => {
  let paints: Record<string, number> = {};
  const isPainted = async (): Promise<boolean> => {
    paints = await page.evaluate<Record<string, number>>('benchPaints');
    return paints['first-contentful-paint'] !== undefined && paints['lcp'] !== undefined;
  };
  await until('the first and the largest paint', isPainted, PAINT_MS_MAX);
  return {first: paints['first-contentful-paint'] ?? Number.NaN, largest: paints['lcp'] ?? Number.NaN};
};

/** Turns the wheel over the element, down and up again, until `during` ends; records the time of each frame meanwhile. */
export const scrollDuring = async (page: Page, selector: string, during: Promise<unknown>): Promise<number[]> => {
  await page.evaluate(`(() => {
    globalThis.benchFrames = [];
    benchLongTasks.length = 0;
    let before = performance.now();
    let down = true;
    const element = document.querySelector(${JSON.stringify(selector)});
    const frame = now => {
      benchFrames.push(now - before);
      before = now;
      const most = element.scrollHeight - element.clientHeight;
      if (element.scrollTop >= most - 1 || element.scrollTop > 20_000) down = false;
      if (element.scrollTop <= 0) down = true;
      element.scrollTop += down ? 40 : -40;
      globalThis.benchHandle = requestAnimationFrame(frame);
    };
    globalThis.benchHandle = requestAnimationFrame(frame);
  })()`);
  await during;
  return page.evaluate<number[]>('cancelAnimationFrame(benchHandle), benchFrames.slice(1)');
};

/** Median, 99th percentile and longest frame, the share of dropped ones, and the longest task. */
export const printFrames = async (page: Page, name: string, frames: readonly number[]): Promise<void> => {
  const tenth = (value: number): number => Math.round(value * 10) / 10;
  const n = frames.length;
  printFigure({name: `${name}.frame.p50`, unit: 'ms', value: tenth(percentile(frames, 0.5)), n});
  printFigure({name: `${name}.frame.p99`, unit: 'ms', value: tenth(percentile(frames, 0.99)), n});
  printFigure({name: `${name}.frame.longest`, unit: 'ms', value: tenth(Math.max(...frames)), n});
  const late = frames.filter(ms => ms > DROPPED_AFTER_MS);
  const dropped = late.reduce((sum, ms) => sum + Math.round(ms / FRAME_MS) - 1, 0);
  printFigure({name: `${name}.frames.dropped`, unit: '%', value: tenth((100 * dropped) / (n + dropped)), n});
  const longest = await page.evaluate<number>('Math.max(0, ...benchLongTasks)');
  printFigure({name: `${name}.task.longest`, unit: 'ms', value: Math.round(longest), n});
};

/** MiB of JavaScript objects, after a collection. */
export const heapMiB = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const {usedSize} = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return Math.round((usedSize / 2 ** 20) * 10) / 10;
};
