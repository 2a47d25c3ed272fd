// SPDX-License-Identifier: Apache-2.0
/** What the status of a group says, when it has to be written, and what a start takes from it. Pure. */
import {toKubeTime} from '@palisade/apiserver';
import {type CheckState, isPassing, type KeptResult, newState, type PortState, RESULTS_MAX} from '../checks/state.ts';
import {fromMicroTime, toMicroTime} from '../checks/time-text.ts';
import type {Composition, PortPanic} from './compose.ts';
import {
  type GroupPort,
  groupPort,
  type Member,
  type Membership,
  memberId,
  type Offer,
  offerKey,
  PAIRS_MAX,
  pairKey,
  socketOf,
} from './members.ts';
import type {Restore, TrackedPorts} from './tracked-ports.ts';
import type {CheckResultStatus, EndpointGroupStatus, MemberStatus, PortStatus} from './types.ts';

/** Ports of members that a status lists, those that are not ready first: more would not fit into an object. */
export const STATUS_PORTS_MAX = 10_000;
/** Results that a status has in all; of many ports each has fewer than `RESULTS_MAX`. */
export const STATUS_RESULTS_MAX = 5_000;

/** The outcome of the last write of the Endpoints. */
export type Composed = {readonly status: 'True' | 'False'; readonly reason: string; readonly message: string};

/** Endpoints that are up to date, but for what does not fit. */
export const composedOf = (written: Composed, {pairs, leftOut, pairsMax}: Membership): Composed =>
  written.status === 'False' || leftOut === 0
    ? written
    : {
        status: 'True',
        reason: TOO_MANY_PAIRS,
        message: `${pairs} pairs of an address and a port are in the Endpoints of this name, ${pairsMax < PAIRS_MAX ? 'about as many as fit into one object' : 'the most that a group may have'}; ${leftOut} more, of the newest registrations, are left out; use fewer ports, or several groups`,
      };
export const TOO_MANY_PAIRS = 'TooManyPairs';

/** Reason of the condition Composed; '' before the first write. */
export const composedReason = ({conditions = []}: EndpointGroupStatus): string =>
  conditions.find(({type}) => type === 'Composed')?.reason ?? '';

export const isPanicking = ({conditions = []}: EndpointGroupStatus): boolean =>
  conditions.some(({type, status}) => type === 'Panic' && status === 'True');

export const hadTooMany = ({conditions = []}: EndpointGroupStatus): boolean =>
  conditions.some(({type, reason}) => type === 'Composed' && reason === TOO_MANY_PAIRS);

type Condition = NonNullable<EndpointGroupStatus['conditions']>[number];

export type StatusInput = {
  readonly generation: number;
  readonly members: readonly Member[];
  readonly tracked: TrackedPorts;
  readonly composition: Composition;
  readonly composed: Composed;
  /** 0: off. */
  readonly panicThresholdPercent: number;
  /** As it is stored. */
  readonly before: EndpointGroupStatus;
  readonly nowMs: number;
};

/** What a status leaves out if it would not fit beside the spec, from what is missed least on. Said in the condition Composed. */
const CUTS = [
  {},
  {resultsMax: 0, what: 'the results of checks'},
  {resultsMax: 0, isFailingOnly: true, what: 'members that are ready, and the results of checks'},
  {resultsMax: 0, isWithoutMembers: true, what: 'all members'},
] as const;
type Cut = {
  readonly resultsMax?: number;
  readonly isFailingOnly?: boolean;
  readonly isWithoutMembers?: boolean;
  readonly what?: string;
};

/** As it is written, and then what is written if that is too large; at the end without members: a start takes states from the Endpoints. */
export function* statusesOf(input: StatusInput): Generator<EndpointGroupStatus> {
  const resultsMax = resultsPerPort(input.members.reduce((sum, {offers}) => sum + offers.length, 0));
  for (const cut of CUTS) yield make(input, {resultsMax, ...cut});
}

/** Without what changes with each check: enough to see whether it has to be written. */
export const outlineOf = (input: StatusInput): EndpointGroupStatus => make(input, {});

