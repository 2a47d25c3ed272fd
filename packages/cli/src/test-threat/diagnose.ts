// SPDX-License-Identifier: Apache-2.0
/** Why a test has raised no threat record, from the endpoint's counters before and after. Pure. */
import type {EndpointHealth, IdsEndpoint} from '@palisade/client';
import {isLoopback} from '@palisade/ids-wire/mirror';

export type Figures = Readonly<
  Record<
    'received' | 'dropped' | 'malformed' | 'foreignVni' | 'refusedSender' | 'seen' | 'filtered' | 'excepted',
    number
  >
>;

const numberIn = (value: unknown, name: string): number => {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof found === 'number' ? found : Number(found ?? 0) || 0;
};

const FIGURES = {
  received: 'packets',
  dropped: 'packets',
  malformed: 'packets',
  foreignVni: 'packets',
  refusedSender: 'packets',
  seen: 'alerts',
  filtered: 'alerts',
  excepted: 'alerts',
} as const satisfies Record<keyof Figures, string>;

/** A figure that the server does not have is 0. */
export const figuresOf = (health: EndpointHealth): Figures =>
  Object.fromEntries(Object.entries(FIGURES).map(([name, group]) => [name, numberIn(health[group], name)])) as Figures;

export const growth = (before: Figures, after: Figures): Figures =>
  Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - before[name as keyof Figures]]),
  ) as Figures;

export type Failure = {
  readonly endpoint: IdsEndpoint;
  readonly ip: string;
  readonly vni: number;
  readonly health: EndpointHealth;
  readonly grown: Figures;
  /** Packets that the test sent. Undefined: by a real connection, whose mirror is not ours to count. */
  readonly sent: number | undefined;
  /** How long the record was waited for. */
  readonly waitedMs: number;
};

/** After so long a sensor that is READY has seen whether Suricata reads, and Suricata has counted what it read. */
const SURE_MS = 10_000;

const rulesIn = ({ruleSetVersion, rulesLoaded}: EndpointHealth): string =>
  `${String(rulesLoaded ?? 'unknown')} rules, version ${String(ruleSetVersion ?? 'unknown')}`;

const whereLost = ({ip, sent}: Failure): string =>
  sent === undefined
    ? `no packet arrived at ${ip}: the mirror does not send there, or the connection did not pass the mirrored interface; check tc -s filter show dev IFACE egress on the mirroring host, the route to ${ip} and its firewall (UDP 4789)`
    : isLoopback(ip)
      ? `no packet arrived at ${ip}: this address is on the host of the server only; run this command there, or use an endpoint pool that other hosts reach`
      : `no packet arrived at ${ip}: check the route to it (ip route get ${ip}), and that UDP 4789 is allowed on the way and on the server's host`;

/** Sentences, most likely cause first; never empty. Other traffic of the endpoint counts too, so the figures are at least those of the test. */
export const diagnose = (failure: Failure): readonly string[] => {
  const {endpoint, vni, health, grown, sent} = failure;
  const needed = sent ?? 1;
  const found: string[] = [];
  if (grown.refusedSender > 0)
    found.push(
      `${grown.refusedSender} packets were refused by sender: add the address of the sender to --mirror-from of the server`,
    );
  if (grown.foreignVni > 0)
    found.push(
      `${grown.foreignVni} packets carried another VNI than ${vni}: send with VNI ${vni}, or start the server with --accept-any-vni`,
    );
  if (grown.malformed > 0)
    found.push(`${grown.malformed} packets were malformed: something on the way changes or cuts them`);
  if (grown.dropped > 0)
    found.push(`${grown.dropped} packets were dropped by the sensor: see palisade describe and its reasons`);
  const reasons = withReasons(health);
  if (found.length === 0 && grown.received <= 0) return [...reasons, whereLost(failure)];
  if (grown.filtered > 0)
    found.push(
      `${grown.filtered} alerts were below the severity ${endpoint.severity ?? ''} of the endpoint: lower its severity for the test`,
    );
  if (grown.excepted > 0)
    found.push(
      `${grown.excepted} alerts were hidden by exceptions (${(endpoint.threatExceptions ?? []).join(', ')}): remove one for the test`,
    );
  if (grown.received > 0 && grown.received < needed)
    found.push(`only ${grown.received} of ${needed} packets arrived: the way to the endpoint loses packets`);
  if (grown.received >= needed && grown.seen <= 0) found.push(whyNoAlert(failure));
  if (found.length === 0) found.push('alerts were raised, but none for the test: try again with a longer --timeout');
  return [...reasons, ...found];
};

/** Packets that arrived are inspected only by a Suricata that works, and it counts them some seconds later. */
const whyNoAlert = ({health, waitedMs}: Failure): string => {
  if (health.status !== 'READY')
    return `packets arrived; whether they were inspected is not known while the endpoint is ${String(health.status ?? 'in an unknown state')}: mend that first, then test again`;
  if (waitedMs < SURE_MS)
    return `packets arrived, but ${waitedMs / 1000} s are too short to know whether they were inspected: try again with --timeout 15s`;
  return `packets arrived and the endpoint is READY, but no active rule matched (${rulesIn(health)}): activate the bundled rules, or a rule set with ET 2100498 or GPL ATTACK_RESPONSE rules`;
};

const withReasons = ({status, reasons}: EndpointHealth): readonly string[] =>
  status === 'READY' || !Array.isArray(reasons)
    ? []
    : reasons.map(reason => `the endpoint is ${status}: ${String(reason)}`);
