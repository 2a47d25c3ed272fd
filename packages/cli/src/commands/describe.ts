// SPDX-License-Identifier: Apache-2.0
/** `palisade describe`: an IDS endpoint with its health, an object of the Kubernetes side with what blocks its deletion, or the list of all IDS endpoints. */
import {parseEndpointName} from '@palisade/client';
import {systemClock} from '@palisade/server/system';
import type {Command} from '../command-line/command.ts';
import {EXIT, UsageError} from '../command-line/io.ts';
import {type OptionTable, parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {connectionOptions, resolveEndpoint, withIdsClient} from '../connection/connection.ts';
import {
  checkNamespace,
  isTargetWord,
  namespaceOption,
  oneTarget,
  parseTarget,
  withTarget,
} from '../connection/kube-target.ts';
import {targetHint} from '../connection/served-kinds.ts';
import {readDeletion} from '../deletion/read-deletion.ts';
import {endpointText} from '../text/describe-ids.ts';
import {kubeText} from '../text/describe-kube.ts';
import {endpointsWithHealth, LIST_HEAD, listJson, listRow} from '../text/describe-list.ts';

const options = {
  ...namespaceOption,
  ...connectionOptions,
} as const satisfies OptionTable;

/** Neither side has such a name. Throws UsageError. */
const refuseMalformed = (word: string): void => {
  if (isTargetWord(word) || parseEndpointName(word) !== undefined || (word !== '' && !word.includes('/'))) return;
  throw new UsageError(
    `"${word}": give RESOURCE/NAME, such as endpoints/web, or an IDS endpoint: its ID, or projects/PROJECT/locations/LOCATION/endpoints/ID`,
  );
};

/** What to write if the Kubernetes side was meant. */
const objectHint = (word: string | undefined): string | undefined =>
  word?.includes('/') ? undefined : `for an Endpoints object write endpoints/${word ?? 'NAME'}`;

export const describe: Command = {
  name: 'describe',
  group: 'ids',
  words: ['described'],
  summary: 'show IDS endpoints with their health, or a Kubernetes object',
  usage: '[NAME | RESOURCE/NAME] [--namespace NS] [--json]',
  notes: [
    'Without a name: list all IDS endpoints. RESOURCE/NAME also shows what blocks the deletion of the object.',
    'Values and annotations of Secrets are not shown, only their sizes.',
    'JSON of the list: one object a line, with "health" unless it cannot be read; of one endpoint:',
    '{"endpoint": …, "health": …}; of RESOURCE/NAME: {"object": …, "holders": [ … ], "owners": [ … ]}.',
  ],
  options,
  examples: [
    'palisade describe',
    'palisade describe guard',
    'palisade describe endpoints/web',
    'palisade describe namespaces/shop',
    'palisade describe projects/p/locations/local/endpoints/guard --json',
  ],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, oneTarget);
    const [word] = positionals;
    if (word !== undefined) refuseMalformed(word);
    checkNamespace(flags.namespace);
    if (word !== undefined && isTargetWord(word))
      return withTarget(parseTarget(word), flags, io, async (client, target) => {
        const deletion = await readDeletion(client, target);
        const {object, holders, owners} = deletion;
        io.stdout.write(
          flags.json
            ? `${terminalJson({object, holders, owners})}\n`
            : terminalText(await kubeText(deletion, systemClock.now())),
        );
        return EXIT.ok;
      });
    return withIdsClient(
      flags,
      io,
      async client => {
        if (word !== undefined) {
          const name = await resolveEndpoint(client, word, {
            said: word,
            elsewhere: async () => (await targetHint(word)) ?? objectHint(word),
          });
          const [endpoint, health] = await Promise.all([client.getEndpoint(name), client.getHealth(name)]);
          io.stdout.write(
            flags.json
              ? `${terminalJson({endpoint, health})}\n`
              : terminalText(endpointText(endpoint, health, systemClock.now())),
          );
          return EXIT.ok;
        }
        let rows = 0;
        for await (const endpoint of endpointsWithHealth(client)) {
          if (rows++ === 0 && !flags.json) io.stdout.write(LIST_HEAD);
          io.stdout.write(flags.json ? listJson(endpoint) : listRow(endpoint));
        }
        if (rows === 0) io.stderr.write('palisade: no IDS endpoints\n');
        return EXIT.ok;
      },
      objectHint(word),
    );
  },
};
