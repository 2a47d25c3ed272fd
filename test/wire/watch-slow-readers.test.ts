// SPDX-License-Identifier: Apache-2.0
/**
 * Readers of watches that stand still: they delay nobody, and are ended with a reason. They come through a socket in the file
 * system, for which the kernel holds a few hundred KiB; for a TCP connection of this machine it would hold several MiB.
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import {connect, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {
  type Clock,
  DEFAULT_LIMITS,
  everyoneIsMaster,
  type KubeApiOptions,
  mastersOnly,
  type Services,
  silentLog,
  systemTimers,
  type Timer,
  type Timers,
} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {serveKubeApi, type TestKubeApi} from './serve.ts';
import {ENDPOINTS, endpoints, freshName, WireClient} from './support.ts';

const STANDING_STILL = 500;
/** Bytes of one event; all events are more than the kernel, the server's buffers and the history hold for a reader. */
const EVENT_BYTES = 48 * 1024;
const EVENTS = 16;
/** Waits from here on are long: a watch's life, a standstill, bookmarks. */
const LONG_MS = 1_000;

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

/** A server with a door in the file system, and everyone who stands still at it. */
class Room implements AsyncDisposable {
  readonly warned: {count: number; text: string}[] = [];
  readonly readers: StoppedReader[] = [];
  readonly wire: WireClient;
  readonly #served: TestKubeApi;
  readonly #door: Server;
  readonly #folder = mkdtempSync(join(tmpdir(), 'palisade-door-'));

  private constructor(served: TestKubeApi) {
    this.#served = served;
    this.#door = createServer((request, response) => void served.api.handle(request, response));
    this.wire = new WireClient(served.url);
  }

  static async open(options: Pick<KubeApiOptions, 'clock' | 'timers' | 'limits'>): Promise<Room> {
    const warn = (fields: object, text: string) => void room.warned.push({...(fields as {count: number}), text});
    const served = await serveKubeApi({
      ...options,
      store: await openMemoryStore(),
      ...kubeModule,
      compat: 'kubernetes',
      authenticator: everyoneIsMaster,
      authorizer: mastersOnly,
      log: {...silentLog, warn},
    });
    const room = new Room(served);
    const door = join(room.#folder, 'door');
    await new Promise<void>(resolve => room.#door.listen(door, resolve));
    await room.wire.send('POST', '/api/v1/namespaces', {body: {metadata: {name: 'one'}}});
    for (let i = 0; i < STANDING_STILL; i++) room.readers.push(new StoppedReader(door));
    await Promise.all(room.readers.map(reader => reader.opened));
    return room;
  }

  get watchers(): Services['watchers'] {
    return this.#served.api.services.watchers;
  }

  /** One more object; resolves when it was answered. */
  async write(): Promise<string> {
    const body = endpoints(freshName(), undefined, {annotations: {filler: 'x'.repeat(EVENT_BYTES)}});
    await this.wire.send('POST', ENDPOINTS, {body});
    return `ADDED ${body.metadata.name}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const {socket} of this.readers) socket.destroy();
    await new Promise(resolve => this.#door.close(resolve));
    await this.#served[Symbol.asyncDispose]();
    rmSync(this.#folder, {recursive: true, force: true});
  }
}

test('E-275 500 watchers that do not read are ended with a reason and delay no other', async () => {
  await using room = await Room.open({
    limits: {historyBytesMax: EVENT_BYTES * 4, watchSocketBytesMax: EVENT_BYTES, watchBlockedMsMax: 500},
  });
  const awake = await room.wire.watch(ENDPOINTS);
  for (let i = 0; i < EVENTS; i++) expect([await room.write()]).toEqual(await awake.take(1));
  await expect.poll(() => room.watchers.ended['too-slow'], {timeout: 20_000}).toBe(STANDING_STILL);
  const told = () => room.warned.reduce((sum, {count}) => sum + count, 0);
  await expect.poll(told, {timeout: 20_000}).toBe(STANDING_STILL);
  expect(room.warned.length).toBeLessThan(10);
  expect(new Set(room.warned.map(({text}) => text))).toEqual(
    new Set(['watches were ended: their readers did not keep up']),
  );
  expect((await room.readers[0]?.rest())?.split('\r\n').at(-4)).toMatch(
    /^\{"type":"ERROR","object":\{"kind":"Status".*its reader did not keep up.*"reason":"Expired","code":410\}\}\n$/,
  );
  awake.close();
});

/** Each look at the clock takes 1 ms. Long waits end when the test says so, and short ones too while they are held. */
class HeldTime implements Clock, Timers {
  #nowMs = Date.now();
  isHolding = false;
  #waiting: {readonly delayMs: number; readonly action: () => void}[] = [];

  now(): number {
    return ++this.#nowMs;
  }

  after(delayMs: number, action: () => void): Timer {
    if (delayMs < LONG_MS && !this.isHolding) return systemTimers.after(delayMs, action);
    const entry = {delayMs, action};
    this.#waiting.push(entry);
    return {
      cancel: () => {
        this.#waiting = this.#waiting.filter(other => other !== entry);
      },
    };
  }

  soon(action: () => void): Timer {
    return systemTimers.soon(action);
  }

  /** Ends the waits of this length. */
  release(which: (delayMs: number) => boolean): void {
    const due = this.#waiting.filter(({delayMs}) => which(delayMs));
    this.#waiting = this.#waiting.filter(entry => !due.includes(entry));
    for (const {action} of due) action();
  }
}

test('E-275 500 watchers that do not read are ended a few at a time: other requests are answered in between', async () => {
  const time = new HeldTime();
  await using room = await Room.open({clock: time, timers: time});
  const awake = await room.wire.watch(ENDPOINTS);
  for (let i = 0; i < EVENTS; i++) expect([await room.write()]).toEqual(await awake.take(1));
  await expect.poll(() => room.watchers.blocked, {timeout: 20_000}).toBe(STANDING_STILL);
  time.isHolding = true;
  time.release(ms => ms === DEFAULT_LIMITS.watchBlockedMsMax);
  await expect.poll(() => room.watchers.ended['too-slow']).toBeGreaterThan(0);
  const written = await room.write();
  expect(room.watchers.ended['too-slow']).toBeLessThan(10);
  time.isHolding = false;
  time.release(ms => ms < LONG_MS);
  expect(await awake.take(1)).toEqual([written]);
  await expect.poll(() => room.watchers.ended['too-slow'], {timeout: 20_000}).toBe(STANDING_STILL);
  awake.close();
});
