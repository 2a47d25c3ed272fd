// SPDX-License-Identifier: Apache-2.0
/** `palisade exceptions try`: what threat exceptions would have hidden, before they are set. */
import {type Command, folderCommand} from '../command-line/command.ts';
import {EXIT, UsageError} from '../command-line/io.ts';
import {type OptionTable, parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {idsConnectionOptions, resolveEndpoint, withIdsClient} from '../connection/connection.ts';
import {triedNotes, triedText} from '../text/tried-exceptions.ts';

const LAST_DEFAULT = 1_000;
const LAST_MAX = 1_000_000;

const options = {
  last: {type: 'string', value: 'N', default: String(LAST_DEFAULT), doc: 'look at the last N stored alerts'},
  ...idsConnectionOptions,
} as const satisfies OptionTable;

const lastOf = (text: string): number | string => {
  const last = Number(text);
  const isCount = /^\d+$/.test(text) && last >= 1 && last <= LAST_MAX;
  return isCount ? last : `--last ${text}: must be a whole number from 1 to ${LAST_MAX}`;
};

const tryThem = async (...[words, io]: Parameters<Command['run']>): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, options, {max: Number.POSITIVE_INFINITY});
  const [endpoint, ...threatExceptions] = positionals;
  const last = lastOf(flags.last);
  const faults = [
    endpoint === undefined ? 'an ENDPOINT is required' : '',
    threatExceptions.length === 0 ? 'at least one threat ID is required, such as 1:2019401' : '',
    typeof last === 'string' ? last : '',
  ].filter(fault => fault !== '');
  if (endpoint === undefined || typeof last === 'string' || faults.length > 0) throw new UsageError(faults.join('\n'));
  return withIdsClient(flags, io, async client => {
    const name = await resolveEndpoint(client, endpoint, {said: endpoint, mayBeGone: true});
    const tried = await client.tryExceptions(name, {threatExceptions, last});
    io.stdout.write(flags.json ? `${terminalJson(tried)}\n` : terminalText(triedText(tried)));
    for (const note of triedNotes(tried)) io.stderr.write(terminalText(`palisade: ${note}\n`));
    return tried.exceptions.some(({warning}) => warning !== undefined) ? EXIT.failed : EXIT.ok;
  });
};

export const exceptionCommands: readonly Command[] = [
  folderCommand({
    name: 'exceptions',
    group: 'ids',
    summary: 'try threat exceptions of IDS endpoints',
    examples: ['palisade exceptions try guard 1:2019401'],
  }),
  {
    name: 'exceptions try',
    group: 'ids',
    words: ['endpoint', 'nothing'],
    summary: 'show how many stored alerts exceptions would have hidden',
    usage: 'ENDPOINT ID… [--last N] [--json]',
    notes: [
      'ID is a threat ID as palisade threats prints it: gid:sid, or sid for 1:sid. Nothing is changed.',
      'Alerts are counted, not records: a record with repeat_count 5 is 5 alerts. Alerts that exceptions of the endpoint hide already',
      'are not stored: the command prints their number. The exit code is 1 if an ID matches no signature of the active rule set.',
    ],
    options,
    examples: [
      'palisade exceptions try guard 1:2019401',
      'palisade exceptions try guard 2019401 2210054 --last 10000',
      'palisade exceptions try projects/p/locations/local/endpoints/guard 1:2019401 --json',
    ],
    run: tryThem,
  },
];
