// SPDX-License-Identifier: Apache-2.0
/** Events about one object. Ref: core/v1 Event; its selectable fields. */
import type {ResourceType} from './kube-client.ts';
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
