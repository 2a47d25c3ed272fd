// SPDX-License-Identifier: Apache-2.0
/**
 * A typed client of the Cloud IDS API v1 over REST, and of what our server adds beside it (health, threat and traffic records).
 * Every method throws IdsError for a refusal and TransportError for no answer.
 */
import {
  PCAP_SOURCE_HEADER,
  PCAP_SOURCES,
  PCAP_TYPE,
  type PcapSource,
  type RecordAggregateMessage,
  type RuleMessage,
  type RuleSetMessage,
  type RuleSetUpdateMessage,
  type ThreatMessage,
  type ThreatRecord,
  type TrafficRecord,
  type TriedExceptions,
} from '@palisade/ids-wire';
import type {HttpRequest, Transport} from '../http/contract.ts';
import {type EndpointCalls, endpointCalls} from './endpoint-calls.ts';
import {IdsError, toIdsError} from './ids-error.ts';
import type {EndpointPage, IdsEndpoint, IdsLocation, LocationPage, Operation, OperationPage} from './objects.ts';
import {resourcePath} from './resource-path.ts';
import {type RuleCalls, ruleCalls} from './rule-calls.ts';
import {type ThreatDecisions, threatDecisions} from './threat-decisions.ts';

export type CallOptions = {readonly signal?: AbortSignal | undefined};
export type MutateOptions = CallOptions & {
  /** UUID by which a retried request is recognised. */
  readonly requestId?: string | undefined;
};
export type PageOptions = CallOptions & {
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
  readonly filter?: string | undefined;
  readonly orderBy?: string | undefined;
};
export type RecordOptions = PageOptions & {
  /** RFC 3339: records from then on. */
  readonly since?: string | undefined;
  /** RFC 3339: records before then. */
  readonly until?: string | undefined;
};
export type RecordKind = 'threats' | 'traffic';
/** With its id, unique among the records of its endpoint. */
export type RecordOf<K extends RecordKind> = (K extends 'threats' ? ThreatRecord : TrafficRecord) & {
  readonly id: string;
};
export type AggregateOptions = CallOptions & {
  readonly filter?: string | undefined;
  /** RFC 3339: records from then on, and before then. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Width of a bar, such as 30s, 5m, 1h or 1d. */
  readonly histogram?: string | undefined;
  /** One of AGGREGATE_GROUPS. */
  readonly groupBy?: string | undefined;
  readonly groupsMax?: number | undefined;
};
export type FollowOptions = RecordOptions & {
  /** Records again whenever their repeat_count grows or somebody decides about them; each with the id that it had. */
  readonly updates?: boolean | undefined;
  /** Go on exactly after this one. */
  readonly cursor?: string | undefined;
  /** Longest silence of the server, in milliseconds; it says something every 15 s. Default FOLLOW_SILENCE_MS. */
  readonly silenceMs?: number | undefined;
  /** The same until the first line. Default silenceMs. */
  readonly firstSilenceMs?: number | undefined;
};
/** A record with an id that no other one has and that stays when it comes again; or the place in the stream after all before it. */
export type Followed<K extends RecordKind> =
  | {readonly record: RecordOf<K>; readonly id: string; readonly cursor?: undefined}
  | {readonly cursor: string};
/** Three signs of life that did not come. */
export const FOLLOW_SILENCE_MS = 45_000;

/** A capture file, and whose packets it has. */
export type ThreatPcap = {readonly source: PcapSource; readonly file: Uint8Array};

export type RuleSetPage = {readonly ruleSets?: readonly RuleSetMessage[]; readonly nextPageToken?: string};
export type RulePage = {readonly rules?: readonly RuleMessage[]; readonly nextPageToken?: string};
export type RuleListOptions = PageOptions & {/** Also the texts of the rules. */ readonly full?: boolean | undefined};
/** Verifying and loading a large rule set takes minutes. */
export const RULE_UPDATE_SILENCE_MS = 900_000;

/** `GET /v1/{endpoint}/health`; the members are the server's, unknown ones pass through. */
export type EndpointHealth = {readonly status?: string} & Readonly<Record<string, unknown>>;

