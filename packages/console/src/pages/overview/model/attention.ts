// SPDX-License-Identifier: Apache-2.0
/** What needs attention: one list over both APIs, the most urgent first. */

import type {EndpointHealthMessage, RuleSetMessage} from '@palisade/ids-wire';
import {links} from '../../../links.ts';
import {percentText} from '../../../ui/data/number-text.ts';
import {ageText} from '../../../ui/data/time-text.ts';
import type {GroupRow} from '../../groups/model/group-row.ts';
import {isFailingSet, type SetRow} from './set-row.ts';

/** In the order of urgency. */
export const KINDS = [
  'sensor failed',
  'no member ready',
  'critical alerts',
  'panic',
  'loss',
  'sensor',
  'group',
  'rules',
  'checks',
  'partly ready',
  'exporter',
  'deletion',
] as const;
export type AttentionKind = (typeof KINDS)[number];

export type Attention = {
  readonly key: string;
  readonly kind: AttentionKind;
  readonly tone: 'bad' | 'warn';
  /** What it is about, the text of the link. */
  readonly subject: string;
  readonly text: string;
  /** From `links`. */
  readonly to: string;
};

export type Looked = {
  readonly sets: readonly SetRow[];
  readonly groups: readonly GroupRow[];
  readonly healths: readonly EndpointHealthMessage[];
  readonly ruleSets: readonly RuleSetMessage[];
  /** Not acknowledged, of the last 24 h. */
  readonly openCritical: number;
  readonly parent: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

/** Deletions that take longer need attention. */
export const STUCK_MS = 60_000;

export const shortName = (endpoint: string): string => {
  const [, project = '', , location = '', , id = ''] = endpoint.split('/');
  return `${project}/${location}/${id}`;
};

const members = (count: number): string => (count === 1 ? '1 member' : `${count} members`);

const noneReady = (total: number): string =>
  total === 1 ? 'The only member is not ready' : `None of ${members(total)} is ready`;

function ofSets(sets: readonly SetRow[], groups: ReadonlyMap<string, GroupRow>): Attention[] {
  return sets.filter(isFailingSet).flatMap((set): Attention[] => {
    const {namespace, name, ready, total, notReady} = set;
    const key = `${namespace}/${name}`;
    const group = groups.get(key);
    const base = {key: `set ${key}`, subject: key, to: links.endpoints(namespace, name)};
    if (ready === 0) return [{...base, kind: 'no member ready', tone: 'bad', text: noneReady(total)}];
    if (group !== undefined && group.failingCount > 0) return [];
    const kind = group === undefined ? 'partly ready' : 'checks';
    return [{...base, kind, tone: 'warn', text: `${notReady} of ${members(total)} not ready`}];
  });
}

function ofGroups(groups: readonly GroupRow[], dead: ReadonlySet<string>): Attention[] {
  return groups.flatMap((group): Attention[] => {
    const {namespace, name, problems, failing, failingCount} = group;
    const subject = `${namespace}/${name}`;
    const base = {subject, to: links.group(namespace, name)};
    const conditions = problems.map(
      ({reason, message, passing}): Attention => ({
        ...base,
        key: `group ${subject} ${reason}`,
        kind: reason === 'Panic' ? 'panic' : 'group',
        tone: passing ? 'warn' : 'bad',
        text: `${reason}: ${message}`,
      }),
    );
    if (failingCount === 0 || dead.has(subject)) return conditions;
    const text = `Checks fail at ${failing}`;
    const to = links.group(namespace, name, {failing: '1'});
    return [...conditions, {...base, to, key: `checks ${subject}`, kind: 'checks', tone: 'warn', text}];
  });
}

function ofHealth({endpoint, status, reasons, packetLossRatio = 0, state}: EndpointHealthMessage): Attention[] {
  const base = {subject: shortName(endpoint), to: links.idsEndpointOf(endpoint)};
  const found: Attention[] = [];
  const isComing = state === 'CREATING' || state === 'DELETING';
  if (status !== 'READY' && !isComing) {
    const failed = status === 'FAILED';
    const text = reasons.length === 0 ? `The sensor is ${status}` : reasons.join(' ');
    found.push({
      ...base,
      key: `sensor ${endpoint}`,
      kind: failed ? 'sensor failed' : 'sensor',
      tone: failed || status === 'DEGRADED' ? 'bad' : 'warn',
      text,
    });
  }
  if (packetLossRatio > 0)
    found.push({
      ...base,
      key: `loss ${endpoint}`,
      kind: 'loss',
      tone: 'bad',
      text: `Lost ${percentText(packetLossRatio)} of the packets of the last minute`,
    });
  return found;
}

/** Each exporter once, though each of its endpoints reports it. */
function ofExporters(healths: readonly EndpointHealthMessage[]): Attention[] {
  const found = new Map<string, Attention>();
  for (const {endpoint, exporters = []} of healths)
    for (const {name, receiver, state, lastError, lagRecords} of exporters)
      if (state !== 'OK' && !found.has(name))
        found.set(name, {
          key: `exporter ${name}`,
          kind: 'exporter',
          tone: 'warn',
          subject: name,
          to: links.idsEndpointOf(endpoint),
          text: `The exporter to ${receiver} is ${state === 'BEHIND' ? 'behind' : 'retrying'}, ${lagRecords} records wait${lastError === '' ? '' : `: ${lastError}`}`,
        });
  return [...found.values()];
}

const ofRuleSets = (sets: readonly RuleSetMessage[]): Attention[] =>
  sets
    .filter(({refused}) => refused !== '')
    .map(({name, ruleSetId, refused, version}) => ({
      key: `rules ${name}`,
      kind: 'rules',
      tone: 'bad',
      subject: `Rule set ${ruleSetId}`,
      to: links.rules(),
      text: `${version === '' ? 'Refused, and no version is active' : 'The newest version is refused, the previous one is active'}: ${refused}`,
    }));

function ofDeletions({sets, groups, now}: Looked): Attention[] {
  const stuck = (subject: string, at: number | undefined, to: string, what: string): Attention[] =>
    at === undefined || now - at < STUCK_MS
      ? []
      : [
          {
            key: `deletion ${what} ${subject}`,
            kind: 'deletion',
            tone: 'warn',
            subject,
            to,
            text: `${what} deleted ${ageText(now - at)} ago, and something still holds it`,
          },
        ];
  return [
    ...sets.flatMap(({namespace, name, deletingSince}) =>
      stuck(`${namespace}/${name}`, deletingSince, links.endpoints(namespace, name, {tab: 'deletion'}), 'Endpoints'),
    ),
    ...groups.flatMap(({namespace, name, deleting}) =>
      stuck(
        `${namespace}/${name}`,
        deleting === undefined ? undefined : Date.parse(deleting),
        links.group(namespace, name),
        'Group',
      ),
    ),
  ];
}

const ofAlerts = ({openCritical, parent}: Looked): Attention[] =>
  openCritical === 0
    ? []
    : [
        {
          key: 'alerts',
          kind: 'critical alerts',
          tone: 'bad',
          subject: openCritical === 1 ? '1 critical threat' : `${openCritical} critical threats`,
          to: links.threats({in: `${parent}/endpoints/-`, q: 'alert_severity=CRITICAL AND acknowledged=false'}),
          text: 'of the last 24 hours, not acknowledged',
        },
      ];

/** Items of one kind. More would hide the other kinds, and the panels below the list. */
const FIRST_OF_KIND = 4;

/** The first few of each kind, in the same order. */
export function firstOfEach(items: readonly Attention[]): readonly Attention[] {
  const seen = new Map<Attention['kind'], number>();
  return items.filter(({kind}) => {
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    return count <= FIRST_OF_KIND;
  });
}

/** Of the same urgency, by name. */
export function needsAttention(looked: Looked): readonly Attention[] {
  const groups = new Map(looked.groups.map(group => [`${group.namespace}/${group.name}`, group]));
  const dead = new Set(
    looked.sets.filter(({ready, notReady}) => ready === 0 && notReady > 0).map(set => `${set.namespace}/${set.name}`),
  );
  const all = [
    ...ofSets(looked.sets, groups),
    ...ofGroups(looked.groups, dead),
    ...looked.healths.flatMap(ofHealth),
    ...ofExporters(looked.healths),
    ...ofRuleSets(looked.ruleSets),
    ...ofDeletions(looked),
    ...ofAlerts(looked),
  ];
  const rank = ({kind, tone}: Attention): number => KINDS.indexOf(kind) * 2 + (tone === 'bad' ? 0 : 1);
  return all.sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
}
