// SPDX-License-Identifier: Apache-2.0
/**
 * Writes a plan: first slices that are new, then those that change, then those that go, so that no endpoint is missing meanwhile.
 * A slice that somebody else changed since it was read is left for the next round, which that change has asked for.
 *
 * I1 every write of a plan is tried, whatever becomes of the others: one that is refused each time would else keep addresses
 * that are gone for ever. Upstream ends a round with the first failure.
 */
import {
  type ControllerHost,
  createObject,
  deleteObject,
  type KindDefinition,
  type KubeObject,
  PLAIN_DELETE,
  type RequestContext,
  StatusError,
  trackFields,
  updateObject,
} from '@palisade/apiserver';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import type {EndpointSlice} from '../endpoint-slices/types.ts';
import type {Endpoints} from '../endpoints/types.ts';
import type {Plan, SliceContent} from './plan.ts';
import type {SliceMetadata} from './rules.ts';

/** Writes of one object under way at the same time. */
const WRITES_IN_FLIGHT = 16;

/** Changes of slices that this writer made. */
export type OwnWrites = {readonly revisions: Set<bigint>; readonly deleted: Set<string>};

export class SliceWriter {
  readonly #host: ControllerHost;
  readonly #kind: KindDefinition;

  constructor(host: ControllerHost, kind: KindDefinition) {
    this.#host = host;
    this.#kind = kind;
  }

  /** Throws the first failure that may pass, or else the first refusal, when all has been tried. */
  async write(of: Endpoints, metadata: SliceMetadata, plan: Plan, own: OwnWrites): Promise<void> {
    const {namespace = '', deletionTimestamp} = of.metadata;
    const creates = deletionTimestamp == null ? plan.creates : [];
    throwWorst([
      ...(await inBatches(creates, content => this.#create(of, metadata, content, own))),
      ...(await inBatches(plan.updates, ({slice, content}) =>
        this.#update(namespace, slice, draftOf(metadata, content), own),
      )),
      ...(await this.#remove(namespace, plan.deletes, own)),
    ]);
  }

  async remove(namespace: string, slices: readonly EndpointSlice[], own: OwnWrites): Promise<void> {
    throwWorst(await this.#remove(namespace, slices, own));
  }

  #remove(namespace: string, slices: readonly EndpointSlice[], own: OwnWrites): Promise<readonly unknown[]> {
    return inBatches(slices, slice => this.#delete(namespace, slice, own));
  }

  async #create(of: Endpoints, metadata: SliceMetadata, content: SliceContent, own: OwnWrites): Promise<void> {
    const {name = '', namespace = ''} = of.metadata;
    const context = this.#context(namespace, '', 'create');
    const draft = draftOf(metadata, content);
    Object.assign(draft.metadata, {generateName: prefixOf(name), namespace});
    const {mirroring} = context.services.compat.managers;
    try {
      const tracked = trackFields(context, mirroring, undefined, draft, undefined);
      own.revisions.add((await createObject(context, tracked, {dryRun: false})).revision);
    } catch (error) {
      if (!isWithoutNamespace(error)) throw error;
    }
  }

  async #update(namespace: string, slice: EndpointSlice, draft: KubeObject, own: OwnWrites): Promise<void> {
    const {name = '', uid, resourceVersion} = slice.metadata;
    const context = this.#context(namespace, name, 'update');
    const {mirroring} = context.services.compat.managers;
    const metadata = {...draft.metadata, name, namespace, resourceVersion};
    const change = (current: KubeObject): KubeObject =>
      trackFields(context, mirroring, current, {...draft, metadata: {...metadata}} as KubeObject, undefined);
    try {
      const written = await updateObject(context, {dryRun: false, uid, change});
      if (written !== undefined) own.revisions.add(written.revision);
    } catch (error) {
      if (!hasCode(error, 409)) throw error;
    }
  }

  async #delete(namespace: string, {metadata}: EndpointSlice, own: OwnWrites): Promise<void> {
    const {name = '', uid} = metadata;
    try {
      const {removed, object} = await deleteObject(this.#context(namespace, name, 'delete'), name, {
        ...PLAIN_DELETE,
        preconditions: {uid},
      });
      if (removed) own.deleted.add(name);
      else own.revisions.add(object.revision);
    } catch (error) {
      if (!hasCode(error, 404) && !hasCode(error, 409)) throw error;
    }
  }

  #context(namespace: string, name: string, verb: string): RequestContext {
    const context = this.#host.contextFor(this.#kind, namespace);
    return {...context, info: {...context.info, name, verb}};
  }
}

/** Everything that is not the writer's is gone with an update. A list without items is not sent, so nobody owns it. */
const draftOf = ({labels, annotations, ownerReferences}: SliceMetadata, content: SliceContent): KubeObject => ({
  metadata: {
    labels: {...labels},
    ...(Object.keys(annotations).length > 0 && {annotations: {...annotations}}),
    ownerReferences: [...ownerReferences],
  },
  addressType: content.addressType,
  endpoints: content.endpoints,
  ports: content.ports.length > 0 ? content.ports : null,
});

/** A dash makes it prettier. Ref: endpointslicemirroring/utils.go getEndpointSlicePrefix. */
const prefixOf = (name: string): string => {
  const prefix = `${name}-`;
  return nameIsDnsSubdomain(prefix, true).length === 0 ? prefix : name;
};

const hasCode = (error: unknown, code: number): boolean => error instanceof StatusError && error.code === code;

/** It is on its way out, or gone. */
const isWithoutNamespace = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.code === 404 || error.status.details?.causes?.some(({reason}) => reason === 'NamespaceTerminating') === true);

/** The same write is refused each time. */
export const isRefusal = (error: unknown): error is StatusError => hasCode(error, 422) || hasCode(error, 413);

/** A failure that may pass comes before a refusal: for it the object is tried again. */
const throwWorst = (failures: readonly unknown[]): void => {
  if (failures.length > 0) throw failures.find(failure => !isRefusal(failure)) ?? failures[0];
};

/** Returns what was thrown. */
const inBatches = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<readonly unknown[]> => {
  const failures: unknown[] = [];
  for (let at = 0; at < items.length; at += WRITES_IN_FLIGHT) {
    const results = await Promise.allSettled(items.slice(at, at + WRITES_IN_FLIGHT).map(work));
    for (const result of results) if (result.status === 'rejected') failures.push(result.reason);
  }
  return failures;
};
