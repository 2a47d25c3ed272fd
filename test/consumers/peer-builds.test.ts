// SPDX-License-Identifier: Apache-2.0
/** When a program of others is built: if it is missing, and again if anything it is built of changed. */
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import {builder, kubernetesVersion, linkedVersion} from '../../bench/peer-builds.ts';
import {type Scratch, scratch} from '../support/palisade.ts';

let folder: Scratch;
let modules: string;
let programs: string;
beforeAll(() => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  folder = scratch();
  [modules, programs] = [join(folder.dir, 'modules'), join(folder.dir, 'programs')];
});
afterAll(() => {
  vi.restoreAllMocks();
  folder[Symbol.dispose]();
});

/** Writes a file of the module of kubectl. */
const write = (name: string, text: string): void => {
  mkdirSync(join(modules, 'kubectl'), {recursive: true});
  writeFileSync(join(modules, 'kubectl', name), text);
};
const runs: (readonly string[])[] = [];
const places = (fault?: string) => ({
  modules: modules,
  programs: programs,
  mayBuild: false,
  go: (args: readonly string[]) => {
    runs.push(args);
    if (fault === undefined) writeFileSync(String(args[args.indexOf('-o') + 1]), 'a program');
    return fault;
  },
});

test('45-3 a peer is built again when its versions, sums, sources or flags changed, and not otherwise', () => {
  const {buildPeer, peerOrWhyNot} = builder(places());
  const changes: Readonly<Record<string, string>>[] = [
    {'go.mod': 'module m\n\nrequire (\n\tk8s.io/kubectl v0.37.1\n)\n', 'go.sum': 'a\n', 'main.go': 'package main\n'},
    {'go.mod': 'module m\n\nrequire k8s.io/kubectl v0.37.2\n'},
    {'go.sum': 'b\n'},
    {'main.go': 'package main // changed\n'},
    {'second.go': 'package main\n'},
  ];
  for (const [n, files] of changes.entries()) {
    for (const [name, text] of Object.entries(files)) write(name, text);
    expect(peerOrWhyNot('kubectl')).toEqual({
      path: '',
      whyNot: `${n === 0 ? 'no build/peers/kubectl' : 'build/peers/kubectl is of other sources'}, make peers builds it`,
    });
    expect(runs).toHaveLength(n);
    expect(buildPeer('kubectl')).toBe(join(programs, 'kubectl'));
    expect(buildPeer('kubectl')).toBe(join(programs, 'kubectl'));
    expect(runs).toHaveLength(n + 1);
    expect(peerOrWhyNot('kubectl').whyNot).toBe('');
  }
  expect(runs.map(args => /gitVersion=\S+/.exec(args.join(' '))?.[0]).slice(0, 2)).toEqual([
    'gitVersion=v1.37.1',
    'gitVersion=v1.37.2',
  ]);
});

test('45-3 a program whose build failed, or that lies there without a stamp, counts as none', () => {
  write('main.go', 'package main // fails\n');
  expect(builder(places('exit 1')).buildPeer('kubectl')).toBeUndefined();
  expect(builder(places()).peerOrWhyNot('kubectl').whyNot).toMatch('is of other sources');
  expect(builder({...places(), mayBuild: true}).peerOrWhyNot('kubectl').whyNot).toBe('');
});

test('45-3 a program says which version of a module it was linked from', () => {
  const program = join(folder.dir, 'linked');
  writeFileSync(
    program,
    Buffer.from('\u0000\xffpath\tm\nmod\tm\t(devel)\t\ndep\tk8s.io/kubectl\tv0.37.1\th1:x=\n', 'latin1'),
  );
  expect(linkedVersion(program, 'k8s.io/kubectl')).toBe('v0.37.1');
  expect(linkedVersion(program, 'k8s.io/other')).toBeUndefined();
  expect(kubernetesVersion('v0.37.1')).toBe('v1.37.1');
});
