// SPDX-License-Identifier: Apache-2.0
/** `palisade describe NAME`: an IDS endpoint with its health in words, by section. A section without a row is left out. */
import type {EndpointHealth, IdsEndpoint} from '@palisade/client';
import type {BlindInterval, EndpointHealthMessage, ExporterHealth} from '@palisade/ids-wire';
import {agoText, bytesText, countText, durationText, shareText, timeText} from './figures.ts';

/** Undefined: the server did not say; the row is left out. */
type Value = string | readonly string[] | undefined;
type Row = readonly [label: string, value: Value];
type Health = Partial<EndpointHealthMessage>;

const LABEL_WIDTH = 22;
/** Rows of a list that grows; `--json` has all. */
const LISTED_MAX = 10;

/** What it may be sent, which depends on the driver. */
const targetText = (ip: string, driver: string | undefined): string =>
  `${ip}, UDP port 4789 (VXLAN)${driver === undefined || driver === 'afpacket' ? '' : ' or 6081 (GENEVE)'}`;

const DROPS = {
  kernel: 'in the packet ring',
  socket: 'in the socket',
  queue: 'in the queue',
  crash: 'by a crash',
  stop: 'by a stop',
  notCaptured: 'at other interfaces',
  engine: 'in Suricata',
} as const;
const DROP_CAUSES = Object.keys(DROPS) as readonly (keyof typeof DROPS)[];

const line = (label: string, text: string): string =>
  `  ${label === '' ? ' '.repeat(LABEL_WIDTH) : `${label}:`.padEnd(LABEL_WIDTH)} ${text}`;

const rowLines = ([label, value]: Row): string[] => {
  if (value === undefined) return [];
  const [first = '-', ...more] = typeof value === 'string' ? [value] : value;
  return [line(label, first === '' ? '-' : first), ...more.map(text => line('', text))];
};

const section = (title: string, rows: readonly Row[]): string => {
  const lines = rows.flatMap(rowLines);
  return lines.length === 0 ? '' : `${title}\n${lines.join('\n')}\n`;
};

/** Of something of which there may be very many: the newest, or the first, and how many more. */
const listed = (lines: readonly string[], all: number): readonly string[] =>
  all > lines.length ? [...lines, `and ${countText(all - lines.length)} more: see --json`] : lines;

const counted = (value: number | undefined): Value => (value === undefined ? undefined : countText(value));

const endpointSection = (endpoint: IdsEndpoint, health: Health): string =>
  section('Endpoint', [
    ['Name', endpoint.name],
    ['State', endpoint.state],
    ['Severity', endpoint.severity],
    ['Threat exceptions', endpoint.threatExceptions?.join(', ')],
    ['Traffic logs', endpoint.trafficLogs === true ? 'on' : 'off'],
    ['Description', endpoint.description],
    ['Labels', endpoint.labels === undefined ? undefined : Object.entries(endpoint.labels).map(pair => pair.join('='))],
    ['Network', endpoint.network],
    ['Mirror target', endpoint.endpointIp === undefined ? undefined : targetText(endpoint.endpointIp, health.driver)],
    ['VNI', health.vni === undefined ? undefined : String(health.vni)],
    ['Forwarding rule', endpoint.endpointForwardingRule],
    ['Created', endpoint.createTime === undefined ? undefined : timeText(endpoint.createTime)],
    ['Updated', endpoint.updateTime === undefined ? undefined : timeText(endpoint.updateTime)],
  ]);

const confinedBy = ({uid, landlock, memoryMaxBytes, cpuMaxCores}: NonNullable<Health['confinement']>): string =>
  [
    `uid ${uid}`,
    landlock ? 'Landlock' : 'no Landlock',
    memoryMaxBytes === undefined ? 'no memory limit' : `memory ${bytesText(memoryMaxBytes)}`,
    cpuMaxCores === undefined ? 'no processor limit' : `${cpuMaxCores} cores`,
  ].join(', ');

const sensorSection = (health: Health): string =>
  section('Sensor', [
    ['Health', health.status],
    ['Driver', health.driver],
    ['Suricata process', health.pid === undefined ? undefined : String(health.pid)],
    ['Suricata version', health.engineVersion],
    ['Restarts', counted(health.restarts)],
    ['Confined by', health.confinement === undefined ? undefined : confinedBy(health.confinement)],
    ['Own networks', health.homeNet?.join(', ')],
  ]);

