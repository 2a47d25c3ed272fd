// SPDX-License-Identifier: Apache-2.0
/** `palisade serve` over 100,000 Endpoints: time to its ready line and memory, with and without a million old versions. */

import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {openSqliteStore} from '@palisade/store/sqlite';
import {printFigure} from '../figures.ts';
import {cpuMs, rssMiB} from '../processes.ts';
import {serveKube} from '../serve-kube.ts';
import {type Burst, each} from './probe.ts';

const PREFIX = '/kube/';
/** Past the work that follows the ready line, before the first compaction. */
const SETTLE_MS = 1_000;

/** A server made one object; copies of it are written, under names of their own. */
async function fillAs(dir: string, {objects, replaced}: Burst): Promise<void> {
  const served = await serveKube(dir);
  const endpoints = `${served.url}/api/v1/namespaces/default/endpoints`;
  const subsets = [{addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}], ports: [{name: 'http', port: 8080}]}];
  const body = JSON.stringify({metadata: {name: 'model'}, subsets});
  const made = await fetch(endpoints, {method: 'POST', headers: {'content-type': 'application/json'}, body});
  if (!made.ok) throw new Error(`${endpoints}: ${made.status} ${await made.text()}`);
  await served.stop();
  await using store = await openSqliteStore({file: join(dir, 'data', 'store.sqlite')});
  const all = await store.list(PREFIX, {limit: 10_000});
  const model = all.entries.find(({key}) => key.endsWith('/model'));
  if (model === undefined) throw new Error('the object is not in the store');
  const text = new TextDecoder().decode(model.value);
  for (let version = 0; version <= replaced; version++)
    await each(objects, 512, i => {
      const name = `copy-${i}`;
      const value = text.replaceAll('"model"', `"${name}"`);
      return store.put(model.key.replace(/model$/, name), new TextEncoder().encode(value));
    });
}

async function start(dir: string, name: string, objects: number): Promise<void> {
  const served = await serveKube(dir, ['--history', '1h']);
  printFigure({name: `${name}.ready`, unit: 'ms', value: Math.round(served.readyMs), n: objects});
  printFigure({name: `${name}.ready.cpu`, unit: 'ms', value: cpuMs(served.pid), n: objects});
  await delay(SETTLE_MS);
  printFigure({name: `${name}.rss`, unit: 'MiB', value: Math.round(rssMiB(served.pid)), n: objects});
  await served.stop();
}

export async function benchRestart(dir: string, burst: Burst): Promise<void> {
  await fillAs(dir, burst);
  await start(dir, 'serve.restart.with-history', burst.objects);
  {
    await using store = await openSqliteStore({file: join(dir, 'data', 'store.sqlite')});
    await store.compact(await store.currentRevision());
  }
  await start(dir, 'serve.restart.without-history', burst.objects);
}
