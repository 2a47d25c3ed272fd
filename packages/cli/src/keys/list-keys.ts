// SPDX-License-Identifier: Apache-2.0
/** `palisade key list`. */

import {listAll} from '@palisade/client';
import {type CliIo, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalCell, terminalJson} from '../command-line/terminal-text.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {checkNamespace} from '../connection/kube-target.ts';
import {alignedRows} from '../text/table.ts';
import {listFlags} from './key-flags.ts';
import {type KeyObject, keysOf, nameText} from './key-objects.ts';

const HEAD = ['KEY', 'SERVICE ACCOUNT', 'CREATED', 'EXPIRES'] as const;

const cellsOf = (key: KeyObject): readonly string[] => {
  const {spec = {}, metadata = {}} = key;
  const {serviceAccountName = '', expirationTimestamp = 'never'} = spec;
  return [nameText(key), serviceAccountName, metadata.creationTimestamp ?? '', expirationTimestamp].map(terminalCell);
};

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
    for await (const key of listAll(keysOf(client), flags.namespace ?? '')) keys.push(key);
    if (flags.json) for (const key of keys) io.stdout.write(`${terminalJson(shown(key))}\n`);
    else if (keys.length === 0) io.stderr.write('palisade: no keys\n');
    else io.stdout.write(alignedRows([HEAD, ...keys.map(cellsOf)]));
    return EXIT.ok;
  });
};