export interface IdsClient extends EndpointCalls, RuleCalls, ThreatDecisions {
  readonly server: string;
  /** `parent`: `projects/P/locations/L`. */
  createEndpoint(
    parent: string,
    endpointId: string,
    endpoint: IdsEndpoint,
    options?: MutateOptions,
  ): Promise<Operation>;
  getEndpoint(name: string, options?: CallOptions): Promise<IdsEndpoint>;
  /** One page; `parent` may end in `locations/-`. */
  listEndpoints(parent: string, options?: PageOptions): Promise<EndpointPage>;
  /** Changes exactly the fields of `updateMask` (camelCase); those that `endpoint` leaves out are cleared. */
  patchEndpoint(
    name: string,
    endpoint: IdsEndpoint,
    updateMask: readonly string[],
    options?: MutateOptions,
  ): Promise<Operation>;
  deleteEndpoint(name: string, options?: MutateOptions): Promise<Operation>;
  getOperation(name: string, options?: CallOptions): Promise<Operation>;
  listOperations(parent: string, options?: PageOptions): Promise<OperationPage>;
  cancelOperation(name: string, options?: CallOptions): Promise<void>;
  getLocation(name: string, options?: CallOptions): Promise<IdsLocation>;
  /** One page; `project`: `projects/P`. */
  listLocations(project: string, options?: PageOptions): Promise<LocationPage>;
  getHealth(name: string, options?: CallOptions): Promise<EndpointHealth>;
  /** What exceptions would have hidden of the last `last` stored alerts; changes nothing. */
  tryExceptions(
    name: string,
    request: {readonly threatExceptions: readonly string[]; readonly last: number},
    options?: CallOptions,
  ): Promise<TriedExceptions>;
  /** One page; `parent`: `projects/P/locations/L`, where `-` stands for any. */
  listRuleSets(parent: string, options?: PageOptions): Promise<RuleSetPage>;
  /** One page of the rules of `projects/P/locations/L/ruleSets/SET`, active or not; SET may be `-`. */
  listRules(ruleSet: string, options?: RuleListOptions): Promise<RulePage>;
  /** Reads the sources of a rule set again, of all with `-`; resolves when every Suricata has the rules. */
  updateRuleSet(name: string, options?: CallOptions): Promise<{readonly ruleSets?: readonly RuleSetUpdateMessage[]}>;
  /** What our server is known by whatever its address; a server of Cloud IDS itself answers NOT_FOUND. */
  getServer(options?: CallOptions): Promise<{readonly uid?: string}>;
  /** One page of records. */
  listRecords<K extends RecordKind>(
    name: string,
    kind: K,
    options?: RecordOptions,
  ): Promise<{records: readonly RecordOf<K>[]; nextPageToken: string}>;
  /** One threat of an endpoint with its evidence and its rule. */
  getThreat(endpoint: string, id: string, options?: CallOptions): Promise<ThreatMessage>;
  /** Its packets; NOT_FOUND when none are kept. */
  getThreatPcap(endpoint: string, id: string, options?: CallOptions): Promise<ThreatPcap>;
  /** Sums over records, in all, by time and by group. */
  aggregateRecords(name: string, kind: RecordKind, options?: AggregateOptions): Promise<RecordAggregateMessage>;
  /**
   * Records as they come and cursors, the first one once the stream stands, until `signal` aborts (TransportError `aborted`) or the
   * server ends the stream; throws IdsError when it ends it with a reason, such as a right that is gone. `keepFollowing` outlives the stream.
   */
  followRecords<K extends RecordKind>(name: string, kind: K, options?: FollowOptions): AsyncGenerator<Followed<K>>;
  close(): void;
}

