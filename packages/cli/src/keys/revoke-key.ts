// SPDX-License-Identifier: Apache-2.0
/** `palisade key revoke`: deletes a key; tokens that were got with it end at once. */
import {type CliIo, EXIT, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {foundIn} from '../connection/kube-target.ts';
import {revokeFlags} from './key-flags.ts';
import {keysOf, readNamed} from './key-objects.ts';

export const runRevoke = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, revokeFlags, {max: 1, what: 'one key at a time'});
  const faults: string[] = [];
  const {namespace, name} = readNamed(positionals[0], 'the key', faults);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return withKubeClient(flags, io, async client => {
    await foundIn(namespace, keysOf(client).delete(namespace, name));
    io.stdout.write(
      flags.json ? `${JSON.stringify({namespace, name, revoked: true})}\n` : `key ${namespace}/${name} revoked\n`,
    );
    return EXIT.ok;
  });
};
