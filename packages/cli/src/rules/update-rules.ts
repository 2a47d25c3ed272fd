// SPDX-License-Identifier: Apache-2.0
/** `palisade rules update`: the sources of rule sets are read again, and what each Suricata then has is shown. */
import type {EndpointRulesMessage, RuleSetUpdateMessage} from '@palisade/ids-wire';
import {type CliIo, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {EVERYWHERE, withIdsClient} from '../connection/connection.ts';
import {counted} from '../text/figures.ts';
import {updateFlags} from './rule-flags.ts';

const hasRules = (set: RuleSetUpdateMessage, endpoint: EndpointRulesMessage): boolean =>
  endpoint.ruleSetVersion === set.version && endpoint.rulesLoaded === set.rulesActive;

const shown = (set: RuleSetUpdateMessage): string => {
  const {ruleSetId, previousVersion, version, changed, rulesActive, rulesRefused, endpoints} = set;
  const before = previousVersion === '' ? 'no version' : previousVersion;
  const what = changed ? `updated from ${before} to ${version}` : `unchanged, version ${version}`;
  const refused = rulesRefused === 0 ? '' : `, ${rulesRefused} refused (palisade rules list --failed)`;
  return terminalText(
    [
      `${ruleSetId}: ${what}: ${counted(rulesActive, 'rule')} active${refused}`,
      ...endpoints.map(endpoint => {
        const loaded = `Suricata reports ${counted(endpoint.rulesLoaded, 'rule')}, version ${endpoint.ruleSetVersion}`;
        return `  ${endpoint.endpoint}: ${endpoint.status}, ${loaded}`;
      }),
      '',
    ].join('\n'),
  );
};

/** Prints what each set and each of its endpoints has now. Exit code 1 where an endpoint does not have it yet. */
export const showUpdates = (sets: readonly RuleSetUpdateMessage[], json: boolean, io: CliIo): number => {
  let code: number = EXIT.ok;
  for (const set of sets) {
    io.stdout.write(json ? `${terminalJson(set)}\n` : shown(set));
    for (const endpoint of set.endpoints) {
      if (hasRules(set, endpoint)) continue;
      code = EXIT.failed;
      const words = `${endpoint.endpoint} does not have the rules of ${set.ruleSetId} yet (${endpoint.status})`;
      io.stderr.write(terminalText(`palisade: ${words}; palisade describe shows why\n`));
    }
  }
  return code;
};

export const runUpdate = async (words: readonly string[], io: CliIo): Promise<number> => {
  const flags = parseOptions(words, updateFlags).options;
  return withIdsClient(flags, io, async client => {
    const {ruleSets = []} = await client.updateRuleSet(`${EVERYWHERE}/ruleSets/${flags.set ?? '-'}`);
    const code = showUpdates(ruleSets, flags.json, io);
    if (ruleSets.length === 0) io.stderr.write('palisade: no rule sets: this server runs no sensors\n');
    return code;
  });
};