/** The client over any transport; `server` is what messages call the server. */
export function idsClientOver(transport: Transport, server: string): IdsClient {
  const call = <T>(request: HttpRequest): Promise<T> => sendJson(transport, request) as Promise<T>;
  return {
    server,
    createEndpoint: (parent, endpointId, endpoint, opts) =>
      call({
        method: 'POST',
        path: resourcePath(`${parent}/endpoints`),
        query: {endpointId, requestId: opts?.requestId},
        body: JSON.stringify(endpoint),
        signal: opts?.signal,
      }),
    getEndpoint: (name, opts) => call({method: 'GET', path: resourcePath(name), signal: opts?.signal}),
    listEndpoints: (parent, opts) =>
      call({method: 'GET', path: resourcePath(`${parent}/endpoints`), query: pageQuery(opts), signal: opts?.signal}),
    patchEndpoint: (name, endpoint, updateMask, opts) =>
      call({
        method: 'PATCH',
        path: resourcePath(name),
        query: {updateMask: updateMask.join(','), requestId: opts?.requestId},
        body: JSON.stringify(endpoint),
        signal: opts?.signal,
      }),
    deleteEndpoint: (name, opts) =>
      call({method: 'DELETE', path: resourcePath(name), query: {requestId: opts?.requestId}, signal: opts?.signal}),
    getOperation: (name, opts) => call({method: 'GET', path: resourcePath(name), signal: opts?.signal}),
    listOperations: (parent, opts) =>
      call({method: 'GET', path: resourcePath(`${parent}/operations`), query: pageQuery(opts), signal: opts?.signal}),
    cancelOperation: async (name, opts) => {
      await call({method: 'POST', path: `${resourcePath(name)}:cancel`, body: '{}', signal: opts?.signal});
    },
    getLocation: (name, opts) => call({method: 'GET', path: resourcePath(name), signal: opts?.signal}),
    listLocations: (project, opts) =>
      call({method: 'GET', path: resourcePath(`${project}/locations`), query: pageQuery(opts), signal: opts?.signal}),
    getHealth: (name, opts) => call({method: 'GET', path: resourcePath(`${name}/health`), signal: opts?.signal}),
    tryExceptions: (name, request, opts) =>
      call({...post(`${resourcePath(name)}:tryExceptions`, request), signal: opts?.signal}),
    listRuleSets: (parent, opts) =>
      call({method: 'GET', path: resourcePath(`${parent}/ruleSets`), query: pageQuery(opts), signal: opts?.signal}),
    listRules: (ruleSet, opts) =>
      call({
        method: 'GET',
        path: resourcePath(`${ruleSet}/rules`),
        query: {...pageQuery(opts), view: opts?.full === true ? 'FULL' : undefined},
        signal: opts?.signal,
      }),
    updateRuleSet: (name, opts) =>
      call({
        method: 'POST',
        path: `${resourcePath(name)}:update`,
        body: '{}',
        silenceMs: RULE_UPDATE_SILENCE_MS,
        signal: opts?.signal,
      }),
    getServer: opts => call({method: 'GET', path: '/v1/server', signal: opts?.signal}),
    ...recordCalls(transport),
    ...endpointCalls(call),
    ...ruleCalls(call, RULE_UPDATE_SILENCE_MS),
    ...threatDecisions(call),
    close: () => transport.close(),
  };
}

const post = (path: string, body: object): HttpRequest => ({method: 'POST', path, body: JSON.stringify(body)});

type RecordCalls = Pick<
  IdsClient,
  'listRecords' | 'aggregateRecords' | 'followRecords' | 'getThreat' | 'getThreatPcap'
>;

function recordCalls(transport: Transport): RecordCalls {
  return {
    listRecords: (name, kind, opts) => listRecords(transport, name, kind, opts),
    aggregateRecords: (name, kind, {signal, groupsMax, ...query} = {}) =>
      sendJson(transport, {
        method: 'GET',
        path: `${resourcePath(`${name}/${kind}`)}:aggregate`,
        query: {...query, groupsMax: groupsMax === undefined ? undefined : String(groupsMax)},
        signal,
      }) as Promise<RecordAggregateMessage>,
    getThreat: (endpoint, id, opts) =>
      sendJson(transport, {
        method: 'GET',
        path: resourcePath(`${endpoint}/threats/${id}`),
        signal: opts?.signal,
      }) as Promise<ThreatMessage>,
    getThreatPcap: (endpoint, id, opts) => getThreatPcap(transport, `${endpoint}/threats/${id}/pcap`, opts),
    followRecords: (name, kind, opts) => followRecords(transport, name, kind, opts),
  };
}

