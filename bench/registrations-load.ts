// SPDX-License-Identifier: Apache-2.0
/**
 * The machines of registrations.bench.ts, as a process of its own: each registers, makes its Lease, and renews it every ten
 * seconds with a merge patch, over HTTP/2. A renewal is sent at its time, whether the one before was answered or not.
 *
 *   node bench/registrations-load.ts URL CA-FILE MACHINES SECONDS      (started by the bench; talks to it in messages)
 */
import {readFileSync} from 'node:fs';
import {type ClientHttp2Session, connect} from 'node:http2';
import {setTimeout as delay} from 'node:timers/promises';
import {percentile} from './figures.ts';

export type LoadMessage =
  | {readonly type: 'registered'; readonly ms: number}
  | {
      readonly type: 'renewed';
      readonly sent: number;
      readonly failed: number;
      readonly ms: number;
      readonly p50: number;
      readonly p99: number;
    };

const [URL = '', CA = '', MACHINES = '0', SECONDS = '0'] = process.argv.slice(2);
const MACHINE_COUNT = Number(MACHINES);
const EVERY_MS = 10_000;
const SESSIONS = 100;
const IN_FLIGHT = 64;
const NAMESPACE = 'default';
const REGISTRATIONS = `/apis/platform.io/v1alpha1/namespaces/${NAMESPACE}/endpointregistrations`;
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;

const sessions: readonly ClientHttp2Session[] = Array.from({length: SESSIONS}, () =>
  connect(URL, {ca: readFileSync(CA)}),
);

const send = (machine: number, method: string, path: string, type: string, body: object): Promise<string> =>
  new Promise((done, fail) => {
    const session = sessions[machine % SESSIONS] as ClientHttp2Session;
    const stream = session.request({':method': method, ':path': path, 'content-type': type});
    const chunks: Buffer[] = [];
    let status = 0;
    stream.on('response', headers => {
      status = headers[':status'] ?? 0;
    });
    stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
    stream.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      if (status >= 200 && status < 300) done(text);
      else fail(new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`));
    });
    stream.on('error', fail);
    stream.end(JSON.stringify(body));
  });

const now = (): string => new Date().toISOString().replace('Z', '000Z');

const register = async (machine: number): Promise<void> => {
  const name = `m-${machine}`;
  const address = `10.${machine >> 16}.${(machine >> 8) & 255}.${machine & 255}`;
  const spec = {
    group: `group-${machine % 100}`,
    addresses: [address],
    ports: [{name: 'http', port: 8080}],
    ttlSeconds: 300,
  };
  const made = JSON.parse(await send(machine, 'POST', REGISTRATIONS, 'application/json', {metadata: {name}, spec})) as {
    metadata: {uid: string};
  };
  const owner = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointRegistration', name, uid: made.metadata.uid};
  await send(machine, 'POST', LEASES, 'application/json', {
    metadata: {name, ownerReferences: [owner]},
    spec: {holderIdentity: name, leaseDurationSeconds: 300, renewTime: now()},
  });
};

const renew = (machine: number): Promise<string> =>
  send(machine, 'PATCH', `${LEASES}/m-${machine}`, 'application/merge-patch+json', {spec: {renewTime: now()}});

const registerAll = async (): Promise<number> => {
  const began = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < MACHINE_COUNT) await register(next++);
  };
  await Promise.all(Array.from({length: IN_FLIGHT}, worker));
  return performance.now() - began;
};

const renewAll = async (): Promise<LoadMessage> => {
  const began = performance.now();
  const times: number[] = [];
  const under: Promise<void>[] = [];
  let [sent, failed] = [0, 0];
  const one = async (machine: number): Promise<void> => {
    const sentAt = performance.now();
    try {
      await renew(machine);
      times.push(performance.now() - sentAt);
    } catch (error) {
      if (failed++ === 0) console.error(String(error));
    }
  };
  for (let ms = 0; ms < Number(SECONDS) * 1_000; ms = performance.now() - began) {
    for (const due = Math.floor((ms / EVERY_MS) * MACHINE_COUNT); sent < due; sent++)
      under.push(one(sent % MACHINE_COUNT));
    await delay(1);
  }
  const ms = performance.now() - began;
  await Promise.all(under);
  return {type: 'renewed', sent, failed, ms, p50: percentile(times, 0.5), p99: percentile(times, 0.99)};
};

const tell = (message: LoadMessage): Promise<void> => new Promise(done => process.send?.(message, () => done()));

process.once('message', async () => {
  await tell(await renewAll());
  for (const session of sessions) session.destroy();
  process.disconnect();
});
await tell({type: 'registered', ms: await registerAll()});
