// SPDX-License-Identifier: Apache-2.0
/** Who may import whom, types included. ARCHITECTURE.md shows the same tables. */
import {describe, expect, test} from 'vitest';
import {faultsOf, importedFiles, importsOf, production, sources} from './source-files.ts';

const WIRES = ['kube-wire', 'ids-wire'];
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'kube-wire': [],
  'ids-wire': [],
  store: [],
  apiserver: ['kube-wire', 'store'],
  kinds: ['kube-wire', 'apiserver'],
  ids: ['ids-wire', 'apiserver', 'store'],
  sensor: ['ids-wire'],
  prober: ['ids-wire'],
  client: WIRES,
  console: [...WIRES, 'client'],
  provider: [...WIRES, 'client'],
  engine: [...WIRES, 'client', 'provider'],
  server: [...WIRES, 'store', 'apiserver', 'kinds', 'ids', 'sensor', 'prober', 'engine'],
  cli: [...WIRES, 'store', 'apiserver', 'kinds', 'client', 'provider', 'engine', 'server'],
};

/** The floors of apiserver from the top, by folder of `src`. A folder imports only from floors below its own. */
const FLOORS: readonly (readonly string[])[] = [
  ['kube-api'], // the files of `src` itself
  ['discovery'],
  ['http', 'controllers'],
  ['verbs'],
  ['answer'],
  ['registry'],
  ['kind'],
  ['authn', 'authz'],
  ['cache'],
  ['fairness'],
  ['request'],
  ['base', 'identity'],
];

const APISERVER = 'packages/apiserver/src/';
const packageOf = (path: string): string => path.split('/')[1] ?? '';
const folderOf = (path: string): string => {
  const [folder = '', file] = path.slice(APISERVER.length).split('/');
  return file === undefined ? 'kube-api' : folder;
};
const floorOf = (path: string): number => FLOORS.findIndex(floor => floor.includes(folderOf(path)));

/** Circles of more than one file, each from its first file by name. */
const circles = (edges: ReadonlyMap<string, readonly string[]>): string[] => {
  const found = new Set<string>();
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      const circle = trail.slice(start);
      const first = circle.indexOf([...circle].sort()[0] ?? '');
      found.add([...circle.slice(first), ...circle.slice(0, first)].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return [...found];
};

describe('packages', () => {
  test('a package imports only the layers below it, and never climbs into a sibling by path', () => {
    const faults = faultsOf(production, path => {
      const own = packageOf(path);
      return importsOf(path).flatMap(name => {
        const other = /^@palisade\/([^/]+)/.exec(name)?.[1];
        if (other !== undefined && other !== own && !(PACKAGES[own] ?? []).includes(other))
          return [`imports ${name}: not below ${own} in the table; move what both need down, or declare a port`];
        return /packages\//.test(name) ? [`climbs to ${name}: import the package by its name`] : [];
      });
    });
    expect(faults).toEqual([]);
  });

  test('every package has a row in the import table', () => {
    const packages = new Set(sources.map(packageOf));
    expect([...packages].filter(name => PACKAGES[name] === undefined)).toEqual([]);
  });

  test('49-1 the console and what it bundles of client need no module of Node; it knows no other API than that of client', () => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      importedFiles(path).forEach(visit);
    };
    visit('packages/client/src/browser.ts');
    const own = production.filter(path => packageOf(path) === 'console');
    expect(own.length).toBeGreaterThan(0);
    const faults = faultsOf([...reached, ...own], path => {
      const isConsole = packageOf(path) === 'console';
      return importsOf(path).flatMap(name => {
        if (name.startsWith('node:')) return [`imports ${name}: it runs in a browser`];
        if (isConsole && name.startsWith('@palisade/client') && name !== '@palisade/client/browser')
          return [`imports ${name}: import @palisade/client/browser`];
        return [];
      });
    });
    expect(faults).toEqual([]);
  });

  test('node:child_process only where processes are started; the wires touch no file, socket or process', () => {
    const starters = ['sensor', 'engine', 'server'];
    const outside = /^node:(fs|fs\/promises|net|http|https|http2|dgram|tls|os)$/;
    const faults = faultsOf(production, path => {
      const own = packageOf(path);
      return importsOf(path).flatMap(name => {
        if (name === 'node:child_process' && !starters.includes(own))
          return [`imports ${name}: pass the work as a port`];
        return WIRES.includes(own) && outside.test(name)
          ? [`imports ${name}: a wire is pure; take the bytes instead`]
          : [];
      });
    });
    expect(faults).toEqual([]);
  });
});

describe('floors of apiserver', () => {
  const files = production.filter(path => path.startsWith(APISERVER));

  test('every folder has a floor', () => {
    expect([...new Set(files.filter(path => floorOf(path) < 0).map(folderOf))]).toEqual([]);
  });

  test('no arrow runs up, or sideways between folders of one floor', () => {
    const faults = faultsOf(files, path =>
      importedFiles(path)
        .filter(to => folderOf(to) !== folderOf(path) && floorOf(to) <= floorOf(path))
        .map(to => `imports ${to}: ${folderOf(to)} is not below ${folderOf(path)}; move the shared piece down`),
    );
    expect(faults).toEqual([]);
  });
});

test('no files import each other in a circle', () => {
  const faults = circles(new Map(production.map(path => [path, importedFiles(path)])));
  expect(faults.map(circle => `${circle}: move what they share into a file of its own`)).toEqual([]);
});
