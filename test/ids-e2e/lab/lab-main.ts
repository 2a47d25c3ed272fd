// SPDX-License-Identifier: Apache-2.0
/** A `palisade serve` in a network namespace of its own, and what its clients and mirrors do there. Ends with its input. */
import {createSocket} from 'node:dgram';
import {createInterface} from 'node:readline';
import {setTimeout as delay} from 'node:timers/promises';
import {run, serve} from '../../support/palisade.ts';
import {forwarder} from './forwarder.ts';
import type {CommandResult, Forwarding, HttpCall, LabQuestion, PlainAnswer, Sending} from './protocol.ts';

const VXLAN_PORT = 4789;
/** Frames between two pauses. */
const BURST = 4;

const server = await serve(process.argv.slice(2));
const answer = (id: number, content: object): void => {
  process.stdout.write(`${JSON.stringify({id, ...content})}\n`);
};

const http = async ({method, path, body}: HttpCall): Promise<PlainAnswer> => {
  const response = await fetch(`${server.ready.http}${path}`, {
    method,
    ...(body === undefined ? {} : {body, headers: {'content-type': 'application/json'}}),
  });
  return {status: response.status, headers: [...response.headers], text: await response.text()};
};

/** How many frames went out. */
const send = async ({ip, vni, frames, perSecond}: Sending): Promise<number> => {
  const socket = createSocket('udp4');
  const header = Buffer.alloc(8);
  header.writeUInt8(0x08, 0);
  header.writeUInt32BE(vni * 256, 4);
  try {
    for (const [index, frame] of frames.entries()) {
      const datagram = Buffer.concat([header, Buffer.from(frame, 'base64')]);
      await new Promise<void>((done, fail) =>
        socket.send(datagram, VXLAN_PORT, ip, error => (error === null ? done() : fail(error))),
      );
      if (index % BURST === BURST - 1) await delay((BURST * 1000) / perSecond);
    }
  } finally {
    socket.close();
  }
  return frames.length;
};

const command = (words: readonly string[]): Promise<CommandResult> =>
  run(words, {env: {PALISADE_SERVER: server.ready.http}});

/** Resolves when the socket accepts connections. */
const forward = ({socket: path, port}: Forwarding): Promise<void> => {
  const {hostname, port: number} = new URL(server.ready[port] ?? '');
  const listener = forwarder({host: hostname, port: Number(number)});
  return new Promise((done, fail) => listener.once('error', fail).listen(path, done));
};

const handle = async ({id, http: call, send: sending, palisade, forward: forwarding}: LabQuestion): Promise<void> => {
  try {
    if (call !== undefined) answer(id, {result: await http(call)});
    else if (sending !== undefined) answer(id, {result: await send(sending)});
    else if (forwarding !== undefined) answer(id, {result: await forward(forwarding)});
    else answer(id, {result: await command(palisade ?? [])});
  } catch (error) {
    answer(id, {error: error instanceof Error ? (error.stack ?? error.message) : String(error)});
  }
};

answer(0, {result: {pid: server.child.pid}});
for await (const line of createInterface({input: process.stdin})) void handle(JSON.parse(line) as LabQuestion);
await server.stop();
process.stderr.write(server.stderr());
