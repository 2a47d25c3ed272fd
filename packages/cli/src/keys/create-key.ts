// SPDX-License-Identifier: Apache-2.0
/** `palisade key create`: a key of a service account, whose file is shown or written once. */
import {rm} from 'node:fs/promises';
import {resolve} from 'node:path';
import {systemClock} from '@palisade/server/system';
import {readSeconds} from '../command-line/durations.ts';
import {type CliIo, EXIT, UsageError} from '../command-line/io.ts';
import {openNewFile} from '../command-line/open-new-file.ts';
import {parseOptions} from '../command-line/options.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {createFlags} from './key-flags.ts';
import {type KeyObject, keysOf, type Named, nameText, readNamed} from './key-objects.ts';

const TTL = {least: 60, most: 3_650 * 86_400};

type Plan = {readonly account: Named; readonly ttlSeconds: number | undefined; readonly out: string | undefined};

const planOf = (words: readonly string[]) => {
  const {options: flags, positionals} = parseOptions(words, createFlags, {
    max: 1,
    what: 'one service account at a time',
  });
  const [word] = positionals;
  const named = flags['service-account'];
  const faults: string[] = [];
  if (word !== undefined && named !== undefined) faults.push('NAMESPACE/NAME and --service-account exclude each other');
  const account = readNamed(word ?? named, 'the service account', faults);
  const ttlSeconds = flags.ttl === undefined ? undefined : readSeconds('ttl', flags.ttl, TTL, faults);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return {flags, plan: {account, ttlSeconds, out: flags.out} satisfies Plan};
};

const shown = (key: KeyObject, {account, out}: Plan): object => ({
  namespace: account.namespace,
  name: key.metadata?.name,
  serviceAccount: account.name,
  clientEmail: key.status?.clientEmail,
  expires: key.spec?.expirationTimestamp ?? null,
  keyFile: out ?? (JSON.parse(key.status?.keyFile ?? '{}') as object),
});

export const runCreate = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {flags, plan} = planOf(words);
  const {account, ttlSeconds, out} = plan;
  const file = out === undefined ? undefined : await openNewFile(out, io.cwd);
  try {
    return await withKubeClient(flags, io, async client => {
      const expires =
        ttlSeconds === undefined
          ? {}
          : {expirationTimestamp: `${new Date(systemClock.now() + ttlSeconds * 1_000).toISOString().slice(0, 19)}Z`};
      const key = await keysOf(client).create(account.namespace, {
        metadata: {generateName: `${account.name}-`},
        spec: {serviceAccountName: account.name, ...expires},
      });
      const text = key.status?.keyFile ?? '';
      await file?.writeFile(text);
      if (flags.json) io.stdout.write(`${JSON.stringify(shown(key, plan))}\n`);
      else if (out === undefined) io.stdout.write(text);
      else io.stdout.write(`key ${nameText(key)} created, written to ${out}\n`);
      if (out === undefined)
        io.stderr.write(`palisade: key ${nameText(key)} created; its file is not stored and cannot be shown again\n`);
      return EXIT.ok;
    });
  } catch (error) {
    if (out !== undefined) await rm(resolve(io.cwd, out), {force: true});
    throw error;
  } finally {
    await file?.close();
  }
};