const make = (input: StatusInput, cut: Cut): EndpointGroupStatus => {
  const {generation, members, tracked, composition} = input;
  const {ready, total} = composition;
  const isListed = (member: Member): boolean => !(cut.isFailingOnly === true && isPassingMember(member, tracked));
  const listed = cut.isWithoutMembers === true ? [] : listedMembers(members, tracked).filter(isListed);
  return {
    observedGeneration: generation,
    ready,
    total,
    conditions: conditionsOf(input, cut.what),
    ...(listed.length > 0 && {members: listed.map(member => memberStatus(member, tracked, cut.resultsMax))}),
  };
};

const isPassingMember = (member: Member, tracked: TrackedPorts): boolean =>
  member.offers.every(
    offer => isPassing(tracked.composedCheck(member, offer)?.state ?? 'Starting') && !offer.isDraining,
  );

export const resultsPerPort = (ports: number): number =>
  Math.min(RESULTS_MAX, Math.max(1, Math.floor(STATUS_RESULTS_MAX / Math.max(1, ports))));

const listedMembers = (members: readonly Member[], tracked: TrackedPorts): readonly Member[] => {
  const ports = members.reduce((sum, {offers}) => sum + Math.max(1, offers.length), 0);
  if (ports <= STATUS_PORTS_MAX) return members;
  let left = STATUS_PORTS_MAX;
  const listed = new Set<Member>();
  for (const wanted of [false, true]) {
    for (const member of members) {
      if (isPassingMember(member, tracked) !== wanted) continue;
      left -= Math.max(1, member.offers.length);
      if (left < 0) return members.filter(each => listed.has(each));
      listed.add(member);
    }
  }
  return members.filter(each => listed.has(each));
};

const memberStatus = (member: Member, tracked: TrackedPorts, resultsMax: number | undefined): MemberStatus => {
  const {address, registration, isDraining, offers} = member;
  const ports = offers.map((offer): PortStatus => {
    const check = tracked.composedCheck(member, offer);
    const {name, port, protocol} = offer.port;
    return {
      ...(name !== undefined && {name}),
      port,
      protocol,
      ...(check !== undefined && {state: check.state, since: toMicroTime(check.sinceMs)}),
      ...(check !== undefined && resultsMax !== undefined && checkDetails(check, resultsMax)),
    };
  });
  return {
    ip: address.ip,
    ...(registration !== undefined && {registration}),
    ...(isDraining && {draining: true}),
    ...(ports.length > 0 && {ports}),
  };
};

/** What changes with each check. */
export const checkDetails = (
  {lastError, results}: CheckState,
  resultsMax: number,
): Pick<PortStatus, 'lastError' | 'results'> => ({
  ...(lastError !== '' && {lastError}),
  ...(results.length > 0 && resultsMax > 0 && {results: results.slice(0, resultsMax).map(resultStatus)}),
});

const resultStatus = ({atMs, passed, durationMs, message}: KeptResult): CheckResultStatus => ({
  time: toMicroTime(atMs),
  passed,
  ...(Math.round(durationMs) > 0 && {milliseconds: Math.round(durationMs)}),
  ...(message !== '' && {message}),
});

const conditionsOf = (
  {generation, composition, composed, panicThresholdPercent, before, nowMs}: StatusInput,
  leftOut: string | undefined,
): readonly Condition[] => {
  const make = (type: string, {status, reason, message}: Composed): Condition => {
    const known = before.conditions?.find(each => each.type === type);
    const lastTransitionTime =
      known?.status === status ? (known.lastTransitionTime ?? toKubeTime(nowMs)) : toKubeTime(nowMs);
    return {type, status, observedGeneration: generation, lastTransitionTime, reason, message};
  };
  return [
    make(
      'Composed',
      leftOut === undefined ? composed : {...composed, message: `${composed.message}. ${shortText(leftOut)}`},
    ),
    ...(panicThresholdPercent > 0 ? [make('Panic', panicWords(composition.panics, panicThresholdPercent))] : []),
  ];
};

const shortText = (leftOut: string): string =>
  `This status leaves out ${leftOut}, so that the group is no larger than an object may be`;

/** What is left out changes with each check: no reason to write. */
const SHORT_TEXT = /\. This status leaves out .*$/;

const panicWords = (panics: readonly PortPanic[], thresholdPercent: number): Composed =>
  panics.length === 0
    ? {
        status: 'False',
        reason: 'EnoughPass',
        message: `At each port at least ${thresholdPercent} % of the members pass`,
      }
    : {status: 'True', reason: 'TooFewPass', message: panicText(panics, thresholdPercent)};

