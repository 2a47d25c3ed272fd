// SPDX-License-Identifier: Apache-2.0
/** Events about one object. Ref: core/v1 Event; its selectable fields. */
import type {KubeClient, ResourceType} from './kube-client.ts';
import type {KubeObject, ObjectReference} from './objects.ts';

export type KubeEvent = KubeObject & {
  readonly involvedObject?: ObjectReference;
  readonly reason?: string;
  readonly message?: string;
  /** Normal or Warning. */
  readonly type?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  /** Instead of the two before, in events of newer clients. */
  readonly eventTime?: string | null;
  readonly source?: {readonly component?: string};
  readonly reportingComponent?: string;
};

export const EVENTS: ResourceType = {group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true};

/** The field selector of events about an object, for lists and watches. An empty part is left out. */
export const eventsAbout = ({kind, name, uid}: Pick<ObjectReference, 'kind' | 'name' | 'uid'>): string =>
  Object.entries({kind, name, uid})
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => `involvedObject.${key}=${value}`)
    .join(',');

/** When it happened last. RFC 3339; '' where the event does not say. */
export const timeOfEvent = ({lastTimestamp, eventTime, firstTimestamp, metadata}: KubeEvent): string =>
  lastTimestamp || eventTime || firstTimestamp || metadata?.creationTimestamp || '';

const EVENTS_MAX = 500;

/** Of the newest 500 that the server lists, the newest first. `namespace` '': of an object without one. Throws KubeError, TransportError. */
export const listEventsAbout = async (
  client: Pick<KubeClient, 'resource'>,
  namespace: string,
  about: Pick<ObjectReference, 'kind' | 'name' | 'uid'>,
  options: {readonly signal?: AbortSignal | undefined} = {},
): Promise<{readonly events: readonly KubeEvent[]; readonly resourceVersion: string}> => {
  const list = await client.resource<KubeEvent>(EVENTS).list(namespace === '' ? 'default' : namespace, {
    fieldSelector: eventsAbout(about),
    limit: EVENTS_MAX,
    signal: options.signal,
  });
  const events = [...(list.items ?? [])].sort((a, b) => (timeOfEvent(a) < timeOfEvent(b) ? 1 : -1));
  return {events, resourceVersion: list.metadata?.resourceVersion ?? ''};
};