/** Of an answer that is not what was asked for. */
const EXCERPT_CHARACTERS = 100;

async function sendJson(transport: Transport, request: HttpRequest): Promise<unknown> {
  const answer = await transport.send(request);
  if (answer.status >= 300) throw toIdsError(answer, `${request.method} ${request.path}`);
  return answer.body === '' ? {} : objectIn(answer.body, 'answer');
}

/** Throws IdsError for what is no object of JSON: any program may listen where a server is expected. */
function objectIn(text: string, what: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {}
  if (typeof value === 'object' && value !== null) return value;
  throw new IdsError('UNKNOWN', `the ${what} is no JSON object: ${text.slice(0, EXCERPT_CHARACTERS)}`);
}

async function getThreatPcap(transport: Transport, name: string, options?: CallOptions): Promise<ThreatPcap> {
  const path = resourcePath(name);
  const answer = await transport.sendForBytes({
    method: 'GET',
    path,
    headers: {accept: PCAP_TYPE},
    signal: options?.signal,
  });
  const {body: file, headers} = answer;
  if (answer.status >= 300) throw toIdsError({...answer, body: new TextDecoder().decode(file)}, `GET ${path}`);
  return {source: PCAP_SOURCES.find(source => source === headers[PCAP_SOURCE_HEADER]) ?? 'flow', file};
}

function pageQuery(options: PageOptions | undefined): Record<string, string | undefined> {
  return {
    pageSize: options?.pageSize === undefined ? undefined : String(options.pageSize),
    pageToken: options?.pageToken,
    filter: options?.filter,
    orderBy: options?.orderBy,
  };
}

async function listRecords<K extends RecordKind>(
  transport: Transport,
  name: string,
  kind: K,
  options: RecordOptions | undefined,
): Promise<{records: readonly RecordOf<K>[]; nextPageToken: string}> {
  const body = (await sendJson(transport, {
    method: 'GET',
    path: resourcePath(`${name}/${kind}`),
    query: {...pageQuery(options), since: options?.since, until: options?.until},
    signal: options?.signal,
  })) as Readonly<Record<string, unknown>>;
  const {[kind]: records = [], nextPageToken} = body;
  return {
    records: records as readonly RecordOf<K>[],
    nextPageToken: typeof nextPageToken === 'string' ? nextPageToken : '',
  };
}

async function* followRecords<K extends RecordKind>(
  transport: Transport,
  name: string,
  kind: K,
  options: FollowOptions | undefined,
): AsyncGenerator<Followed<K>> {
  const path = resourcePath(`${name}/${kind}`);
  const asked = {follow: '1', cursors: '1', cursor: options?.cursor, updates: options?.updates ? '1' : undefined};
  const stream = await transport.open({
    method: 'GET',
    path,
    query: {...pageQuery(options), since: options?.since, ...asked},
    silenceMs: options?.silenceMs ?? FOLLOW_SILENCE_MS,
    firstSilenceMs: options?.firstSilenceMs,
    signal: options?.signal,
  });
  if (stream.status >= 300) {
    const lines: string[] = [];
    for await (const line of stream.lines) lines.push(line);
    throw toIdsError({status: stream.status, headers: stream.headers, body: lines.join('\n')}, `GET ${path}`);
  }
  for await (const line of stream.lines) {
    const item = objectIn(line, 'line of the stream') as RecordOf<K> | {cursor: string} | {error: object};
    if ('error' in item) throw toIdsError({...stream, body: line}, `GET ${path}`);
    yield toFollowed(item);
  }
}

/** Ids are unique among the records of one endpoint. */
function toFollowed<K extends RecordKind>(line: RecordOf<K> | {readonly cursor: string}): Followed<K> {
  return 'cursor' in line ? line : {record: line, id: `${line.endpoint} ${line.id}`};
}
