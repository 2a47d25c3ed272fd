// SPDX-License-Identifier: Apache-2.0
/** `palisade rules list`: the rules of a server a line each, or its rule sets. */
import type {RuleMessage, RuleSetMessage} from '@palisade/ids-wire';
import {type CliIo, EXIT, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {toFilter} from '../commands/records.ts';
import {withIdsClient} from '../connection/connection.ts';
import {listFlags} from './rule-flags.ts';
import {allRuleSets, allRules, literal, parentOf} from './server-rules.ts';

const FAILED = '(state=REFUSED OR state=SKIPPED)';

const ruleRow = (state: string, severity: string, id: string, set: string, what: string): string =>
  terminalText(`${state.padEnd(10)}${severity.padEnd(15)}${`${id} `.padEnd(14)}${`${set} `.padEnd(12)}${what}\n`);

/** What a rule has no message for is said by its place. */
const shownRule = ({state, severity, ruleId, ruleSet, msg, reason, file, line}: RuleMessage): string => {
  const why = reason === '' ? '' : `${msg === '' ? '' : ': '}${reason.replace(/\.$/, '')} (${file}, line ${line})`;
  return ruleRow(state, severity, ruleId === '' ? '-' : ruleId, ruleSet, `${msg}${why}`.replaceAll('\n', ' '));
};

const setRow = (set: string, version: string, ...rest: readonly string[]): string =>
  terminalText(`${`${set} `.padEnd(20)}${version.padEnd(18)}${rest.map(text => text.padEnd(10)).join('')}`.trimEnd());

const SET_HEAD = setRow('SET', 'VERSION', 'ACTIVE', 'REFUSED', 'SKIPPED', 'DISABLED', 'ENDPOINTS');

const shownSet = (set: RuleSetMessage): string[] => {
  const {rulesActive, rulesRefused, rulesSkipped, rulesDisabled, endpoints} = set;
  const counts = [rulesActive, rulesRefused, rulesSkipped, rulesDisabled, endpoints.length].map(String);
  return [
    setRow(set.ruleSetId, set.version === '' ? '-' : set.version, ...counts),
    ...(set.refused === '' ? [] : [terminalText(`  the newest version is refused: ${set.refused}`)]),
  ];
};

const filterOf = (flags: {
  readonly failed: boolean;
  readonly search: string | undefined;
  readonly filter: string | undefined;
}) => {
  const {failed, search, filter} = flags;
  const terms = [...(failed ? [FAILED] : []), ...(search === undefined ? [] : [literal(search)])];
  return toFilter(filter, terms.length === 0 ? undefined : terms.join(' AND '));
};

export const runList = async (words: readonly string[], io: CliIo): Promise<number> => {
  const flags = parseOptions(words, listFlags).options;
  const parent = parentOf(flags.project);
  if (flags.search === '') throw new UsageError('--search: give a text');
  const ofRules = (['failed', 'filter', 'search'] as const).filter(name => flags[name] !== undefined && flags[name]);
  if (flags.sets && ofRules.length > 0)
    throw new UsageError(`--sets lists rule sets: leave out ${ofRules.map(name => `--${name}`).join(' and ')}`);
  const filter = filterOf(flags);
  return withIdsClient(flags, io, async client => {
    let count = 0;
    if (flags.sets) {
      for await (const set of allRuleSets(client, parent)) {
        if (flags.set !== undefined && set.ruleSetId !== flags.set) continue;
        if (count++ === 0 && !flags.json) io.stdout.write(`${SET_HEAD}\n`);
        io.stdout.write(flags.json ? `${terminalJson(set)}\n` : `${shownSet(set).join('\n')}\n`);
      }
      if (count === 0) io.stderr.write('palisade: no rule sets\n');
      return EXIT.ok;
    }
    for await (const rule of allRules(client, parent, {set: flags.set, filter, full: flags.json})) {
      if (count++ === 0 && !flags.json) io.stdout.write(ruleRow('STATE', 'SEVERITY', 'RULE', 'SET', 'MESSAGE'));
      io.stdout.write(flags.json ? `${terminalJson(rule)}\n` : shownRule(rule));
    }
    const matched = ofRules.length === 0 ? '' : ` match ${ofRules.map(name => `--${name}`).join(' and ')}`;
    if (count === 0)
      io.stderr.write(`palisade: no rules${matched}${matched === '' ? '' : '; palisade rules list shows all rules'}\n`);
    return EXIT.ok;
  });
};
