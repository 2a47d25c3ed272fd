// SPDX-License-Identifier: Apache-2.0
/** The same of etcd: a fresh member, over its JSON gateway. Its file shrinks only by a defragmentation, during which it answers nothing. */
import {join} from 'node:path';
import {printFigure} from '../figures.ts';
import {end, freePort, start, until} from '../processes.ts';
import {type Burst, each, keyOf, printMiB, printWaits, scattered, waitsDuring} from './probe.ts';

const TXN_OPS_MAX = 128;
const QUIET_MS = 5_000;
const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');

export async function benchEtcd(bin: string, dir: string, burst: Burst): Promise<void> {
  const [client, peer] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  const flags = {
    ...{'data-dir': join(dir, 'etcd'), 'listen-client-urls': url, 'advertise-client-urls': url},
    ...{'listen-peer-urls': peerUrl, 'initial-advertise-peer-urls': peerUrl, 'initial-cluster': `default=${peerUrl}`},
    ...{'quota-backend-bytes': String(8 * 2 ** 30), 'log-level': 'error'},
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const etcd = start('etcd', bin, args, join(dir, 'etcd.log'));
  const ask = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}/v3/${path}`, {method: 'POST', body: JSON.stringify(body)});
    if (!answer.ok) throw new Error(`etcd ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const put = (i: number, value: string): object => ({requestPut: {key: base64(keyOf(i)), value}});
  const write = (): Promise<unknown> => ask('kv/put', {key: base64('/probe'), value: base64('x'.repeat(500))});
  const name = `etcd.compaction.${burst.name}`;
  const printSize = async (when: string): Promise<void> =>
    printMiB(`${name}.file.${when}`, Number((await ask('maintenance/status', {}))['dbSize']));
  try {
    await until('etcd', async () => (await fetch(`${url}/health`)).ok, 30_000);
    const perTxn = burst.bytes > 100_000 ? 1 : TXN_OPS_MAX;
    for (let version = 0; version <= burst.replaced; version++) {
      const value = base64(new Uint8Array(burst.bytes).fill(97 + (version % 26)));
      await each(Math.ceil(burst.objects / perTxn), 8, at => {
        const keys = Array.from({length: Math.min(perTxn, burst.objects - at * perTxn)}, (_, i) => at * perTxn + i);
        return ask('kv/txn', {success: keys.map(i => put(scattered(i, burst.objects), value))});
      });
    }
    await printSize('before');
    const quiet = (): Promise<void> => new Promise(resolve => setTimeout(resolve, QUIET_MS));
    printWaits(`${name}.without`, await waitsDuring(write, quiet));
    const {header} = (await ask('maintenance/status', {})) as {header: {revision: string}};
    const began = performance.now();
    const compact = (): Promise<unknown> => ask('kv/compaction', {revision: header.revision, physical: true});
    printWaits(`${name}.during`, await waitsDuring(write, compact));
    printFigure({name: `${name}.time`, unit: 'ms', value: Math.round(performance.now() - began)});
    await printSize('after');
    printWaits(`${name}.defragment`, await waitsDuring(write, () => ask('maintenance/defragment', {})));
    await printSize('defragmented');
  } finally {
    await end(etcd);
  }
}
