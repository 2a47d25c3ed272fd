// SPDX-License-Identifier: Apache-2.0
/** `palisade rules test`: one rule on a capture file, by the Suricata of this machine. */
import type {IdsClient} from '@palisade/client';
import type {RuleMessage} from '@palisade/ids-wire';
import {type LocalInspection, tryLocalRule} from '@palisade/server/local-rules';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {withIdsClient} from '../connection/connection.ts';
import {interruptible} from './check-files.ts';
import {testFlags} from './rule-flags.ts';
import {allRules, collected, parentOf, ruleIdOf} from './server-rules.ts';

type Alert = LocalInspection['alerts'][number];

const host = (ip: string, port: number): string =>
  port === 0 ? ip : ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;

const alertRow = ({timestamp, protocol, application, name, ...alert}: Alert): string => {
  const from = host(alert.sourceIp, alert.sourcePort);
  const to = host(alert.destinationIp, alert.destinationPort);
  return terminalText(`${timestamp}  ${protocol} ${from} > ${to}  ${application ?? 'unknown'}  ${name}\n`);
};

const countsIn = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

/** What the capture holds, and what may be in the way. */
const notFired = (id: string, seen: LocalInspection, texts: readonly string[], homeNet: boolean): string => {
  const {packets, undecoded, flows, transports, applications} = seen;
  const ownNet = texts.some(text => text.includes('$HOME_NET') || text.includes('$EXTERNAL_NET'));
  const lines = [
    `rule ${id} raised no alert`,
    `the capture has ${packets} packets${undecoded === 0 ? '' : ` (${undecoded} not decoded)`} in ${flows} flows`,
    ...(flows === 0 ? [] : [`transport protocols of the flows: ${countsIn(transports)}`]),
    ...(flows === 0 ? [] : [`application protocols of the flows: ${countsIn(applications)}`]),
    ...(ownNet && !homeNet ? ['the rule uses $HOME_NET: name the networks of the capture with --home-net'] : []),
  ];
  return terminalText(`${lines.join('\n')}\n`);
};

/** The rule, and others that may set flowbits which it tests. */
const textsOf = async (client: IdsClient, parent: string, id: string, set: string | undefined): Promise<string[]> => {
  const found = await collected(allRules(client, parent, {set, filter: `ruleId="${id}"`, full: true}));
  const rule = found.find(({state}) => state === 'ACTIVE') ?? found[0];
  if (rule === undefined)
    throw new CommandError(`no rule ${id} in the rule sets of the server; give its file with --rules FILE`);
  const own = rule.text ?? '';
  if (!/flowbits\s*:/i.test(own)) return [own];
  const others: RuleMessage[] = [];
  const asked = {set: rule.ruleSet, filter: 'state=ACTIVE AND text:"flowbits"', full: true};
  for await (const other of allRules(client, parent, asked)) if (other.ruleId !== id) others.push(other);
  return [own, ...others.map(({text = ''}) => text)];
};

const jsonOf = (id: string, seen: LocalInspection): string => {
  const {alerts, packets, undecoded, flows, transports, applications} = seen;
  const fired = alerts.length > 0;
  return `${terminalJson({rule: id, fired, alerts, packets, undecoded, flows, transports, applications})}\n`;
};

export const runTest = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options, positionals} = parseOptions(words, testFlags, {max: 1, what: 'one rule at a time'});
  const {pcap, rules, set, project, json, var: vars, 'suricata-include': includes, 'home-net': homeNet} = options;
  const id = ruleIdOf(positionals[0]);
  if (pcap === undefined) throw new UsageError('--pcap FILE is required');
  if (rules.length > 0 && set !== undefined) throw new UsageError('--rules and --set exclude each other');
  const parent = parentOf(project);
  const texts =
    rules.length > 0 ? undefined : await withIdsClient(options, io, client => textsOf(client, parent, id, set));
  const flags = {rules, var: vars, 'suricata-include': includes, 'home-net': homeNet};
  const seen = await interruptible(signal => tryLocalRule({id, capture: pcap, texts}, flags, io.cwd, signal));
  if (json) io.stdout.write(jsonOf(id, seen));
  else for (const alert of seen.alerts) io.stdout.write(alertRow(alert));
  if (seen.alerts.length > 0) return EXIT.ok;
  if (!json) io.stdout.write(notFired(id, seen, seen.texts, homeNet.length > 0));
  return EXIT.failed;
};
