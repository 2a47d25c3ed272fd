// SPDX-License-Identifier: Apache-2.0
/** `palisade key list`. */
import {type CliIo, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {checkNamespace} from '../connection/kube-target.ts';
import {listFlags} from './key-flags.ts';
import {type KeyObject, keysOf, nameText} from './key-objects.ts';

const row = (key: string, account: string, created: string, expires: string): string =>
  terminalText(`${`${key} `.padEnd(40)}${`${account} `.padEnd(24)}${created.padEnd(22)}${expires}`);

const shown = (key: KeyObject): object => ({
  namespace: key.metadata?.namespace,
  name: key.metadata?.name,
  serviceAccount: key.spec?.serviceAccountName,
  created: key.metadata?.creationTimestamp,
  expires: key.spec?.expirationTimestamp ?? null,
});

export const runList = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags} = parseOptions(words, listFlags);
  checkNamespace(flags.namespace);
  return withKubeClient(flags, io, async client => {
    const keys: KeyObject[] = [];
    for (let at: string | undefined = ''; at !== undefined; ) {
      const page = await keysOf(client).list(flags.namespace ?? '', at === '' ? {} : {continue: at});
      keys.push(...page.items);
      at = page.metadata?.continue || undefined;
    }
    if (flags.json) for (const key of keys) io.stdout.write(`${terminalJson(shown(key))}\n`);
    else if (keys.length === 0) io.stderr.write('palisade: no keys\n');
    else {
      io.stdout.write(`${row('KEY', 'SERVICE ACCOUNT', 'CREATED', 'EXPIRES')}\n`);
      for (const key of keys) {
        const {spec = {}, metadata = {}} = key;
        const ends = spec.expirationTimestamp ?? 'never';
        io.stdout.write(
          `${row(nameText(key), spec.serviceAccountName ?? '', `${metadata.creationTimestamp}`, ends)}\n`,
        );
      }
    }
    return EXIT.ok;
  });
};
