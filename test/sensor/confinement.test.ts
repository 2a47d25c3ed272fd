// SPDX-License-Identifier: Apache-2.0
/** What keeps Suricata apart from the rest of the machine: Landlock, a user of its own, a cgroup. Real Suricata. */
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import {join} from 'node:path';
import {sendCommand} from '@palisade/sensor/testing';
import {describe, expect, test} from 'vitest';
import {countsOf, ipIn, isAlive, Lab, LabFolder, LabNetwork, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {hit, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 20_000;
const MIB = 2 ** 20;
const timers = {
  after: (ms: number, action: () => void) => {
    const timer = setTimeout(action, ms);
    return {cancel: () => clearTimeout(timer)};
  },
};
const ask = (folder: string, command: string): Promise<unknown> => sendCommand(folder, {command}, timers, LIMIT_MS);
const folderOf = (pid: number | undefined): string =>
  execFileSync('readlink', [`/proc/${pid}/cwd`])
    .toString()
    .trim();
const uidOf = (pid: number | undefined): string | undefined =>
  /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];

/** Folders of the cgroups of a process that are ours. */
const cgroupsOf = (pid: number | undefined): string[] => {
  const names = readFileSync(`/proc/${pid}/cgroup`, 'utf8').match(/palisade-[0-9a-f]{8}-[0-9a-f]+/g) ?? [];
  return [...new Set(names)].flatMap(name =>
    execFileSync('find', ['/sys/fs/cgroup', '-type', 'd', '-name', name]).toString().trim().split('\n'),
  );
};

describe.skipIf(whyNot !== undefined)(`the confinement of Suricata${skipReason}`, () => {
  test('43-7 under Landlock Suricata reads nothing outside of its folder, though its user may; reload and rotation work', async ctx => {
    using folder = new LabFolder();
    await using lab = new Lab({asNobody: folder});
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    await lab.ask('create', folder.options({rules, limits: {eveRotateBytes: 1, watchMs: 100}}));
    const [mine, other] = [newSpec(), newSpec()];
    for (const spec of [mine, other]) await lab.ask('start', spec);
    const {pid, confinement, notes} = await lab.health(mine);
    if (!confinement.landlock) ctx.skip(`this machine has no Landlock: ${notes.join('; ')}`);
    const [here, there] = [folderOf(pid), folderOf((await lab.health(other)).pid)];
    const name = readdirSync(there).find(file => file.endsWith('.rules')) ?? '';
    const asNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', 'cat', join(there, name)];
    expect(execFileSync('setpriv', asNobody).toString()).toBe(SEVERITY_RULES); // file permissions let it
    const loaded = async (): Promise<unknown> => {
      await ask(here, 'reload-rules');
      return ask(here, 'ruleset-stats');
    };
    const all = [expect.objectContaining({rules_loaded: 8, rules_failed: 0})];
    renameSync(join(here, name), join(here, 'kept'));
    symlinkSync('kept', join(here, name));
    expect(await loaded()).toEqual(all);
    execFileSync('ln', ['-sfn', join(there, name), join(here, name)]);
    expect(await loaded()).toEqual([expect.objectContaining({rules_loaded: 0})]);
    expect((await lab.ask('logs')).map(({message}) => message)).toContain(
      `suricata: opening rule file /proc/self/cwd/${name}: Permission denied.`,
    );
    renameSync(join(here, 'kept'), join(here, name));
    expect(await loaded()).toEqual(all);
    await lab.send(mine, [hit('one')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    await lab.ask('until', {logged: 'EVE file rotated'}, LIMIT_MS);
    await lab.send(mine, [hit('two')]);
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
    expect(await lab.health(mine)).toMatchObject({status: 'READY', reasons: [], notes: [], restarts: 0});
  });

  test.each([
    {
      what: 'a Suricata that was built without Landlock',
      script: 'case "$1" in --build-info) echo "  Landlock support:     no"; exit;; esac\nexec suricata "$@"\n',
      note: 'Landlock is not available: this Suricata was built without it; file permissions alone restrict Suricata',
    },
    {
      what: 'a kernel without Landlock',
      script:
        'echo \'{"log_level":"Error","event_type":"engine","engine":{"message":"Kernel does not support Landlock"}}\' >&2\nexec suricata "$@"\n',
      note: expect.stringMatching(/^Landlock is not available \(Suricata: Kernel does not support Landlock\): .+lsm=/),
    },
  ])(
    '43-7 $what is a note in the health and one line of the log, and the endpoint is READY',
    async ({script, note}) => {
      using folder = new LabFolder();
      await using lab = new Lab();
      const suricata = folder.file('wrapper', `#!/bin/sh\n${script}`, 0o755);
      await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], suricata}));
      for (const spec of [newSpec(), newSpec()]) {
        await lab.ask('start', spec);
        const health = await lab.health(spec);
        expect(health).toMatchObject({status: 'READY', reasons: [], notes: [note], confinement: {landlock: false}});
      }
      const lines = (await lab.ask('logs')).filter(({message}) => message.includes('Landlock'));
      expect(lines).toMatchObject([{level: 'info', message: 'Landlock is not available to Suricata'}]);
    },
  );

  test('43-7 the user of the sensors may change between two runs: Suricata goes on in its folder, and no alert is lost', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec();
    for (const [run, uid] of [4_000_001, 4_000_002].entries()) {
      await using lab = new Lab();
      await lab.ask('create', folder.options({rules, runAs: {uid, gid: uid}}));
      await lab.ask('start', spec);
      const {pid, confinement} = await lab.health(spec);
      expect({confinement: confinement.uid, process: uidOf(pid)}).toEqual({confinement: uid, process: String(uid)});
      const here = folderOf(pid);
      expect([here, join(here, 'eve.json')].map(path => statSync(path).uid)).toEqual([uid, uid]);
      expect(readdirSync(here).filter(name => name.startsWith('replaced-'))).toEqual([]);
      await lab.send(spec, [hit(run === 0 ? 'one' : 'two')]);
      await lab.ask('until', {alerts: run + 1}, LIMIT_MS);
      if (run === 0) await lab.kill();
    }
    expect(countsOf(folder.records())).toEqual({'1:1': 1, '1:2': 1});
  });

  test('43-7 the health has the version of Suricata and the age of its rules; a feed that is fetched again is fresh', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = [folder.file('suricata.rules', SEVERITY_RULES)];
    const ageDays = (days: number): void => {
      const seconds = Date.now() / 1000 - days * 86_400 - 60;
      utimesSync(rules[0] ?? '', seconds, seconds);
    };
    ageDays(40);
    await lab.ask('create', folder.options({rules}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const before = await lab.health(spec);
    expect(before).toMatchObject({
      status: 'READY',
      engineVersion: execFileSync('suricata', ['-V'])
        .toString()
        .match(/version (\S+)/)?.[1],
      rulesUpdated: statSync(rules[0] ?? '').mtime.toISOString(),
      rulesAgeDays: 40,
    });
    expect(before.notes).toContain(`rules of ${rules[0]} were last updated 40 days ago: run suricata-update`);
    ageDays(2);
    await lab.ask('setRules', rules);
    const {pid, ruleSetVersion} = before;
    const after = await lab.health(spec);
    expect(after).toMatchObject({pid, ruleSetVersion, rulesAgeDays: 2});
    expect(after.notes.filter(text => text.includes('last updated'))).toEqual([]);
  });

  test('43-7 each Suricata runs in a cgroup with its limits; groups of a killed server are removed, those of others are not', async ctx => {
    using folder = new LabFolder();
    const options = folder.options({
      rules: [folder.file('a.rules', SEVERITY_RULES)],
      resourceLimits: {memoryMax: 512 * MIB, cpuMax: 1.5},
    });
    const [kept, left] = [newSpec(), newSpec()];
    const lab = new Lab();
    await lab.ask('create', options);
    for (const spec of [kept, left]) await lab.ask('start', spec);
    const {pid, confinement, notes} = await lab.health(kept);
    if (confinement.memoryMaxBytes === undefined || confinement.cpuMaxCores === undefined) {
      await lab.leave();
      ctx.skip(`limits are not permitted here: ${notes.join('; ')}`);
    }
    const groups = cgroupsOf(pid);
    const all = [...groups, ...cgroupsOf((await lab.health(left)).pid)];
    const texts = groups.flatMap(group =>
      ['memory.limit_in_bytes', 'memory.max', 'cpu.cfs_quota_us', 'cpu.max']
        .filter(file => existsSync(join(group, file)))
        .map(file => readFileSync(join(group, file), 'utf8').trim()),
    );
    expect(texts.map(text => text.replace(/ 100000$/, '')).toSorted()).toEqual(['150000', String(512 * MIB)]);
    expect(groups.map(group => readFileSync(join(group, 'cgroup.procs'), 'utf8').trim())).toEqual(
      groups.map(() => String(pid)),
    );
    await lab.kill();
    await expect.poll(() => isAlive(pid ?? 0)).toBe(false);
    expect(all.filter(existsSync)).toEqual(all);
    const foreign = (groups[0] ?? '').replace(/palisade-[0-9a-f]{8}-/, 'palisade-00000000-');
    mkdirSync(foreign);
    try {
      await using next = new Lab();
      await next.ask('create', options);
      await next.ask('start', kept);
      expect(cgroupsOf((await next.health(kept)).pid).length).toBeGreaterThan(0);
      expect(cgroupsOf((await next.health(kept)).pid).filter(group => all.includes(group))).toEqual(groups);
      expect([foreign, ...all].filter(existsSync)).toEqual([foreign, ...groups]);
      await next.ask('stop', kept.endpoint);
      expect([foreign, ...all].filter(existsSync)).toEqual([foreign]);
    } finally {
      rmdirSync(foreign);
    }
  });

  test('43-7 a start that fails before Suricata runs leaves no cgroup', async () => {
    using folder = new LabFolder();
    using network = await LabNetwork.open();
    await using lab = new Lab({within: network});
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const more = {
      driver: 'afpacket-bpf',
      captureInterfaces: ['gone0'],
      resourceLimits: {memoryMax: 512 * MIB},
    } as const;
    const options = folder.options({rules, ...more});
    ipIn(network, 'link', 'add', 'gone0', 'type', 'veth', 'peer', 'name', 'gone1');
    await lab.ask('create', options);
    ipIn(network, 'link', 'delete', 'gone0');
    await expect(lab.ask('start', newSpec())).rejects.toMatchObject({
      code: 'start-failed',
      message: expect.stringContaining('the capture interface gone0 is not there'),
    });
    const id = createHash('sha256').update(realpathSync(options.dir)).digest('hex').slice(0, 8);
    const left = execFileSync('find', ['/sys/fs/cgroup', '-type', 'd', '-name', `palisade-${id}-*`]).toString();
    expect(left.split('\n').filter(path => !path.endsWith('-server'))).toEqual(['']);
  });

  test('43-7 a Suricata that is killed for its memory says which limit it reached', async ctx => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    await lab.ask('create', folder.options({rules, resourceLimits: {memoryMax: 24 * MIB}}));
    await lab.ask('ready');
    const warned = (await lab.ask('logs')).find(
      ({message}) => message === 'resource limits of the sensors not in force',
    );
    if (warned !== undefined) ctx.skip(`limits are not permitted here: ${JSON.stringify(warned.fields)}`);
    await expect(lab.ask('start', newSpec())).rejects.toMatchObject({
      code: 'start-failed',
      message: 'Suricata cannot start: it reached the memory limit of 24 MiB (--sensor-memory-max): raise the limit',
    });
  });
});