const packetSection = ({packets}: Health): string => {
  if (packets === undefined) return '';
  const {received, bytes, dropped, drops, malformed, foreignVni, refusedSender, notInspectable, notCounted} = packets;
  const of = (name: 'foreignVni' | 'refusedSender', value: number | undefined): Value =>
    counted(value) ?? (notCounted?.[name] === undefined ? undefined : `not counted: ${notCounted[name]}`);
  return section('Packets', [
    ['Received', bytes === undefined ? countText(received) : `${countText(received)} (${bytesText(bytes)})`],
    ['Dropped', `${countText(dropped)} (${shareText(dropped, received)})`],
    ...DROP_CAUSES.map((cause): Row => [`  ${DROPS[cause]}`, counted(drops?.[cause])]),
    ['Malformed', malformedText(malformed, notCounted?.malformed)],
    ['Foreign VNI', of('foreignVni', foreignVni)],
    ['Refused sender', of('refusedSender', refusedSender)],
    ['Not inspectable', counted(notInspectable)],
  ]);
};

const lossSection = ({packetLossRatio, lossPerMinute}: Health): string => {
  const minutes = lossPerMinute ?? [];
  const sum = (of: 'received' | 'dropped'): number => minutes.reduce((total, row) => total + row[of], 0);
  const [received, dropped] = [sum('received'), sum('dropped')];
  const share = (part: number, whole: number): string =>
    `${shareText(part, whole)} (${countText(part)} of ${countText(whole)} packets)`;
  const bad = minutes.filter(row => row.dropped > 0).toReversed();
  const rows = bad.slice(0, LISTED_MAX).map(row => `${timeText(row.minute)}  ${share(row.dropped, row.received)}`);
  return section('Loss', [
    ['Last minute', packetLossRatio === undefined ? undefined : shareText(packetLossRatio, 1)],
    ['Last hour', lossPerMinute === undefined ? undefined : share(dropped, received)],
    ['Minutes with loss', bad.length === 0 ? undefined : listed(rows, bad.length)],
  ]);
};

const blindText = ({from, until, why}: BlindInterval, nowMs: number): string => {
  const seconds = Math.max(0, ((until === undefined ? nowMs : Date.parse(until)) - Date.parse(from)) / 1000);
  return `${timeText(from)}, for ${durationText(seconds)}${until === undefined ? ' until now' : ''}: ${why}`;
};

const blindSection = ({blind, blindSeconds}: Health, nowMs: number): string => {
  if (blind === undefined) return '';
  const newest = blind.toReversed().slice(0, LISTED_MAX);
  const lines = newest.map(interval => blindText(interval, nowMs));
  return section('Blind time', [
    ['In all', blindSeconds === undefined ? undefined : durationText(blindSeconds)],
    ['Newest first', blind.length === 0 ? undefined : listed(lines, blind.length)],
  ]);
};

/** A sample that was switched off has what it left out before. */
const samplingText = ({oneOf, flowsLeftOut}: NonNullable<Health['trafficSampling']>): string =>
  oneOf === 1
    ? `every flow recorded; ${countText(flowsLeftOut)} flows were left out before`
    : `1 of ${countText(oneOf)} flows recorded, ${countText(flowsLeftOut)} flows left out`;

const kindsText = (threats: number, traffic: number): string =>
  `${countText(threats)} threats, ${countText(traffic)} of traffic`;

/** All that were deleted, and of them those of a budget and the others. */
const recordRows = ({records, recordsEvicted = {}}: Health): readonly Row[] => {
  if (records === undefined) return [];
  const {threats, traffic, threatsDropped, trafficDropped} = records;
  const {TRAFFIC: trafficEvicted = 0, ...bySeverity} = recordsEvicted;
  const evicted = Object.entries({...bySeverity, TRAFFIC: trafficEvicted}).filter(([, count]) => count > 0);
  const threatsEvicted = Object.values(bySeverity).reduce((sum, count) => sum + count, 0);
  // The two figures are read one after the other.
  const others = (dropped: number, evictedOf: number): number => Math.max(0, dropped - evictedOf);
  const [threatsOther, trafficOther] = [others(threatsDropped, threatsEvicted), others(trafficDropped, trafficEvicted)];
  return [
    ['Records on disk', kindsText(threats, traffic)],
    ['Records deleted', kindsText(threatsDropped, trafficDropped)],
    [
      '  to make room',
      evicted.length === 0 ? undefined : evicted.map(([name, count]) => `${name} ${countText(count)}`).join(', '),
    ],
    ['  too old or damaged', threatsOther + trafficOther > 0 ? kindsText(threatsOther, trafficOther) : undefined],
  ];
};

