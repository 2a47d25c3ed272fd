// SPDX-License-Identifier: Apache-2.0
/** The IDS control plane in one piece: mirror, reconciler, janitor, records, and the two codecs over one set of handlers. */
import type {Registry} from '@bufbuild/protobuf';
import type {ConnectRouter, ContextValues} from '@connectrpc/connect';
import {
  type Auditor,
  DEFAULT_LIMITS,
  Fairness,
  LastModes,
  OpenRights,
  systemTimers,
  UnreadAnswers,
} from '@palisade/apiserver';
import type {Store} from '@palisade/store';
import {type Authenticator, type Authorizer, openAuthenticator, openAuthorizer} from '../auth.ts';
import {exceptionWarnings} from '../endpoints/exception-warnings.ts';
import type {ShownExporters} from '../endpoints/get-health.ts';
import {contextValuesOf} from '../grpc/call.ts';
import {ANY_TYPES} from '../grpc/encode.ts';
import {createGrpcRoutes} from '../grpc/routes.ts';
import type {AnyRequest, AnyResponse} from '../http/exchange.ts';
import {createHandler} from '../http/handler.ts';
import {RULE_ROUTES} from '../http/rule-routes.ts';
import {FOLLOWERS_MAX, FOLLOWERS_PER_USER_MAX, HEALTH_WATCHES_MAX} from '../limits.ts';
import {Janitor} from '../operations/janitor.ts';
import {IpPool} from '../pool/ip-pool.ts';
import type {Ipv4Range} from '../pool/ipv4-range.ts';
import {Reconciler} from '../reconcile/reconciler.ts';
import type {RecordStore} from '../records/record-store.ts';
import type {SensorHost} from '../sensor-host.ts';
import {IdsState} from '../state/ids-state.ts';
import {RuleIndex} from '../state/rule-index.ts';
import {Serial} from '../state/serial.ts';
import type {LocationConfig, Service} from '../state/service.ts';
import {StreamHub} from '../stream-hub.ts';
import type {Clock, Log, Random, Timers} from '../system.ts';
import {restRoutes} from './rest-routes.ts';

export type IdsApiOptions = {
  readonly store: Store;
  readonly sensorHost: SensorHost;
  /** What the sensors write to. Opening and closing it is the caller's. */
  readonly records: RecordStore;
  /** What their health says of them; default: there are none. */
  readonly exporters?: ShownExporters | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly log: Log;
  /** At least one; ids are distinct. */
  readonly locations: readonly LocationConfig[];
  /** Of endpoint addresses. */
  readonly pool: Ipv4Range;
  /** `http(s)://HOST[:PORT]` at which clients reach the REST API; a function when the port is not known yet. */
  readonly publicUrl: string | (() => string);
  /** What the server is known by whatever its address: the UID of the namespace `kube-system`. Default: it has no such thing. */
  readonly serverUid?: string | undefined;
  /** Default: everybody may do everything; only for loopback. */
  readonly authenticator?: Authenticator | undefined;
  readonly authorizer?: Authorizer | undefined;
  /** `endpointsPerProject`: default no limit; read at each create. */
  readonly quota?: {readonly endpointsPerProject?: number | undefined} | undefined;
  /** Shared by all sides of a server; default: one of its own. */
  readonly unread?: UnreadAnswers | undefined;
  /** The same. */
  readonly fairness?: Fairness | undefined;
  /** What open streams depend on; shared by all sides of a server; default: one of its own. */
  readonly rights?: OpenRights | undefined;
  /** Shared by all sides of a server; default: there is no audit log. */
  readonly auditor?: Auditor | undefined;
};

export type IdsApi = {
  /** Serves `/v1/…` and `/compute/v1/…`; false: the path is not ours, and nothing was done. */
  handle(request: AnyRequest, response: AnyResponse): Promise<boolean>;
  /** IDS, Operations, Locations, health and reflection, for a Connect adapter (gRPC, gRPC-Web, Connect) that has `contextValues`, too. */
  routes(router: ConnectRouter): void;
  /** Who sent a request, without which no credential is seen, and its response, without which what waits for the client does not count. */
  contextValues(request: AnyRequest, response?: AnyResponse): ContextValues;
  /** What its messages hold as `Any`, for Connect's JSON. */
  readonly anyTypes: Registry;
  /** Reads the store, then takes up every operation where the last server left it. Requests may come once it has resolved. */
  start(): Promise<void>;
  /** Is there an endpoint of this full resource name? For what the sensor host finds of a server that crashed. */
  has(endpoint: string): boolean;
  /** Ends the streams that follow records, the watches of grpc.health.v1 and the waits for operations, so that a drain need not wait for them. */
  endStreams(): void;
  /** Ends reconciling; sensors stay up (closing the sensor host is the caller's). */
  stop(): Promise<void>;
};

