// SPDX-License-Identifier: Apache-2.0
/** A log that cannot be written ends nothing. */
import fs from 'node:fs';
import {afterEach, expect, test, vi} from 'vitest';
import {createLogger} from './logger.ts';

afterEach(() => vi.restoreAllMocks());

test('lines that a full disk does not take are no failure of who logs; some are kept, and go out when there is room', () => {
  let full = true;
  let written = '';
  vi.spyOn(fs, 'writeSync').mockImplementation((_fd: number, text: unknown) => {
    if (full) throw Object.assign(new Error('no space left on device'), {code: 'ENOSPC'});
    written += String(text);
    return Buffer.byteLength(String(text));
  });
  const log = createLogger('info', 1_000_000);
  const kib = 'x'.repeat(1024);
  const say = (line: number): void => log.info({line, kib}, 'a line');
  for (let line = 1000; line < 3000; line++) say(line);
  full = false;
  say(3000); // finds no room, and makes it
  expect(written.length).toBeGreaterThan(1_000_000);
  expect(written.length).toBeLessThanOrEqual(1024 * 1024);
  say(3001);
  const lines = written.trimEnd().split('\n');
  expect(lines[0]).toContain('"line":1000,');
  expect(lines.at(-1)).toContain('"line":3001,');
});

test('43-5 another level counts for a logger and its children, also those that were made before', () => {
  let written = '';
  vi.spyOn(fs, 'writeSync').mockImplementation((_fd: number, text: unknown) => {
    written += String(text);
    return Buffer.byteLength(String(text));
  });
  const log = createLogger('info', 1_000_000);
  const part = log.child({part: 'ids'}).child({endpoint: 'web'});
  const said = (): unknown[] => {
    written = '';
    for (const each of [log, part]) each.debug('a line');
    return written.split('\n').filter(line => line !== '');
  };
  expect(said()).toHaveLength(0);
  log.level = 'debug';
  expect(said()).toHaveLength(2);
  log.level = 'warn';
  expect(said()).toHaveLength(0);
});
