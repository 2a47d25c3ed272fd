// SPDX-License-Identifier: Apache-2.0
/**
 * From the write of Endpoints to the first answer of CoreDNS with the new address: EndpointSlice mirroring, watch, DNS.
 *
 *   node bench/dns.bench.ts [changes] [other Services]
 *
 * Root, and build/peers/coredns (`make peers`). The time begins before the write and ends when the query that saw the change is answered.
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DNS, startCoreDns, ZONE} from '../test/consumers/support/coredns.ts';
import {KubeSide} from '../test/consumers/support/kube-side.ts';
import {endpoints, ready, service} from '../test/consumers/support/manifests.ts';
import {Network, whyNoNetwork} from '../test/consumers/support/network.ts';
import {percentile, printFigure} from './figures.ts';
import {buildPeer} from './peers.ts';

const CHANGES = Number(process.argv[2] ?? 200);
const OTHERS = Number(process.argv[3] ?? 100);
const PORTS = [{name: 'http', port: 8080}];
const LIMIT_MS = 30_000;

const address = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

const publish = async (kube: KubeSide, name: string, ips: readonly string[]): Promise<void> => {
  await kube.apply(endpoints(name, ready(...ips), PORTS));
};

const change = async (network: Network, kube: KubeSide, ip: string): Promise<number> => {
  const began = performance.now();
  await publish(kube, 'web', [ip]);
  for (;;) {
    const found = await network.ask('resolve', {server: DNS, type: 'A', name: `web.default.svc.${ZONE}`});
    const took = performance.now() - began;
    if (Array.isArray(found) && found.length === 1 && found[0] === ip) return took;
    if (took > LIMIT_MS) throw new Error(`no answer with ${ip} after ${LIMIT_MS} ms: ${JSON.stringify(found)}`);
  }
};

const measure = async (program: string, dir: string): Promise<void> => {
  await using network = await Network.open();
  const kube = await KubeSide.start(network, dir, ['coredns']);
  const headless = {clusterIP: 'None', ports: PORTS};
  for (let n = 0; n < OTHERS; n++) {
    await kube.apply(service(`other-${n}`, headless));
    await publish(
      kube,
      `other-${n}`,
      Array.from({length: 10}, (_, at) => address((1 << 23) + n * 10 + at)),
    );
  }
  await kube.apply(service('web', headless));
  await startCoreDns(network, kube, dir, program);
  const times: number[] = [];
  for (let n = 0; n <= CHANGES; n++) times.push(await change(network, kube, address((1 << 22) + n)));
  times.shift(); // the first fills caches of all sides
  for (const [name, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
  ] as const)
    printFigure({
      name: `dns.change-to-answer.${name}`,
      unit: 'ms',
      value: Math.round(percentile(times, share) * 10) / 10,
      n: CHANGES,
    });
};

const program = whyNoNetwork === '' ? buildPeer('coredns') : undefined;
if (program === undefined) console.error(`dns: skipped: ${whyNoNetwork || 'CoreDNS could not be built'}`);
else {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-dns-'));
  try {
    await measure(program, dir);
  } finally {
    rmSync(dir, {recursive: true, force: true});
  }
}
