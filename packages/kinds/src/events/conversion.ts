// SPDX-License-Identifier: Apache-2.0
/** core/v1 ⇄ events.k8s.io/v1. Ref: kubernetes v1.36 pkg/apis/events/v1/conversion.go. */
import type {KubeObject} from '@palisade/apiserver';

/** Fields by their names in core/v1 and in events.k8s.io/v1; both have the same types. */
const FIELDS: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['reason', 'reason'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['series', 'series'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingComponent', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
];

type Content = Readonly<Record<string, unknown>>;

const renamed = (object: KubeObject, names: readonly (readonly [string, string])[]): Content => {
  const content: Record<string, unknown> = {};
  for (const [from, to] of names) if (object[from] !== undefined) content[to] = object[from];
  return content;
};

const BACK = FIELDS.map(([core, events]) => [events, core] as const);

export const toCoreEvent = (event: KubeObject): Content => renamed(event, BACK);
export const fromCoreEvent = (event: KubeObject): Content => renamed(event, FIELDS);
