// SPDX-License-Identifier: Apache-2.0
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import type {Readable, Writable} from 'node:stream';
import {expect, test} from 'vitest';
import {livenessOf, ownMark, type ProcessMark} from './process-mark.ts';

const mark = ownMark() as ProcessMark;

test('F-23 a running process is known by its pid and its mark', () => {
  expect(mark).toEqual({
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    namespace: expect.stringMatching(/^pid:\[\d+\]$/),
    startTicks: expect.stringMatching(/^\d+$/),
  });
  expect(livenessOf(process.pid, mark)).toBe('running');
  expect(livenessOf(process.pid)).toBe('running');
});

test.each<[string, Partial<ProcessMark>, string]>([
  ['a process that started at another time', {startTicks: '1'}, 'gone'],
  ['a process of another boot', {boot: '00000000-0000-0000-0000-000000000000'}, 'gone'],
  ['a process of another PID namespace', {namespace: 'pid:[1]'}, 'unknown'],
])('F-23 the pid of this process does not stand for %s', (_, change, expected) => {
  expect(livenessOf(process.pid, {...mark, ...change})).toBe(expected);
});

test('F-23 a process that ended is gone, collected or not', async () => {
  const {pid} = spawnSync(process.execPath, ['--version']);
  expect(livenessOf(pid)).toBe('gone');
  // The shell becomes `cat`, which never collects the child that the shell had; the child ends with the pipe at 3.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec cat'], {stdio: ['pipe', 'pipe', 'inherit', 'pipe']});
  try {
    const [line] = (await once(createInterface({input: parent.stdout as Readable}), 'line')) as [string];
    expect(livenessOf(Number(line))).toBe('running');
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('cat\n');
    (parent.stdio[3] as Writable).end();
    await expect.poll(() => readFileSync(`/proc/${line}/stat`, 'utf8')).toMatch(/\) Z /);
    expect(livenessOf(Number(line))).toBe('gone');
  } finally {
    parent.stdin?.end();
    await once(parent, 'exit');
  }
});

test.each([undefined, null, 0, -1, 1.5, '1', {}])('F-23 %j is no pid: nothing is known of it', pid => {
  expect(livenessOf(pid, mark)).toBe('unknown');
});

test.each([undefined, null, 5, {}, {boot: mark.boot}, {...mark, startTicks: ''}])(
  'F-23 without a whole mark (%j) the pid decides',
  given => {
    expect(livenessOf(process.pid, given)).toBe('running');
  },
);
