// SPDX-License-Identifier: Apache-2.0
/** Does the work of a request when its user has seats for it. */
import type {Fairness, Lane, Work} from '../fairness/fairness.ts';
import type {Seats, WhenGone} from '../fairness/level.ts';
import type {Asked} from '../fairness/levels.ts';
import type {KindDefinition} from '../kind/kind.ts';
import type {Query} from '../request/query.ts';
import type {RequestInfo} from '../request/request-info.ts';
import type {Services} from '../verbs/object/request-context.ts';
import type {RequestMeter} from './counts/request-counts.ts';
import {ClientGoneError, type HttpResponse, isGone} from './exchange.ts';

/** What runs while the seats are held; it may keep them for longer by `keep`, and gives them back itself then. */
type SeatedWork<T> = (seats: {keep(): Seats}) => T | Promise<T>;

/** The other end of a request. */
export type Client = {readonly isGone: boolean; readonly whenGone: WhenGone};

export const clientOf = (response: HttpResponse): Client => ({
  get isGone() {
    return isGone(response);
  },
  whenGone: action => {
    response.once('close', action);
    return () => response.off('close', action);
  },
});

export type SeatedRequest = Work & {
  readonly asked: Asked;
  readonly client: Client;
  /** Learns when it has to wait, when it got its seats then, and when it got none. */
  readonly meter?: Pick<RequestMeter, 'waits' | 'seated' | 'refused'> | undefined;
  /** Called when no seat came. */
  readonly onRefused?: ((lane: Lane) => void) | undefined;
};

/** Throws StatusError 429, ClientGoneError for a client that left while it waited, and what `run` throws. */
export const withSeats = async <T>(
  fairness: Fairness,
  {asked, client, meter, onRefused, ...work}: SeatedRequest,
  run: SeatedWork<T>,
): Promise<T> => {
  if (client.isGone) throw new ClientGoneError();
  const lane = fairness.laneOf(asked);
  const entered = fairness.enter(lane, work, client.whenGone);
  let seats: Seats | undefined;
  if (entered instanceof Promise) {
    meter?.waits();
    seats = await entered.catch(refusal(lane, {meter, onRefused}));
    meter?.seated();
  } else seats = entered;
  if (seats === undefined) throw new ClientGoneError();
  let isKept = false;
  const keep = (): Seats => {
    isKept = true;
    return seats;
  };
  try {
    return await run({keep});
  } finally {
    if (!isKept) seats.release();
  }
};

const refusal =
  (lane: Lane, {meter, onRefused}: Pick<SeatedRequest, 'meter' | 'onRefused'>) =>
  (error: unknown): never => {
    meter?.refused();
    onRefused?.(lane);
    throw error;
  };

/** Upstream's headers, with names where it has UIDs: levels and schemas are no objects here. */
export const nameLane =
  (response: HttpResponse) =>
  ({counts, level}: Lane): void => {
    if (response.headersSent || isGone(response)) return;
    response.setHeader('X-Kubernetes-PF-FlowSchema-UID', counts.schema);
    response.setHeader('X-Kubernetes-PF-PriorityLevel-UID', level.name);
  };

/** Objects for which a request takes one seat more. Ref: kubernetes v1.36 flowcontrol/request/config.go ObjectsPerSeat. */
const OBJECTS_PER_SEAT = 100;

/** Verbs that read a collection. */
const COLLECTION_VERBS: readonly string[] = ['list', 'deletecollection'];

/** Seats by the number of objects that a request reads. Ref: kubernetes v1.36 flowcontrol/request/list_work_estimator.go. */
export const widthOf = (
  services: Pick<Services, 'registryOf'>,
  kind: KindDefinition,
  info: RequestInfo,
  query: Query,
): number => {
  const isCollection = COLLECTION_VERBS.includes(info.verb) || (info.verb === 'watch' && beginsWithState(query));
  if (!isCollection || info.selectedName !== '' || info.name !== '' || kind.review !== undefined) return 1;
  const {objects} = services.registryOf(kind).cache;
  const stored = info.namespace === '' ? objects.count : objects.countIn(info.namespace);
  const limit = Number(query.get('limit') ?? 0);
  const read =
    info.verb === 'list' && limit > 0 && query.get('resourceVersion') !== '0' ? Math.min(limit, stored) : stored;
  return Math.max(1, Math.ceil(read / OBJECTS_PER_SEAT));
};

const beginsWithState = (query: Query): boolean =>
  query.get('sendInitialEvents') === 'true' || ['', '0'].includes(query.get('resourceVersion') ?? '');

const READING: readonly string[] = ['get', 'list', 'watch', 'head', 'proxy'];

/** Whether a verb changes something. Ref: kubernetes v1.36 apiserver/pkg/server/filters/maxinflight.go nonMutatingRequestVerbs. */
export const mutates = (verb: string): boolean => !READING.includes(verb);
