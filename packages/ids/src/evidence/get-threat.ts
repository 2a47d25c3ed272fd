// SPDX-License-Identifier: Apache-2.0
/** One threat with what is kept of it: `GET /v1/{endpoint}/threats/{id}`, and its packets. */
import {
  formatIdsEndpointName,
  type ThreatEvidence,
  type ThreatMessage,
  type ThreatRecord,
  type ThreatRule,
} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {endpointNameOf} from '../names/names.ts';
import {RECORD_ID, timeOfId} from '../records/record-id.ts';
import {demandRecords} from '../records/record-query.ts';
import type {RecordStore} from '../records/record-store.ts';
import {invalidArgument, notFound, RpcError, THREAT_TYPE} from '../rpc-error.ts';
import type {SensorHost} from '../sensor-host.ts';
import type {Clock} from '../system.ts';
import {evidenceOf, parseEvent} from './decode-event.ts';
import {type ThreatPcap, threatPcap} from './threat-pcap.ts';

export type ThreatDeps = {readonly host: SensorHost; readonly records: RecordStore; readonly clock: Clock};

/** `endpoint`: full resource name; `id`: of the record. */
export type ThreatName = {readonly endpoint: string; readonly id: string};

type Found = {readonly name: ThreatName; readonly record: ThreatRecord};

type Demand = (caller: Caller, endpoint: string) => Promise<void>;

/** `more`: what else is demanded before the search. Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND. */
const findThreat = async (
  {records}: ThreatDeps,
  caller: Caller,
  {endpoint, id}: ThreatName,
  more?: Demand,
): Promise<Found> => {
  const full = formatIdsEndpointName(endpointNameOf(endpoint));
  await demandRecords(caller, full, 'threats');
  await more?.(caller, full); // the last one: the audit log shows what was read by it
  if (!RECORD_ID.test(id)) {
    const description = `"${id}" is not the ID of a threat record; list them with GET /v1/${full}/threats`;
    throw invalidArgument([{field: 'id', description}]);
  }
  const found = await records.get('threats', full, id);
  if (found === undefined) throw notFound(`${full}/threats/${id}`, THREAT_TYPE);
  return {name: {endpoint: full, id}, record: found.record as ThreatRecord};
};

const demandEvidence: Demand = (caller, endpoint) => {
  const {project, endpointId: id} = endpointNameOf(endpoint);
  return caller.demand('ids.threats.getEvidence', {project, resource: endpoint, id});
};

const readEvidence = async ({records}: ThreatDeps, {endpoint, id}: ThreatName): Promise<ThreatEvidence | undefined> => {
  const event = parseEvent((await records.evidence(endpoint, id)) ?? '');
  return event === undefined ? undefined : evidenceOf(event);
};

/** Why no evidence is kept, and what to do about it from now on. */
const whyAbsent = async ({host, records, clock}: ThreatDeps, id: string): Promise<string> => {
  const {ageMs} = (await records.usage()).evidence;
  const writtenMs = (timeOfId(id) ?? 0) / 1000;
  if (clock.now() - writtenMs > ageMs)
    return 'it was deleted when it became too old; keep evidence longer with --evidence-age';
  if (host.evidence === 'none')
    return 'the server runs with --evidence none; start it with --evidence payload to keep packet, payload and protocol fields';
  return 'it was deleted to make room, or the server ran with --evidence none; keep more with --evidence-bytes';
};

const evidenceFor = async (deps: ThreatDeps, caller: Caller, name: ThreatName): Promise<ThreatEvidence> => {
  try {
    await demandEvidence(caller, name.endpoint);
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'PERMISSION_DENIED') throw error;
    return {withheld: error.message};
  }
  return (await readEvidence(deps, name)) ?? {absent: await whyAbsent(deps, name.id)};
};

const ruleFor = async ({host}: ThreatDeps, record: ThreatRecord): Promise<ThreatRule> => {
  const found = await host.ruleOf(record.endpoint, record.threat_id);
  if (found === undefined)
    return {absent: `the rule set of the endpoint has no rule ${record.threat_id} any more; its record remains`};
  const {set, rule} = found;
  const changed = `revision ${record.rule_revision} raised the alert, and the rule set has revision ${rule.rev} now`;
  return {
    rule_set: set,
    state: rule.state,
    text: rule.text,
    revision: String(rule.rev),
    ...(String(rule.rev) === record.rule_revision ? {} : {changed}),
    references: rule.references,
    cves: rule.cves,
    mitre_tactics: rule.mitreTactics,
    mitre_techniques: rule.mitreTechniques,
  };
};

/** Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND. Who may not see the evidence gets the record without it. */
export const getThreat = async (deps: ThreatDeps, caller: Caller, asked: ThreatName): Promise<ThreatMessage> => {
  const {name, record} = await findThreat(deps, caller, asked);
  return {
    id: name.id,
    ...record,
    evidence: await evidenceFor(deps, caller, name),
    rule: await ruleFor(deps, record),
  };
};

const whyNoPacket = ({left_out: leftOut = []}: ThreatEvidence): string =>
  leftOut.length === 0
    ? 'its event has neither packet nor payload'
    : `its event was too long to be kept whole (left out: ${leftOut.join(', ')})`;

/** Throws INVALID_ARGUMENT, PERMISSION_DENIED, and NOT_FOUND where no packet is kept. */
export const getThreatPcap = async (deps: ThreatDeps, caller: Caller, asked: ThreatName): Promise<ThreatPcap> => {
  await demandEvidence(caller, formatIdsEndpointName(endpointNameOf(asked.endpoint))); // a refusal names it
  const {name, record} = await findThreat(deps, caller, asked, demandEvidence);
  const evidence = await readEvidence(deps, name);
  const pcap = await threatPcap(deps.host, record, evidence);
  if (pcap !== undefined) return pcap;
  const why = evidence === undefined ? await whyAbsent(deps, name.id) : whyNoPacket(evidence);
  const wayOut =
    deps.host.evidence === 'pcap'
      ? ''
      : '; to keep the packets of flows with alerts, start the server with --evidence pcap';
  throw new RpcError('NOT_FOUND', `No packet of '${name.endpoint}/threats/${name.id}' is kept: ${why}${wayOut}`);
};
