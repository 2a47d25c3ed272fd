// SPDX-License-Identifier: Apache-2.0
import {Duplex} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {onProtocol} from './first-bytes.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** A connection that gets what the test pushes, and timers that run when the test says so. */
const connection = () => {
  const socket = new Duplex({read: () => {}, write: (_chunk, _encoding, done) => done()});
  const due = new Set<() => void>();
  const decisions: boolean[] = [];
  const timers = {
    after: (_delayMs: number, action: () => void) => {
      due.add(action);
      return {cancel: () => void due.delete(action)};
    },
  };
  onProtocol(socket, {timers, withinMs: 1}, http2 => decisions.push(http2));
  const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
  const send = async (text: string): Promise<void> => {
    socket.push(text);
    await turn();
  };
  return {socket, due, decisions, send, turn};
};

describe('the first bytes', () => {
  test.each([
    ['GET / HTTP/1.1\r\n', 1, false],
    ['POST / HTTP/1.1\r\n', 2, false],
    ['PUT / HTTP/1.1\r\n', 2, false],
    ['PATCH / HTTP/1.1\r\n', 2, false],
    ['PRIVATE / HTTP/1.1\r\n', 4, false],
    ['PRI * HTTP/1.1\r\n', 12, false],
    [PREFACE, PREFACE.length, true],
  ])('%j sent byte by byte is told apart at byte %i, and nothing of it is lost', async (text, bytes, http2) => {
    const {socket, due, decisions, send} = connection();
    let sent = 0;
    for (const byte of text) {
      if (decisions.length > 0) break;
      await send(byte);
      sent++;
    }
    expect([sent, decisions]).toEqual([bytes, [http2]]);
    expect(due.size).toBe(0);
    expect(String(socket.read())).toBe(text.slice(0, bytes));
  });

  test('a whole segment is told apart at once', async () => {
    const {decisions, send} = connection();
    await send(`${PREFACE}more`);
    expect(decisions).toEqual([true]);
  });

  test('a connection that does not tell in time is closed', async () => {
    const {socket, due, decisions, send, turn} = connection();
    await send('P');
    for (const action of due) action();
    await turn();
    expect([socket.destroyed, decisions, due.size]).toEqual([true, [], 0]);
  });

  test('a connection that ends before is nobody’s', async () => {
    const {socket, decisions, send, turn} = connection();
    await send('P');
    socket.push(null);
    await turn();
    expect([socket.readableEnded, decisions]).toEqual([true, []]);
  });
});
