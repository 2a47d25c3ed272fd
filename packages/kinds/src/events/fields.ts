// SPDX-License-Identifier: Apache-2.0
/** Field selectors. Ref: kubernetes v1.36 pkg/registry/core/event/strategy.go ToSelectableFields, and AddFieldLabelConversionsForEvent of both versions. */
import type {KubeObject, Strategy} from '@palisade/apiserver';
import type {CoreEvent, ObjectReference} from './types.ts';

type Read = (object: KubeObject) => string;
type Fields = NonNullable<Strategy['selectableFields']>;

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

const read =
  (of: (event: CoreEvent) => string | undefined): Read =>
  object =>
    of(object as CoreEvent) ?? '';

const referenceFields = (prefix: string): Fields =>
  Object.fromEntries(
    REFERENCE.map(field => [
      `${prefix}.${field}`,
      read(({involvedObject}) => (involvedObject as ObjectReference | undefined)?.[field]),
    ]),
  );

const reason = read(event => event.reason);
const type = read(event => event.type);
const reporting = read(event => event.reportingComponent);
const source = read(event => event.source?.component || event.reportingComponent);

export const CORE_FIELDS: Fields = {
  ...referenceFields('involvedObject'),
  reason,
  reportingComponent: reporting,
  source,
  type,
};

export const EVENTS_FIELDS: Fields = {...referenceFields('regarding'), reason, reportingController: reporting, type};