const alertSection = (health: Health): string => {
  const {alerts, suricataAlerts, trafficSampling} = health;
  return section('Alerts', [
    ['Seen', counted(alerts?.seen)],
    ['  stored', counted(alerts?.stored)],
    ['  below severity', counted(alerts?.filtered)],
    ['  excepted', counted(alerts?.excepted)],
    ['  lost', counted(alerts?.lost)],
    ["Suricata's count", counted(suricataAlerts?.counted)],
    ['  discarded', counted(suricataAlerts?.discarded)],
    ['  suppressed', counted(suricataAlerts?.suppressed)],
    ...recordRows(health),
    ['Traffic sample', trafficSampling === undefined ? undefined : samplingText(trafficSampling)],
  ]);
};

/** `OK: syslog+tcp://logs.example:514, 1,200 sent`; what is 0 is not named, but the records that wait. */
const exporterText = ({state, receiver, lagRecords, lagSeconds, lastError, ...counts}: ExporterHealth): string =>
  [
    `${state}: ${receiver}, ${countText(counts.sent)} sent`,
    ...(lagRecords > 0 ? [`${countText(lagRecords)} waiting for ${durationText(lagSeconds)}`] : []),
    ...(['refused', 'missed', 'truncated'] as const)
      .filter(name => counts[name] > 0)
      .map(name => `${countText(counts[name])} ${name}`),
    ...(lastError === '' ? [] : [lastError]),
  ].join(', ');

const exporterSection = ({exporters = []}: Health): string =>
  exporters.length === 0
    ? ''
    : section(
        'Exporters',
        exporters.map((exporter): Row => [exporter.name, exporterText(exporter)]),
      );

/** A driver that sees a part of them shows no 0 that looks like none. */
const malformedText = (count: number, why: string | undefined): Value => {
  if (why === undefined) return counted(count);
  return count === 0 ? `not counted: ${why}` : `${countText(count)}; others are not counted: ${why}`;
};

/** `default, version 0123456789abcdef`. */
const ruleSetOf = ({ruleSet, ruleSetVersion}: Health): string | undefined =>
  ruleSet === undefined || ruleSetVersion === undefined ? ruleSetVersion : `${ruleSet}, version ${ruleSetVersion}`;

const ruleSection = (health: Health, nowMs: number): string =>
  section('Rules', [
    ['Rule set', ruleSetOf(health)],
    [
      'Updated',
      health.rulesUpdated === undefined
        ? undefined
        : `${timeText(health.rulesUpdated)}${agoText(health.rulesUpdated, nowMs)}`,
    ],
    ['Loaded', counted(health.rulesLoaded)],
    ['Refused', counted(health.rulesFailed)],
    ['', health.refusedRules?.length ? health.refusedRules : undefined],
    ['Skipped', counted(health.rulesSkipped)],
    ['', health.skippedRules?.length ? health.skippedRules : undefined],
  ]);

/** Fields with a row of their own, and `unknownExceptions`, which a reason names. */
const SHOWN: ReadonlySet<string> = new Set<keyof EndpointHealthMessage>([
  ...(['endpoint', 'state', 'status', 'reasons', 'driver', 'pid', 'restarts', 'vni', 'homeNet', 'packets'] as const),
  ...(['packetLossRatio', 'lossPerMinute', 'blind', 'blindSeconds', 'alerts', 'suricataAlerts', 'records'] as const),
  ...([
    'recordsEvicted',
    'exporters',
    'unknownExceptions',
    'ruleSetVersion',
    'rulesLoaded',
    'rulesFailed',
    'refusedRules',
  ] as const),
  ...([
    'rulesSkipped',
    'skippedRules',
    'ruleSet',
    'rulesUpdated',
    'rulesAgeDays',
    'engineVersion',
    'confinement',
    'notes',
    'trafficSampling',
  ] as const),
]);

/** Whatever else a newer server says. */
const otherSection = (health: EndpointHealth): string =>
  section(
    'Other',
    Object.entries(health)
      .filter(([name]) => !SHOWN.has(name))
      .map(([name, value]): Row => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

const listSection = (title: string, texts: readonly string[] = []): string =>
  texts.length === 0 ? '' : `${title}\n${texts.map(text => `  - ${text}\n`).join('')}`;

/** `nowMs`: epoch milliseconds. */
export const endpointText = (endpoint: IdsEndpoint, shown: EndpointHealth, nowMs: number): string => {
  const health = shown as Health; // of a server of this version; a field that is absent has no row
  return [
    endpointSection(endpoint, health),
    sensorSection(health),
    packetSection(health),
    lossSection(health),
    blindSection(health, nowMs),
    alertSection(health),
    exporterSection(health),
    ruleSection(health, nowMs),
    otherSection(shown),
    listSection('Reasons', health.reasons),
    listSection('Notes', health.notes),
  ]
    .filter(text => text !== '')
    .join('\n');
};
