// SPDX-License-Identifier: Apache-2.0
/** `node test/wire/serve-by-hand.ts [spec|kubernetes]`: the Kubernetes side alone over a memory store, for a look by hand. Prints its URL. */
import {deletionTimers, everyoneIsMaster, garbageCollection, mastersOnly} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {serveKubeApi} from './serve.ts';

const mode = process.argv[2] === 'kubernetes' ? 'kubernetes' : 'spec';
const served = await serveKubeApi({
  store: await openMemoryStore(),
  kinds: kubeModule.kinds,
  bootstraps: kubeModule.bootstraps,
  compat: mode,
  controllers: [...kubeModule.controllers, garbageCollection, deletionTimers],

  authenticator: everyoneIsMaster,
  authorizer: mastersOnly,
  log: {
    debug: () => {},
    info: () => {},
    warn: (f, m) => process.stderr.write(`${m} ${JSON.stringify(f)}\n`),
    error: (f, m) => process.stderr.write(`${m} ${String((f as {err?: Error}).err?.stack)}\n`),
  },
});
process.stdout.write(`${served.url}\n`);
