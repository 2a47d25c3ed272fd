// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterEach, describe, expect, test} from 'vitest';
import type {CgroupFiles} from './cgroup-files.ts';
import {type CgroupsOptions, openCgroups} from './cgroups.ts';
import {ownCgroup} from './own-cgroup.ts';

const GIB = 2 ** 30;
const dir = mkdtempSync(join(tmpdir(), 'palisade-cgroup-'));
afterEach(() => rmSync(join(dir, 'cgroups.json'), {force: true}));

const fail = (code: string): never => {
  throw Object.assign(new Error(code), {code});
};

/** Control groups as the kernel keeps them: which files exist, and what it refuses. */
class FakeKernel implements CgroupFiles {
  readonly files = new Map<string, string>();
  readonly procs = new Map<string, Set<string>>();
  readonly denied = new Set<string>();
  /** Texts that no file takes. */
  readonly invalid = new Set<string>();
  /** Names of the files of a new group. */
  readonly filesOf: (folder: string) => Readonly<Record<string, string>>;

  constructor(filesOf: FakeKernel['filesOf']) {
    this.filesOf = filesOf;
  }

  addGroup(folder: string, pids: readonly string[] = []): void {
    this.procs.set(folder, new Set(pids));
    for (const [name, text] of Object.entries(this.filesOf(folder))) this.files.set(join(folder, name), text);
  }

  read = async (path: string): Promise<string> => this.files.get(path) ?? fail('ENOENT');

  write = async (path: string, text: string): Promise<void> => {
    const folder = dirname(path);
    if (this.denied.has(folder)) fail('EACCES');
    if (path.endsWith('/cgroup.procs')) {
      for (const pids of this.procs.values()) pids.delete(text);
      (this.procs.get(folder) ?? fail('ENOENT')).add(text);
      return;
    }
    if (!this.files.has(path)) fail('ENOENT');
    if (this.invalid.has(text)) fail('EINVAL');
    const isHandingOn = path.endsWith('/cgroup.subtree_control');
    if (isHandingOn && (this.procs.get(folder)?.size ?? 0) > 0) fail('EBUSY');
    this.files.set(path, isHandingOn ? text.replaceAll('+', '') : text);
  };

  mkdir = async (path: string): Promise<void> => {
    if (this.denied.has(dirname(path))) fail('EACCES');
    if (!this.procs.has(path)) this.addGroup(path);
  };

  rmdir = async (path: string): Promise<void> => {
    const pids = this.procs.get(path) ?? fail('ENOENT');
    if (pids.size > 0) fail('EBUSY');
    this.procs.delete(path);
  };

  folders = async (path: string): Promise<readonly string[]> =>
    [...this.procs.keys()].filter(folder => dirname(folder) === path).map(folder => folder.slice(path.length + 1));
}

const V1 = {
  cgroup: '4:memory:/app\n1:cpu,cpuacct:/\n0::/\n',
  mountinfo: `30 20 0:26 / /cg/memory rw - cgroup cgroup rw,memory
31 20 0:27 / /cg/cpu\\040and\\040more rw shared:9 - cgroup cgroup rw,cpu,cpuacct
`,
};
const V2 = {
  cgroup: '0::/system.slice/palisade.service\n',
  mountinfo: '30 20 0:26 /system.slice /cg rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n',
};
const V2_OWN = '/cg/palisade.service';
const V2_FILES = {'cgroup.controllers': 'cpuset cpu memory pids\n', 'cgroup.subtree_control': '\n'};
const LIMIT_FILES = {
  'memory.max': 'max',
  'memory.swap.max': 'max',
  'memory.events': 'low 0\noom_kill 0\n',
  'cpu.max': 'max 100000',
};

const logged: object[] = [];
const note = (fields: object): void => void logged.push(fields);
const open = (files: FakeKernel, more: Partial<CgroupsOptions>) =>
  openCgroups({
    limits: {memoryMax: 2 * GIB, cpuMax: 1.5},
    dir,
    id: '1234abcd',
    pid: 77,
    cannotEnter: undefined,
    files,
    own: V2,
    log: {debug: () => {}, info: () => {}, warn: note, error: note},
    ...more,
  });

