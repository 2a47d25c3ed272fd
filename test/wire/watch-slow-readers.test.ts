// SPDX-License-Identifier: Apache-2.0
/**
 * Readers of watches that stand still: they delay nobody, and are ended with a reason. They come through a socket in the file
 * system, for which the kernel holds a few hundred KiB; for a TCP connection of this machine it would hold several MiB.
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {createServer} from 'node:http';
import {connect, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {everyoneIsMaster, mastersOnly} from '@palisade/apiserver';
import {serveKubeApi} from '@palisade/apiserver/testing';
import {kubeKinds} from '@palisade/endpoints';
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {ENDPOINTS, endpoints, freshName, WireClient} from './support.ts';

const STANDING_STILL = 500;
/** Bytes of one event; all events are more than the kernel, the server's buffers and the history hold for a reader. */
const EVENT_BYTES = 48 * 1024;
const EVENTS = 16;
const BLOCKED_MS = 500;

/** A watch whose socket is not read from after the head of the answer, until `rest` is called. */
class StoppedReader {
  readonly socket: Socket;
  readonly opened: Promise<void>;

  constructor(door: string) {
    this.socket = connect(door);
    this.socket.on('error', () => {}); // cut by the server some time after it was ended
    this.opened = new Promise(resolve => {
      this.socket.once('data', () => {
        this.socket.pause();
        resolve();
      });
    });
    this.socket.write(`GET ${ENDPOINTS}?watch=1 HTTP/1.1\r\nHost: door\r\nAccept: application/json\r\n\r\n`);
  }

  /** What was sent from then on, once somebody reads. */
  rest(): Promise<string> {
    return new Promise(resolve => {
      let text = '';
      this.socket.on('data', data => {
        text += data.toString('latin1');
        if (text.endsWith('0\r\n\r\n')) this.socket.destroy();
      });
      this.socket.once('close', () => resolve(text));
      this.socket.resume();
    });
  }
}

test('E-275 500 watchers that do not read are ended with a reason and delay no other', async () => {
  const warned: string[] = [];
  await using served = await serveKubeApi({
    store: await openMemoryStore(),
    kinds: kubeKinds,
    compat: 'kubernetes',
    authenticator: everyoneIsMaster,
    authorizer: mastersOnly,
    limits: {historyBytesMax: EVENT_BYTES * 4, watchSocketBytesMax: EVENT_BYTES, watchBlockedMsMax: BLOCKED_MS},
    log: {debug: () => {}, info: () => {}, warn: (_, text) => void warned.push(text), error: () => {}},
  });
  const folder = mkdtempSync(join(tmpdir(), 'palisade-door-'));
  const door = createServer((request, response) => void served.api.handle(request, response));
  await new Promise<void>(resolve => door.listen(join(folder, 'door'), resolve));
  const wire = new WireClient(served.url);
  await wire.send('POST', '/api/v1/namespaces', {body: {metadata: {name: 'one'}}});
  const readers = Array.from({length: STANDING_STILL}, () => new StoppedReader(join(folder, 'door')));
  try {
    await Promise.all(readers.map(reader => reader.opened));
    const awake = await wire.watch(ENDPOINTS);
    for (let i = 0; i < EVENTS; i++) {
      const body = endpoints(freshName(), undefined, {annotations: {filler: 'x'.repeat(EVENT_BYTES)}});
      await wire.send('POST', ENDPOINTS, {body});
      expect(await awake.take(1)).toEqual([`ADDED ${body.metadata.name}`]);
    }
    await expect.poll(() => warned.length, {timeout: 20_000}).toBe(STANDING_STILL);
    expect(new Set(warned)).toEqual(new Set(['a watch was ended: its reader did not keep up']));
    expect((await readers[0]?.rest())?.split('\r\n').at(-4)).toMatch(
      /^\{"type":"ERROR","object":\{"kind":"Status".*its reader did not keep up.*"reason":"Expired","code":410\}\}\n$/,
    );
    awake.close();
  } finally {
    for (const {socket} of readers) socket.destroy();
    await new Promise(resolve => door.close(resolve));
    rmSync(folder, {recursive: true, force: true});
  }
});
