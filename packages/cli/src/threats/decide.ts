// SPDX-License-Identifier: Apache-2.0
/** Decisions about threats: of some by their ids, or of all that match a filter. */
import {type BatchAnswer, type DecidedThreat, type IdsClient, isIdsError, type ThreatAction} from '@palisade/client';
import {systemClock} from '@palisade/server/system';
import {type CliIo, EXIT, isTerminal, UsageError} from '../command-line/io.ts';
import {type Parsed, parseOptions} from '../command-line/options.ts';
import {terminalCell, terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {EVERYWHERE, resolveEndpoint, withIdsClient} from '../connection/connection.ts';
import {parseTime} from '../records/record-flags.ts';
import {confirmed} from '../stacks/questions.ts';
import {countText} from '../text/figures.ts';
import {decisionFlags} from './decision-flags.ts';
import {placeOfName} from './find-threat.ts';

const DONE: Readonly<Record<ThreatAction, string>> = {
  acknowledge: 'acknowledged',
  unacknowledge: 'not acknowledged',
  escalate: 'escalated',
  deescalate: 'not escalated',
  comment: 'commented',
};

/** Of those that match: which the decision changes, and the question about them. */
const MATCHING: Readonly<Record<ThreatAction, {readonly open: string; readonly question: string}>> = {
  acknowledge: {open: 'not acknowledged', question: 'Acknowledge'},
  unacknowledge: {open: 'acknowledged', question: 'Take back the acknowledgement of'},
  escalate: {open: 'not escalated', question: 'Escalate'},
  deescalate: {open: 'escalated', question: 'Take back the escalation of'},
  comment: {open: 'to be commented', question: 'Comment on'},
};

type Flags = Parsed<typeof decisionFlags>;
const IDS_MISSING = 'an ID is required, as palisade threats prints it';
const MANY = {max: Number.POSITIVE_INFINITY};

const endpointOf = (client: IdsClient, {endpoint}: Pick<Flags, 'endpoint'>): Promise<string> | string =>
  endpoint === undefined ? `${EVERYWHERE}/endpoints/-` : resolveEndpoint(client, endpoint, {mayBeGone: true});

const rowOf = (action: ThreatAction, {id, name, alert_severity}: DecidedThreat): string =>
  `${terminalCell(`${id}  ${DONE[action]}  ${alert_severity}  ${name}`)}\n`;

/** What the server refuses of one threat alone; the same request with another ID may be right. */
const OF_ONE = ['NOT_FOUND', 'FAILED_PRECONDITION', 'INVALID_ARGUMENT'] as const;

/** A threat that is refused does not keep the others from being changed. */
const decideAll = (action: ThreatAction, ids: readonly string[], flags: Flags, io: CliIo): Promise<number> =>
  withIdsClient(flags, io, async client => {
    const name = await endpointOf(client, flags);
    let code: number = EXIT.ok;
    for (const given of new Set(ids)) {
      const {endpoint, id} = placeOfName(given) ?? {endpoint: name, id: given};
      try {
        const record = await client.decideThreat(endpoint, id, action, flags.comment);
        io.stdout.write(flags.json ? `${terminalJson(record)}\n` : rowOf(action, record));
      } catch (error) {
        if (!isIdsError(error) || !OF_ONE.some(code => isIdsError(error, code))) throw error;
        const {message} = error;
        io.stderr.write(terminalText(`palisade: ${message.includes(id) ? '' : `${id}: `}${message}\n`));
        code = EXIT.failed;
      }
    }
    return code;
  });

const ONLY_FILTER = ['since', 'until', 'dry-run', 'yes'] as const;

const faultsOf = (action: ThreatAction, flags: Flags, ids: readonly string[]): string[] => {
  const byFilter = flags.filter !== undefined;
  const surplus = ONLY_FILTER.filter(name => flags[name] !== undefined && flags[name] !== false);
  return [
    byFilter && ids.length > 0 ? 'IDs and --filter exclude each other' : '',
    !byFilter && ids.length === 0 ? `${IDS_MISSING}; or give --filter F` : '',
    !byFilter && surplus.length > 0 ? `${surplus.map(name => `--${name}`).join(', ')}: give --filter F, too` : '',
    action === 'comment' && flags.comment === undefined ? '--comment TEXT is required' : '',
    flags['dry-run'] && flags.yes ? '--dry-run and --yes exclude each other' : '',
  ].filter(fault => fault !== '');
};

const figuresOf = (action: ThreatAction, {matched, changed}: BatchAnswer): string =>
  `${countText(matched)} ${matched === 1 ? 'threat matches' : 'threats match'}, ${countText(changed)} of them ${MATCHING[action].open}`;

const decideMatching = (action: ThreatAction, filter: string, flags: Flags, io: CliIo): Promise<number> => {
  const {json, comment, yes, 'dry-run': dryRun} = flags;
  const nowMs = systemClock.now();
  const since = flags.since === undefined ? undefined : parseTime('since', flags.since, nowMs);
  const until = flags.until === undefined ? undefined : parseTime('until', flags.until, nowMs);
  if (!yes && !dryRun && !isTerminal(io.stdin))
    throw new UsageError('no terminal to ask for confirmation; give --yes, or --dry-run to see how many match');
  return withIdsClient(flags, io, async client => {
    const name = await endpointOf(client, flags);
    // What comes between question and answer was not asked about.
    const isEarlier = until !== undefined && Date.parse(until) < nowMs;
    const asked = {filter, since, until: yes || isEarlier ? until : new Date(nowMs).toISOString()};
    if (!yes) {
      const found = await client.decideThreats(name, action, {...asked, comment, validateOnly: true});
      if (dryRun || found.changed === 0) {
        io.stdout.write(json ? `${JSON.stringify(found)}\n` : `${figuresOf(action, found)}; nothing was changed\n`);
        return EXIT.ok;
      }
      const question = `${figuresOf(action, found)}. ${MATCHING[action].question} ${found.changed === 1 ? 'it' : 'them'}?`;
      if (!(await confirmed({io, global: {'non-interactive': false}}, question))) return EXIT.failed;
    }
    const done = await client.decideThreats(name, action, {...asked, comment});
    const text = `${countText(done.changed)} of ${countText(done.matched)} matching threats ${DONE[action]}\n`;
    io.stdout.write(json ? `${JSON.stringify(done)}\n` : text);
    return EXIT.ok;
  });
};

export const runDecision = async (action: ThreatAction, words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals: ids} = parseOptions(words, decisionFlags, MANY);
  const faults = faultsOf(action, flags, ids);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return flags.filter === undefined
    ? decideAll(action, ids, flags, io)
    : decideMatching(action, flags.filter, flags, io);
};
