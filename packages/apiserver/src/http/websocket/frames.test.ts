// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {CLOSE, ClientFrames, closeFrame, messageFrame, pongFrame} from './frames.ts';

const MASK = Buffer.from([1, 2, 3, 4]);

/** As a client sends it. */
const masked = (first: number, payload: Buffer): Buffer => {
  const head =
    payload.length < 126
      ? Buffer.from([first, 0x80 | payload.length])
      : Buffer.from([first, 0x80 | 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, MASK, payload.map((byte, i) => byte ^ (MASK[i % 4] ?? 0))]);
};

const PING = masked(0x89, Buffer.from('hi'));
const BYE = masked(0x88, closeFrame(CLOSE.normal).subarray(2));

describe('what a server sends', () => {
  test.each([
    [125, [0x81, 125]],
    [126, [0x81, 126, 0, 126]],
    [0xff_ff, [0x81, 126, 0xff, 0xff]],
    [0x1_00_00, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
  ])('a text of %i bytes', (length, head) => {
    const message = Buffer.alloc(length, 'x');
    expect(messageFrame('text', message).equals(Buffer.concat([Buffer.from(head), message]))).toBe(true);
  });

  test('bytes, a pong and a close', () => {
    expect(messageFrame('binary', Buffer.from('x'))).toEqual(Buffer.from([0x82, 1, 0x78]));
    expect(pongFrame(Buffer.from('x'))).toEqual(Buffer.from([0x8a, 1, 0x78]));
    expect(closeFrame(CLOSE.normal)).toEqual(Buffer.from([0x88, 2, 3, 0xe8]));
  });
});

describe('what a client sends', () => {
  const words = (...chunks: Buffer[]): string[] => {
    const frames = new ClientFrames();
    return chunks
      .flatMap(chunk => frames.push(chunk))
      .map(word => (word.type === 'ping' ? `ping ${word.payload}` : word.type));
  };

  test('a ping and a close are heard, messages and pongs are passed over', () => {
    const messages = [
      masked(0x81, Buffer.from('text')),
      masked(0x02, Buffer.alloc(65_000)),
      masked(0x8a, Buffer.from('x')),
    ];
    expect(words(Buffer.concat([...messages.slice(0, 1), PING, ...messages, BYE, PING]))).toEqual(['ping hi', 'close']);
  });

  test('however it is cut', () => {
    const all = Buffer.concat([PING, masked(0x82, Buffer.alloc(300)), PING, BYE]);
    const bytes = [...all].map(byte => Buffer.of(byte));
    expect(words(...bytes)).toEqual(['ping hi', 'ping hi', 'close']);
  });

  test.each([
    ['not masked', Buffer.from([0x81, 2, 0x68, 0x69])],
    ['a ping that is too long', masked(0x89, Buffer.alloc(126))],
    ['a ping in parts', masked(0x09, Buffer.from('hi'))],
    ['no frames at all', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('%s is a fault', (_what, bytes) => {
    expect(words(bytes)).toEqual(['fault']);
  });

  test('a message is not kept', () => {
    const frames = new ClientFrames();
    const head = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, ...MASK]);
    expect(frames.push(head)).toEqual([]);
    for (let i = 0; i < 100; i++) expect(frames.push(Buffer.alloc(1_000))).toEqual([]);
    expect(frames.keptBytes).toBe(0);
  });

  test('nor what came with it', () => {
    const frames = new ClientFrames();
    frames.push(Buffer.concat([masked(0x82, Buffer.alloc(60_000)), PING.subarray(0, 3)]));
    expect(frames.keptBytes).toBe(3);
  });
});