export const createIdsApi = (options: IdsApiOptions): IdsApi => {
  const {timers, sensorHost, records} = options;
  const base = serviceOf(options);
  const {state, rules} = base;
  const fairness = options.fairness ?? new Fairness({clock: options.clock, timers});
  const onRefused = (): void => fairness.countRefusal('follows');
  const hub = new StreamHub({max: FOLLOWERS_MAX, perUserMax: FOLLOWERS_PER_USER_MAX, onRefused});
  const healthWatches = new StreamHub({max: HEALTH_WATCHES_MAX, perUserMax: HEALTH_WATCHES_MAX});
  const draining = new AbortController();
  const endStreams = (): void => {
    draining.abort();
    hub.stop();
    healthWatches.stop();
  };
  const reconciler = new Reconciler({
    service: base,
    host: sensorHost,
    pool: new IpPool(options.pool),
    timers,
    forgetRecords: endpoint => records.forget(endpoint),
  });
  const service: Service = {
    ...base,
    progressOf: operation => reconciler.progressOf(operation),
    troubleOf: endpoint => reconciler.troubleOf(endpoint),
    waitingReason: location => reconciler.waitingReason(location),
  };
  const auth = {
    authenticator: options.authenticator ?? openAuthenticator,
    authorizer: options.authorizer ?? openAuthorizer,
    lastModes: new LastModes(DEFAULT_LIMITS.rememberedRequestorsMax),
    auditor: options.auditor,
  };
  const janitor = new Janitor(service, timers, () => records.tidy());
  const routes = restRoutes({...options, streams: {hub, timers, rights: options.rights ?? ownRights(options)}});
  return {
    handle: createHandler({service, fairness, ...auth, routes, ruleRoutes: RULE_ROUTES}),
    routes: createGrpcRoutes({service, fairness, ...auth}, timers, healthWatches, draining.signal),
    contextValues: contextValuesOf,
    anyTypes: ANY_TYPES,
    start: async () => {
      await state.start();
      rules.start();
      reconciler.start();
      janitor.start();
    },
    has: endpoint => state.endpoints.get(endpoint) !== undefined,
    endStreams,
    stop: async () => {
      endStreams();
      await janitor.stop();
      await reconciler.stop();
      await state.stop();
    },
  };
};

const ownRights = ({timers, clock, log}: IdsApiOptions): OpenRights =>
  new OpenRights({timers: {after: (ms, action) => timers.after(ms, action), soon: systemTimers.soon}, clock, log});

/** The part of the service that needs no reconciler. */
const serviceOf = ({store, timers, log, clock, random, sensorHost, publicUrl, ...options}: IdsApiOptions) => {
  const state = new IdsState({store, timers, log});
  return {
    state,
    rules: new RuleIndex(state),
    clock,
    random,
    log,
    locations: new Map(options.locations.map(location => [location.id, location])),
    endpointsPerProject: () => options.quota?.endpointsPerProject,
    creates: new Serial(),
    ruleBase: memoised(typeof publicUrl === 'string' ? () => publicUrl : publicUrl),
    driver: () => sensorHost.driver,
    exceptionWarnings: (exceptions: readonly string[], endpoint: string) =>
      exceptionWarnings(sensorHost, exceptions, endpoint),
    unread: options.unread ?? new UnreadAnswers({limits: DEFAULT_LIMITS, timers, log}),
  };
};

/** The address is asked for often and changes once: when the server has its port. */
const memoised = (publicUrl: () => string): (() => string) => {
  let url: string | undefined;
  let base = '';
  return () => {
    const now = publicUrl();
    if (now !== url) {
      url = now;
      base = `${now.replace(/\/$/, '')}/compute/v1/`;
    }
    return base;
  };
};
