// SPDX-License-Identifier: Apache-2.0
/** Answers of the command socket as they may come: in pieces, and wrong. */
import {mkdtempSync, rmSync} from 'node:fs';
import {createServer, type Server} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import type {Timers} from '../ports.ts';
import {ruleStats, rulesLoadedAt} from './command-socket.ts';
import {COMMAND_SOCKET} from './config.ts';

const never: Timers = {after: () => ({cancel: () => {}})};
let folder = '';
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-socket-'));
});
afterEach(() => {
  server?.close();
  rmSync(folder, {recursive: true});
});

/** Greets, then answers the command with these pieces, each written when the one before has left. */
const answers = async (pieces: readonly string[]): Promise<void> => {
  server = createServer(socket => {
    const write = (rest: readonly string[]): void => {
      const [piece, ...more] = rest;
      if (piece !== undefined) socket.write(piece, () => setImmediate(write, more));
    };
    socket.once('data', () => {
      socket.once('data', () => write(pieces));
      socket.write('{"return":"OK"}\n');
    });
  });
  await new Promise<void>(resolve => server?.listen(join(folder, COMMAND_SOCKET), resolve));
};
const ask = () => ruleStats(folder, never, 1000);

test.each([
  [['{"message":[{"id":0,"rules_loaded":2,"rules_failed":1,"rules_skipped":3}],"return":"OK"}\n'], 3],
  [['{"message":[{"id":0,"rules_lo', 'aded":2,"rules_failed":1}],"return":"OK"}', '\n'], 0],
])('F-07 an answer is read to its end: %j', async (pieces, skipped) => {
  await answers(pieces);
  expect(await ask()).toEqual({loaded: 2, failed: 1, skipped});
});

test.each([
  ['null\n', 'the answer is not a JSON object: null\n'],
  ['{"message": [\n', 'the answer is not a JSON object: {"message": [\n'],
  ['{"message":"no such command","return":"NOK"}\n', 'no such command'],
  ['{"message":[{"rules_loaded":"2","rules_failed":0}],"return":"OK"}\n', 'unexpected answer [{"rules_loaded":"2"'],
  ['{"message":[],"return":"OK"}\n', 'unexpected answer []'],
  ['{"message":[null],"return":"OK"}\n', 'unexpected answer [null]'],
])('F-07 an answer that is not what was asked for fails the command: %j', async (answer, words) => {
  await answers([answer]);
  await expect(ask()).rejects.toMatchObject({
    code: 'command-failed',
    message: expect.stringContaining(`Suricata's command "ruleset-stats": ${words}`),
  });
});

test('F-07 the time of the last load is the word of Suricata', async () => {
  await answers(['{"message":[{"id":0,"last_reload":"2026-01-01T00:00:00.000001+0000"}],"return":"OK"}\n']);
  expect(await rulesLoadedAt(folder, never, 1000)).toBe('2026-01-01T00:00:00.000001+0000');
});
