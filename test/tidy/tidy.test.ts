// SPDX-License-Identifier: Apache-2.0
/** The house rules as a test: places of process access, stray machine paths, banned names. */
import {describe, expect, test} from 'vitest';
import {faultsOf, production, read, sources, tracked} from './source-files.ts';

describe('form', () => {
  test('process.env, process.exit and console stay in src/bin', () => {
    const faults = faultsOf(
      production.filter(path => !path.includes('/src/bin/')),
      path => [...read(path).matchAll(/\bprocess\.(env|exit)\b|\bconsole\.\w+\(/g)].map(match => match[0]),
    );
    expect(faults).toEqual([]);
  });

  test('the clock and chance of the machine are read in one place each for servers, commands and the console', () => {
    const places = [
      ...['packages/apiserver/src/base/time.ts', 'packages/engine/src/system.ts'],
      'packages/console/src/clock.ts',
    ];
    const faults = faultsOf(
      production.filter(path => !places.includes(path)),
      path => [...read(path).matchAll(/\bDate\.now\(\)|\bnew Date\(\)|\bMath\.random\(\)/g)].map(match => match[0]),
    );
    expect(faults).toEqual([]);
  });

  test('no file is called utils, helpers, common or manager', () => {
    expect(sources.filter(path => /\/(utils|helpers|common|manager)(\.test)?\.tsx?$/.test(path))).toEqual([]);
  });

  test('every source starts with its licence line', () => {
    const missing = sources.filter(path => {
      const text = read(path);
      return text !== '' && !text.startsWith('// SPDX-License-Identifier: Apache-2.0');
    });
    expect(missing).toEqual([]);
  });

  test('no test is focused, and a skip says why', () => {
    const tests = tracked.filter(path => path.endsWith('.test.ts') && !path.endsWith('tidy.test.ts'));
    const faults = faultsOf(tests, path =>
      [...read(path).matchAll(/\b(?:test|it|describe)\.only\b|\b(?:xit|xtest)\(/g)].map(m => m[0]),
    );
    expect(faults).toEqual([]);
  });
});

describe('what must not be in the repository', () => {
  const texts = tracked.filter(path => !/\.(pcap|png|tgz|bin)$/.test(path) && path !== 'package-lock.json');

  test('no path of a machine and no host of a package registry', () => {
    // Written in pieces, so that this file does not find itself.
    const bad = new RegExp(
      [
        '(^|[^a-z.])/',
        '(work|farm)/',
        '|https?://',
        '(registry|proxy|deb|security|files|pypi|static|index|repo1?)\\.',
      ].join(''),
    );
    const faults = faultsOf(texts, path =>
      read(path)
        .split('\n')
        .flatMap((line, i) => (bad.test(line) ? [`line ${i + 1}: ${line.trim().slice(0, 100)}`] : [])),
    );
    expect(faults).toEqual([]);
  });

  test('the lock file names no download address', () => {
    expect(/"resolved": "https?:/.test(read('package-lock.json'))).toBe(false);
  });

  test('no blob over 2 MiB', () => {
    expect(tracked.filter(path => Buffer.byteLength(read(path)) > 2 * 1024 * 1024)).toEqual([]);
  });
});

test('the pinned Node 24 runs the tests', () => {
  expect(process.version).toMatch(/^v24\./);
});
