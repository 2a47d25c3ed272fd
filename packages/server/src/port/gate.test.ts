// SPDX-License-Identifier: Apache-2.0
/** Requests that come while the server starts wait for it, or are refused if it does not start. */
import {afterEach, describe, expect, test} from 'vitest';
import {connectRaw, HOST, type RawClient} from '../testing/raw-client.ts';
import {type Gate, gateBefore} from './gate.ts';
import {type Listener, listenPlain} from './listeners.ts';

let listener: Listener;
afterEach(async () => {
  const closed = listener.close();
  listener.force();
  await closed;
});

const GET = 'GET /api HTTP/1.1\r\nHost: h\r\n\r\n';
const opened = async (
  heldMax?: number,
): Promise<{gate: Gate; asked: () => number; client: () => Promise<RawClient>}> => {
  let asked = 0;
  const gate = gateBefore((_, response) => {
    asked++;
    response.end('<done>');
  }, heldMax);
  listener = await listenPlain({host: HOST, port: 0}, 'http', gate.handler);
  return {gate, asked: () => asked, client: () => connectRaw(listener.address.port)};
};
const hears = (client: RawClient, text: string): Promise<void> =>
  expect.poll(client.received, {interval: 5}).toContain(text);

describe('48-5 a gate', () => {
  test('holds requests until it opens; one whose client has gone is not begun', async () => {
    const {gate, asked, client} = await opened();
    const [stays, goes] = [await client(), await client()];
    await stays.send(GET);
    await goes.send(GET);
    goes.reset();
    await expect.poll(() => goes.peer.destroyed, {interval: 5}).toBe(true);
    expect([asked(), stays.received()]).toEqual([0, '']);
    gate.open();
    await hears(stays, '<done>');
    await stays.send(GET);
    await expect.poll(asked, {interval: 5}).toBe(2);
  });

  test('refuses what waits and what comes when the start failed, and does not keep a drain waiting', async () => {
    const {gate, asked, client} = await opened();
    const waits = await client();
    await waits.send(GET);
    gate.refuseAll();
    gate.open();
    await listener.close();
    await waits.closed;
    expect([asked(), waits.received()]).toEqual([
      0,
      expect.stringMatching(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/),
    ]);
  });

  test('refuses one more than it holds', async () => {
    const {gate, asked, client} = await opened(1);
    const [first, second] = [await client(), await client()];
    await first.send(GET);
    await second.send(GET);
    await hears(second, 'too many requests wait');
    gate.open();
    await hears(first, '<done>');
    expect(asked()).toBe(1);
  });
});
