// SPDX-License-Identifier: Apache-2.0
/** The house rules as a test: layers, sizes, places of process access, stray machine paths, banned names. */
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {encoding: 'utf8'})
  .split('\n')
  .filter(path => path !== '');
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''; // removed, not yet committed
    throw error;
  }
};
const sources = tracked.filter(path => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !path.includes('/src/gen/'));
const production = sources.filter(path => !/\.(test|prop\.test|bench)\.ts$/.test(path) && !path.includes('/testing/'));

/** Who may import whom. ARCHITECTURE.md shows the same table. */
const WIRES = ['kube-wire', 'ids-wire'];
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'kube-wire': [],
  'ids-wire': [],
  store: [],
  apiserver: ['kube-wire', 'store'],
  kinds: ['kube-wire', 'apiserver'],
  ids: ['ids-wire', 'apiserver', 'store'],
  sensor: ['ids-wire'],
  client: WIRES,
  provider: [...WIRES, 'client'],
  engine: [...WIRES, 'client', 'provider'],
  server: [...WIRES, 'store', 'apiserver', 'kinds', 'ids', 'sensor', 'client', 'provider', 'engine'],
};

const importsOf = (path: string): string[] =>
  [...read(path).matchAll(/^\s*(?:import|export)\b[^'"]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm)].map(
    match => match[1] ?? match[2] ?? '',
  );

const faultsOf = (paths: readonly string[], judge: (path: string) => readonly string[]): string[] =>
  paths.flatMap(path => judge(path).map(fault => `${path}: ${fault}`));

describe('layers', () => {
  test('a package imports only the layers below it, and never climbs into a sibling by path', () => {
    const faults = faultsOf(production, path => {
      const own = path.split('/')[1] ?? '';
      return importsOf(path).flatMap(name => {
        const other = /^@palisade\/([^/]+)/.exec(name)?.[1];
        if (other !== undefined && other !== own && !(LAYERS[own] ?? []).includes(other)) return [`imports ${name}`];
        return /packages\//.test(name) ? [`climbs to ${name}`] : [];
      });
    });
    expect(faults).toEqual([]);
  });

  test('every package has a row in the import table', () => {
    const packages = new Set(sources.map(path => path.split('/')[1] ?? ''));
    expect([...packages].filter(name => LAYERS[name] === undefined)).toEqual([]);
  });

  test('node:child_process only in sensor, engine and server; the wires touch no file, socket or process', () => {
    const faults = faultsOf(production, path => {
      const own = path.split('/')[1] ?? '';
      return importsOf(path).flatMap(name => {
        if (name === 'node:child_process' && !['sensor', 'engine', 'server'].includes(own)) return [`imports ${name}`];
        const outside = /^node:(fs|fs\/promises|net|http|https|http2|dgram|tls|os)$/.test(name);
        return WIRES.includes(own) && outside ? [`imports ${name}`] : [];
      });
    });
    expect(faults).toEqual([]);
  });
});

describe('form', () => {
  test('process.env, process.exit and console stay in src/bin', () => {
    const faults = faultsOf(
      production.filter(path => !path.includes('/src/bin/')),
      path => [...read(path).matchAll(/\bprocess\.(env|exit)\b|\bconsole\.\w+\(/g)].map(match => match[0]),
    );
    expect(faults).toEqual([]);
  });

  test('the clock and chance of the machine are read in one place for servers, in one for commands', () => {
    const places = ['packages/apiserver/src/time.ts', 'packages/engine/src/system.ts'];
    const faults = faultsOf(
      production.filter(path => !places.includes(path)),
      path => [...read(path).matchAll(/\bDate\.now\(\)|\bnew Date\(\)|\bMath\.random\(\)/g)].map(match => match[0]),
    );
    expect(faults).toEqual([]);
  });

  test('no source file is longer than 600 lines', () => {
    const tables = /(-table|-names|-list|-data)\.ts$/;
    const faults = faultsOf(
      sources.filter(path => !path.endsWith('.test.ts') && !tables.test(path)),
      path => {
        const lines = read(path).split('\n').length;
        return lines > 600 ? [`${lines} lines`] : [];
      },
    );
    expect(faults).toEqual([]);
  });

  test('no file is called utils, helpers, common or manager', () => {
    expect(sources.filter(path => /\/(utils|helpers|common|manager)(\.test)?\.ts$/.test(path))).toEqual([]);
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