const kernelV2 = (pids: readonly string[]): FakeKernel => {
  const kernel = new FakeKernel(() => ({...V2_FILES, ...LIMIT_FILES}));
  kernel.addGroup(V2_OWN, pids);
  return kernel;
};

describe('43-7 cgroups of the sensors', () => {
  test('43-7 the own group is found in version 1 and 2, and below the root of a mount', () => {
    expect(ownCgroup('memory', V1.cgroup, V1.mountinfo)).toEqual({version: 1, folder: '/cg/memory/app'});
    expect(ownCgroup('cpu', V1.cgroup, V1.mountinfo)).toEqual({version: 1, folder: '/cg/cpu and more'});
    expect(ownCgroup('cpu', V2.cgroup, V2.mountinfo)).toEqual({version: 2, folder: V2_OWN});
    expect(ownCgroup('cpu', '0::/user.slice', V2.mountinfo)).toBeUndefined();
    expect(ownCgroup('memory', V2.cgroup, V1.mountinfo)).toBeUndefined();
  });

  test('43-7 version 2: a server that is alone in its group moves below it, and limits each Suricata', async () => {
    const kernel = kernelV2(['77']);
    const cgroups = await open(kernel, {});
    expect(cgroups).toMatchObject({limits: {memoryMax: 2 * GIB, cpuMax: 1.5}, missing: []});
    expect(kernel.procs.get(`${V2_OWN}/palisade-1234abcd-server`)).toEqual(new Set(['77']));
    expect(kernel.files.get(`${V2_OWN}/cgroup.subtree_control`)).toBe('memory cpu');
    const group = await cgroups.make('e1');
    const folder = `${V2_OWN}/palisade-1234abcd-e1`;
    expect(group.procs).toEqual([`${folder}/cgroup.procs`]);
    const textOf = (name: string): string | undefined => kernel.files.get(join(folder, name));
    expect(['memory.max', 'memory.swap.max', 'cpu.max'].map(textOf)).toEqual([String(2 * GIB), '0', '150000 100000']);
    kernel.files.set(`${folder}/memory.events`, 'low 0\noom 1\noom_kill 1\n');
    expect(await group.end()).toBe('it reached the memory limit of 2048 MiB (--sensor-memory-max): raise the limit');
    expect(kernel.procs.has(folder)).toBe(false);
  });

  test('43-7 version 2: among other processes nothing is moved, and each limit says what it needs', async () => {
    const kernel = kernelV2(['77', '78']);
    const cgroups = await open(kernel, {});
    const why = `is not in force: other processes are in the cgroup ${V2_OWN}: run palisade as a systemd service with Delegate=yes`;
    const missing = [
      `memory limit of 2048 MiB (--sensor-memory-max) ${why}`,
      `processor limit of 1.5 cores (--sensor-cpu-max) ${why}`,
    ];
    expect(cgroups).toMatchObject({limits: {memoryMax: undefined, cpuMax: undefined}, missing});
    expect(logged.at(-1)).toEqual({missing});
    expect([...kernel.procs]).toEqual([[V2_OWN, new Set(['78', '77'])]]);
    const group = await cgroups.make('e1');
    expect([group.procs, await group.end()]).toEqual([[], undefined]);
  });

  test('43-7 version 2: a controller that is not delegated, and a group that may not be changed', async () => {
    const files = {'cgroup.controllers': 'memory pids', 'cgroup.subtree_control': 'memory'};
    const kernel = new FakeKernel(() => ({...files, ...LIMIT_FILES}));
    kernel.addGroup(V2_OWN);
    const partly = await open(kernel, {});
    expect(partly.limits).toEqual({memoryMax: 2 * GIB, cpuMax: undefined});
    expect(partly.missing).toEqual([
      `processor limit of 1.5 cores (--sensor-cpu-max) is not in force: the cgroup ${V2_OWN} has no controller "cpu": run palisade as a systemd service with Delegate=yes, or as root`,
    ]);
    kernel.denied.add(V2_OWN);
    const {missing} = await open(kernel, {limits: {memoryMax: GIB}});
    expect(missing).toEqual([
      `memory limit of 1024 MiB (--sensor-memory-max) is not in force: the cgroup ${V2_OWN} cannot be changed (EACCES): run palisade as a systemd service with Delegate=yes, or as root`,
    ]);
  });

  test('43-7 version 1: a group in each hierarchy, with limits in the files that this kernel has', async () => {
    const kernel = new FakeKernel(folder =>
      folder.startsWith('/cg/memory')
        ? {'memory.limit_in_bytes': '', 'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 0\n'}
        : {'cpu.cfs_period_us': '', 'cpu.cfs_quota_us': ''},
    );
    const cgroups = await open(kernel, {own: V1});
    const group = await cgroups.make('e1');
    const [memory, cpu] = ['/cg/memory/app/palisade-1234abcd-e1', '/cg/cpu and more/palisade-1234abcd-e1'];
    expect(group.procs).toEqual([`${memory}/cgroup.procs`, `${cpu}/cgroup.procs`]);
    expect(kernel.files.get(`${memory}/memory.limit_in_bytes`)).toBe(String(2 * GIB));
    expect(kernel.files.get(`${cpu}/cpu.cfs_quota_us`)).toBe('150000');
    expect(await group.end()).toBeUndefined();
    expect([...kernel.procs.keys()]).toEqual([]);
  });

  test('43-7 a limit that the kernel refuses is not in force, with the reason; the other one is, and no group stays', async () => {
    const kernel = new FakeKernel(folder =>
      folder.startsWith('/cg/memory')
        ? {'memory.limit_in_bytes': ''}
        : {'cpu.cfs_period_us': '', 'cpu.cfs_quota_us': ''},
    );
    kernel.invalid.add('400000'); // more than the group of the server has: version 1 refuses that
    const cgroups = await open(kernel, {own: V1, limits: {memoryMax: GIB, cpuMax: 4}});
    expect(cgroups).toMatchObject({
      limits: {memoryMax: GIB, cpuMax: undefined},
      missing: [
        'processor limit of 4 cores (--sensor-cpu-max) is not in force: the kernel does not take it in the cgroup /cg/cpu and more (EINVAL): set no more than the limit of that cgroup itself',
      ],
    });
    expect([...kernel.procs.keys()]).toEqual([]);
    kernel.invalid.add(String(GIB)); // it was lowered meanwhile
    await expect(cgroups.make('e1')).rejects.toMatchObject({code: 'EINVAL'});
    expect([...kernel.procs.keys()]).toEqual([]);
  });

  test('43-7 groups of an earlier run of this data folder are removed wherever it ran; those of another are not', async () => {
    const kernel = kernelV2([]);
    await (await open(kernel, {})).make('e1');
    for (const name of ['palisade-99999999-e1', 'palisade-1234abcd-in-use']) kernel.addGroup(`${V2_OWN}/${name}`);
    kernel.procs.get(`${V2_OWN}/palisade-1234abcd-in-use`)?.add('5');
    const own = {...V2, cgroup: '0::/system.slice/other.service\n'};
    await (await open(kernel, {own, limits: {}})).clear();
    expect([...kernel.procs.keys()]).toEqual([
      V2_OWN,
      `${V2_OWN}/palisade-99999999-e1`,
      `${V2_OWN}/palisade-1234abcd-in-use`,
    ]);
  });

  test('43-7 limits need a hierarchy, and a way to put a process in a group before it changes its user', async () => {
    const kernel = kernelV2([]);
    const bare = await open(kernel, {own: {cgroup: '', mountinfo: ''}, limits: {cpuMax: 2}});
    expect(bare.missing).toEqual([
      'processor limit of 2 cores (--sensor-cpu-max) is not in force: no cgroup hierarchy with the controller "cpu" is mounted',
    ]);
    const blocked = await open(kernel, {cannotEnter: 'setpriv is missing', limits: {memoryMax: GIB}});
    expect(blocked.missing[0]).toContain('is not in force: setpriv is missing');
    expect((await open(kernel, {limits: {}})).missing).toEqual([]);
  });
});
