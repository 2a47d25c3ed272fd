// SPDX-License-Identifier: Apache-2.0
/** Does the work of a request when its user has seats for it. */
import type {Fairness, Work} from '../fairness/fairness.ts';
import type {Seats} from '../fairness/level.ts';
import type {Asked} from '../fairness/levels.ts';
import type {KindDefinition} from '../kind/kind.ts';
import type {Query} from '../request/query.ts';
import type {RequestInfo} from '../request/request-info.ts';
import type {Services} from '../verbs/object/request-context.ts';
import {ClientGoneError, type HttpResponse, isGone} from './exchange.ts';

/** What runs while the seats are held; it may keep them for longer by `keep`, and gives them back itself then. */
export type SeatedWork<T> = (seats: {keep(): Seats}) => T | Promise<T>;

/**
 * Throws StatusError 429, with upstream's headers on the answer, ClientGoneError for a client that left while it waited, and what `work`
 * throws.
 */
export const withSeats = async <T>(
  fairness: Fairness,
  response: HttpResponse,
  {asked, ...work}: Work & {readonly asked: Asked},
  run: SeatedWork<T>,
): Promise<T> => {
  if (isGone(response)) throw new ClientGoneError();
  const lane = fairness.laneOf(asked);
  const entered = fairness.enter(lane, work, action => {
    response.once('close', action);
    return () => response.off('close', action);
  });
  const seats = entered instanceof Promise ? await entered.catch(error => refused(response, lane, error)) : entered;
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

/** Names where upstream has UIDs: levels and schemas are no objects here. */
const refused = (response: HttpResponse, lane: ReturnType<Fairness['laneOf']>, error: unknown): never => {
  if (!response.headersSent && !isGone(response)) {
    response.setHeader('X-Kubernetes-PF-FlowSchema-UID', lane.counts.schema);
    response.setHeader('X-Kubernetes-PF-PriorityLevel-UID', lane.level.name);
  }
  throw error;
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