export const panicText = (panics: readonly PortPanic[], thresholdPercent: number): string =>
  panics
    .map(({port, passing, checked}) => {
      const [name = ''] = port.split('/');
      const at = name === '' ? 'the port without a name' : `port ${name}`;
      return `${passing} of ${checked} members pass at ${at}, fewer than ${thresholdPercent} %: none is taken out`;
    })
    .join('; ');

/** Equal for two statuses of which the second need not be written over the first. */
export const coreOf = ({observedGeneration, ready, total, conditions, members}: EndpointGroupStatus): string =>
  JSON.stringify([
    observedGeneration,
    ready,
    total,
    conditions?.map(({type, status, observedGeneration: of, reason, message}) => [
      type,
      status,
      of,
      reason,
      message?.replace(SHORT_TEXT, ''),
    ]),
    members?.map(({ip, registration, draining, ports}) => [
      ip,
      registration,
      draining,
      ports?.map(({name, port, protocol, state, since}) => [name, port, protocol, state, since]),
    ]),
  ]);

/** Readiness of an address at a port, as the composed Endpoints have it; undefined: they do not have it. */
export type WasReady = (member: string, offer: string) => boolean | undefined;

/**
 * States from the time before a start. Endpoints are written before the status: where a panic does not explain the difference, a
 * state that says otherwise is the older one. A panic leaves nobody out at its port: one that does is over there. A status that was
 * too long has no state, but the Endpoints have. A port that was renamed and not composed since has the state of its old name.
 */
export const restoreFrom = (status: EndpointGroupStatus, wasReady: WasReady, nowMs: number): Restore => {
  const known = new Map<string, Known>();
  const bySocket = new Map<string, Known>();
  const wasPanicking = isPanicking(status);
  const calm = new Set<GroupPort>();
  for (const {ip = '', draining = false, ports = []} of status.members ?? []) {
    const member = memberId(ip);
    for (const port of ports) {
      const ready = wasReady(member, offerKey(port));
      const found = {port, ready, isDraining: draining};
      known.set(pairKey(member, offerKey(port)), found);
      bySocket.set(socketOf(member, port), found);
      const counts = !draining && (port.state === 'Ready' || port.state === 'NotReady');
      if (counts && ready === false) calm.add(groupPort(port));
    }
  }
  return (member: Member, offer: Offer): CheckState | undefined => {
    const ready = wasReady(member.id, offer.key);
    const exact = known.get(pairKey(member.id, offer.key));
    if (exact === undefined && ready !== undefined) return newState(ready ? 'Ready' : 'NotReady', nowMs);
    const found = exact ?? bySocket.get(socketOf(member.id, offer.port));
    if (found === undefined) return undefined;
    const check = stored(found.port, nowMs);
    const isKept = wasPanicking && !calm.has(groupPort(found.port));
    const state = stateBehind(check.state, {
      ready: found.ready,
      isKept,
      isDraining: found.isDraining || offer.isDraining,
    });
    return state === check.state ? check : {...check, state, sinceMs: nowMs};
  };
};

/** `ready`: as the Endpoints have it, undefined where they do not. */
type Known = {readonly port: PortStatus; readonly ready: boolean | undefined; readonly isDraining: boolean};

/** `isKept`: a panic keeps those in that fail. */
const stateBehind = (
  state: PortState,
  {
    ready,
    isKept,
    isDraining,
  }: {readonly ready: boolean | undefined; readonly isKept: boolean; readonly isDraining: boolean},
): PortState => {
  if (state === 'Ready') return ready === false && !isDraining ? 'NotReady' : state;
  // Who is in has had a result that the status does not know.
  if (state === 'Starting') return ready !== true ? state : isKept ? 'NotReady' : 'Ready';
  return state === 'NotReady' && ready === true && !isKept ? 'Ready' : state;
};

const stored = ({state = 'Starting', since, lastError = '', results = []}: PortStatus, nowMs: number): CheckState => ({
  state,
  sinceMs: fromMicroTime(since) ?? nowMs,
  run: 0,
  lastError,
  results: results.map(({time, passed = false, milliseconds = 0, message = ''}) => ({
    atMs: fromMicroTime(time) ?? nowMs,
    passed,
    durationMs: milliseconds,
    message,
  })),
});
