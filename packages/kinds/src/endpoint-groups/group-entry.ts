// SPDX-License-Identifier: Apache-2.0
/** What the controller keeps of one group between two rounds. */
import type {CachedObject, CacheEvent, Timer} from '@palisade/apiserver';
import type {LabelSelector} from '@palisade/kube-wire';
import {toSelector} from '../label-selector.ts';
import {type Composition, NOTHING_COMPOSED} from './compose.ts';
import type {Applied, GroupIdentity} from './composed-endpoints.ts';
import {inlinePairs, type Membership, PAIRS_MAX} from './members.ts';
import {coreOf} from './status.ts';
import type {TrackedPort, TrackedPorts} from './tracked-ports.ts';
import type {EndpointGroup, EndpointGroupSpec, EndpointGroupStatus} from './types.ts';

export type GroupEntry = {
  readonly key: string;
  readonly identity: GroupIdentity;
  readonly tracked: TrackedPorts;
  /** Version of the group that the following is of. */
  version: string;
  spec: EndpointGroupSpec;
  selector: LabelSelector | undefined;
  generation: number;
  labels: Readonly<Record<string, string>>;
  isDeleting: boolean;
  /** As it is stored, and what of it decides whether it is written. */
  status: EndpointGroupStatus;
  statusCore: string;
  membership: Membership;
  /** Pairs that are known to fit into one object, and how many there were, in or left out, when more did not. */
  pairsMax: number;
  tooManyPairs: number | undefined;
  /** The members have to be collected again. */
  isStale: boolean;
  applied: Applied | undefined;
  composition: Composition;
  /** Ports whose state has changed since the last round. */
  readonly changed: Set<TrackedPort>;
  /** Changes of the group and its Endpoints during a round. */
  seen: CacheEvent[] | undefined;
  /** Set between two rounds. */
  rest: Timer | undefined;
  isAsked: boolean;
  /** Set between two writes of the status. */
  statusRest: Timer | undefined;
  isStatusDue: boolean;
};

export const newEntry = (identity: GroupIdentity, tracked: TrackedPorts): GroupEntry => ({
  key: tracked.group,
  identity,
  tracked,
  version: '',
  spec: {},
  selector: undefined,
  generation: 0,
  labels: {},
  isDeleting: false,
  status: {},
  statusCore: '',
  membership: {members: [], pairs: 0, leftOut: 0, pairsMax: PAIRS_MAX},
  pairsMax: PAIRS_MAX,
  tooManyPairs: undefined,
  isStale: true,
  applied: undefined,
  composition: NOTHING_COMPOSED,
  changed: new Set(),
  seen: undefined,
  rest: undefined,
  isAsked: false,
  statusRest: undefined,
  isStatusDue: false,
});

/** Takes over what is stored; `decoded` is the object. */
export const readInto = (entry: GroupEntry, object: CachedObject, decoded: EndpointGroup): void => {
  const {metadata, spec = {}, status = {}} = decoded;
  const isSameSpec = entry.version !== '' && entry.generation === metadata.generation;
  entry.version = object.resourceVersion;
  entry.labels = object.labels;
  entry.isDeleting = object.isDeleting;
  entry.status = status;
  entry.statusCore = coreOf(status);
  if (isSameSpec) return;
  entry.generation = metadata.generation ?? 0;
  entry.spec = spec;
  entry.selector = spec.selector === undefined ? undefined : toSelector(spec.selector);
  entry.isStale = true;
  if (entry.applied === undefined) return;
  entry.pairsMax = PAIRS_MAX;
  entry.tooManyPairs = undefined;
};

/** What a composed object is cut by, beyond what it is too large by: states of members change its size. */
const CUT = 0.9;

/** Leaves out more of the newest, so that the rest fits. False: inline members alone are too many. */
export const shrink = (entry: GroupEntry, bytes: number, bytesMax: number): boolean => {
  const {pairs, leftOut} = entry.membership;
  const least = inlinePairs(entry.spec);
  if (pairs <= least) return false;
  entry.pairsMax = Math.max(least, Math.floor(pairs * CUT * Math.min(1, bytesMax / Math.max(bytes, 1))));
  entry.tooManyPairs = pairs + leftOut;
  entry.isStale = true;
  return true;
};

/** Whether all may be tried again: there are fewer than when they did not fit. */
export const mayGrow = (entry: GroupEntry, {pairs, leftOut}: Membership): boolean => {
  entry.tooManyPairs ??= pairs + leftOut;
  return entry.pairsMax < PAIRS_MAX && leftOut > 0 && pairs + leftOut < entry.tooManyPairs;
};
