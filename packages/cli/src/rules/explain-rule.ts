// SPDX-License-Identifier: Apache-2.0
/** `palisade rules explain`: what a rule says of itself, what became of it in each rule set, and the endpoints that it is active on. */
import type {MitreReference, RuleMessage, RuleSetMessage} from '@palisade/ids-wire';
import {type CliIo, CommandError, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {withIdsClient} from '../connection/connection.ts';
import {explainFlags} from './rule-flags.ts';
import {allRuleSets, allRules, collected, parentOf, ruleIdOf} from './server-rules.ts';

const WIDTH = 11;
const row = (name: string, text: string): string => (text === '' ? '' : `${name.padEnd(WIDTH)} ${text}\n`);
const rows = (name: string, texts: readonly string[]): string =>
  texts.map((text, at) => row(at === 0 ? name : '', text)).join('');
const withName = ({id, name}: MitreReference): string => (name === '' ? id : `${id} ${name}`);

/** The same text, place and fate in several sets. */
const fateOf = ({text, file, line, state, reason}: RuleMessage): string =>
  JSON.stringify([text, file, line, state, reason]);

type Explained = {readonly rule: RuleMessage; readonly sets: readonly string[]; readonly endpoints: readonly string[]};

const explainedOf = (rules: readonly RuleMessage[], sets: readonly RuleSetMessage[]): Explained[] => {
  const groups = Map.groupBy(rules, fateOf);
  return [...groups.values()].flatMap(group => {
    const [rule] = group;
    if (rule === undefined) return [];
    const names = group.map(({ruleSet}) => ruleSet);
    const inForce = rule.state === 'ACTIVE' ? sets.filter(({ruleSetId}) => names.includes(ruleSetId)) : [];
    return [{rule, sets: names, endpoints: inForce.flatMap(set => set.endpoints.map(({endpoint}) => endpoint))}];
  });
};

const shown = ({rule, sets, endpoints}: Explained): string => {
  const why = rule.reason === '' ? '' : `: ${rule.reason}`;
  return terminalText(
    [
      `${rule.ruleId}  ${rule.msg} (revision ${rule.rev})\n`,
      row('state', `${rule.state} in ${sets.join(', ')}${why}`),
      row('severity', `${rule.severity}: ${rule.severityReason}`),
      row('category', `${rule.classtype}, type ${rule.type}`),
      rows('tactic', rule.mitreTactics.map(withName)),
      rows('technique', rule.mitreTechniques.map(withName)),
      rows('CVE', rule.cves),
      rows('reference', rule.references),
      row('file', `${rule.file}, line ${rule.line}`),
      rows('endpoints', endpoints.length > 0 ? endpoints : ['no running endpoint uses it']),
      row('rule', rule.text ?? ''),
    ].join(''),
  );
};

export const runExplain = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, explainFlags, {max: 1, what: 'one rule at a time'});
  const id = ruleIdOf(positionals[0]);
  const parent = parentOf(flags.project);
  return withIdsClient(flags, io, async client => {
    const asked = {set: flags.set, filter: `ruleId="${id}"`, full: true};
    const rules = await collected(allRules(client, parent, asked));
    if (rules.length === 0) {
      const where = flags.set === undefined ? 'the rule sets of the server' : `rule set ${flags.set}`;
      throw new CommandError(
        `no rule ${id} in ${where}; find rules with palisade rules list --search TEXT; palisade rules check FILE names the rules of a file that Suricata skips, such as indented ones`,
      );
    }
    const found = explainedOf(rules, await collected(allRuleSets(client, parent)));
    io.stdout.write(
      flags.json
        ? found.map(({rule, ...where}) => `${terminalJson({...rule, ...where})}\n`).join('')
        : found.map(shown).join('\n'),
    );
    return EXIT.ok;
  });
};
