// SPDX-License-Identifier: Apache-2.0
/**
 * Writes the Endpoints object of a group, by server-side apply: the group owns its labels, the owner reference and the subsets;
 * labels and annotations of others stay.
 *
 * I1 Endpoints without our owner reference are never written to, also when somebody makes them at the same moment. Nor are those
 *    of a group of this name that was deleted: the garbage collector takes them, and a new group begins with new ones.
 * I2 nothing is applied while the object is at the version of the last apply and the content is the same.
 */
import {
  apply,
  type CachedObject,
  type ControllerHost,
  decodeItem,
  type KindDefinition,
  type KubeObject,
  StatusError,
} from '@palisade/apiserver';
import type {Endpoints} from '../endpoints/types.ts';
import type {Subset} from './compose.ts';
import {memberId, offerKey, pairKey} from './members.ts';
import type {Composed, WasReady} from './status.ts';

export const MANAGER = 'palisade-endpoint-group';
const OPTIONS = {fieldManager: MANAGER, force: true, dryRun: false, fieldValidation: 'Ignore'} as const;

export type GroupIdentity = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
};

/** What a group has of its Endpoints. */
export type Applied = {readonly composed: Composed; readonly version: string; readonly content: string};

/** Somebody else's Endpoints, or those of a group that is gone. */
class NotOurs extends Error {
  override readonly name = 'NotOurs';
  readonly composed: Composed;

  constructor(composed: Composed) {
    super(composed.message);
    this.composed = composed;
  }
}

const COMPOSED: Composed = {status: 'True', reason: 'Composed', message: 'The Endpoints of this name are up to date'};
const DELETED: Composed = {
  status: 'False',
  reason: 'Deleting',
  message: 'The Endpoints of this name are being deleted; they come again when they are gone',
};
const conflictOf = (name: string): Composed => ({
  status: 'False',
  reason: 'NameConflict',
  message: `Endpoints "${name}" exist and are not of this group, so they are left as they are; delete them, or give the group another name`,
});

const leftOver = (name: string): Composed => ({
  status: 'False',
  reason: 'Deleting',
  message: `Endpoints "${name}" are of a group of this name that was deleted, and go with it; they come again when they are gone`,
});

/** Uid of the group of this name that controls the object. Undefined: none does. */
const controllingGroup = ({metadata}: KubeObject, {apiVersion, kind, name}: GroupIdentity): string | undefined =>
  metadata.ownerReferences?.find(
    owner => owner.controller === true && owner.apiVersion === apiVersion && owner.kind === kind && owner.name === name,
  )?.uid;

export const isOurs = (object: KubeObject, of: GroupIdentity): boolean => controllingGroup(object, of) === of.uid;

/** Why the Endpoints are left alone; undefined: they are the group's. Of two groups of one name the other is gone. */
const whyNotOurs = (object: KubeObject, of: GroupIdentity): Composed | undefined => {
  const uid = controllingGroup(object, of);
  if (uid === undefined) return conflictOf(of.name);
  return uid === of.uid ? undefined : leftOver(of.name);
};

export class ComposedEndpoints {
  readonly #host: ControllerHost;
  readonly #kind: KindDefinition;

  constructor(host: ControllerHost, kind: KindDefinition) {
    this.#host = host;
    this.#kind = kind;
  }

  /** The Endpoints of the group's name, whatever owns them. */
  get({namespace, name}: GroupIdentity): CachedObject | undefined {
    return this.#host.services.registryOf(this.#kind).get(namespace, name);
  }

  /** `mayCreate`: what is absent stays so otherwise. Throws StatusError for what may work later. */
  async write(
    of: GroupIdentity,
    {labels, subsets}: {readonly labels: Readonly<Record<string, string>>; readonly subsets: readonly Subset[]},
    {before, mayCreate}: {readonly before: Applied | undefined; readonly mayCreate: boolean},
  ): Promise<Applied> {
    const current = this.get(of);
    const content = JSON.stringify({labels, subsets});
    const version = current?.resourceVersion ?? '';
    const isSettled = version !== '' || REFUSALS.has(before?.composed.reason ?? '');
    if (isSettled && before?.version === version && before.content === content) return before;
    const as = (composed: Composed, at = version): Applied => ({composed, version: at, content});
    if (current === undefined && !mayCreate) return as(DELETED);
    if (current?.isDeleting === true) return as(whyNotOurs(decodeItem(current), of) ?? DELETED);
    try {
      return as(COMPOSED, await this.#apply(of, labels, subsets));
    } catch (error) {
      if (error instanceof NotOurs) return as(error.composed);
      if (isWithoutNamespace(error)) return as(DELETED);
      const refused = refusal(error);
      if (refused === undefined) throw error;
      return as(refused);
    }
  }

  /** Returns the version that is stored then. */
  async #apply(
    of: GroupIdentity,
    labels: Readonly<Record<string, string>>,
    subsets: readonly Subset[],
  ): Promise<string> {
    const {apiVersion, kind, namespace, name, uid} = of;
    const base = this.#host.contextFor(this.#kind, namespace);
    const context = {...base, info: {...base.info, name, verb: 'patch'}};
    const applied = {
      apiVersion: this.#kind.version,
      kind: this.#kind.kind,
      metadata: {
        name,
        ...(Object.keys(labels).length > 0 && {labels}),
        ownerReferences: [{apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true}],
      },
      subsets,
    };
    const {object} = await apply(context, Buffer.from(JSON.stringify(applied)), OPTIONS, current => {
      const why = whyNotOurs(current, of);
      if (why !== undefined) throw new NotOurs(why);
    });
    return object.resourceVersion;
  }
}

export const TOO_LARGE = 'TooLarge';
/** What is refused stays refused until the group changes. */
const REFUSALS: ReadonlySet<string> = new Set([TOO_LARGE, 'Refused']);

const refusal = (error: unknown): Composed | undefined => {
  if (!(error instanceof StatusError) || (error.code !== 422 && error.code !== 413)) return undefined;
  return {status: 'False', reason: error.code === 413 ? TOO_LARGE : 'Refused', message: error.message};
};

/** It is on its way out, or gone. */
const isWithoutNamespace = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.code === 404 || error.status.details?.causes?.some(({reason}) => reason === 'NamespaceTerminating') === true);

/** What a start finds in the Endpoints of a group. */
export type WasComposed = {
  readonly wasReady: WasReady;
  /** Pairs of an address and a port. */
  readonly pairs: number;
};

export const wasComposed = ({subsets = []}: Endpoints): WasComposed => {
  const ready = new Map<string, boolean>();
  let pairs = 0;
  for (const {addresses = [], notReadyAddresses = [], ports = []} of subsets) {
    pairs += (addresses.length + notReadyAddresses.length) * Math.max(ports.length, 1);
    for (const port of ports) {
      for (const {ip = ''} of addresses) ready.set(pairKey(memberId(ip), offerKey(port)), true);
      for (const {ip = ''} of notReadyAddresses) ready.set(pairKey(memberId(ip), offerKey(port)), false);
    }
  }
  return {pairs, wasReady: (member, offer) => ready.get(pairKey(member, offer))};
};

export const NEVER_COMPOSED: WasComposed = {pairs: 0, wasReady: () => undefined};
