// SPDX-License-Identifier: Apache-2.0
/** meta.k8s.io Table: what `kubectl get` prints. Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/response.go asTable. */

import {goJson} from '@palisade/kube-wire';
import {badRequest} from '../base/status-error.ts';
import {type CachedObject, decodeItem} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {toPartialMetadata} from './metadata-of.ts';

export type IncludeObject = 'Metadata' | 'Object' | 'None';

/** Throws StatusError 400. */
export const parseIncludeObject = (text: string | undefined): IncludeObject => {
  if (text === undefined || text === '') return 'Metadata';
  if (text === 'Metadata' || text === 'Object' || text === 'None') return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
};

export type TableOptions = {
  readonly version: 'v1' | 'v1beta1';
  readonly include: IncludeObject;
  readonly nowMs: number;
};

/** The bookmark behind the initial events is known by its annotation, so that is always shown. */
const isEndOfState = (object: CachedObject): boolean =>
  object.name === '' && decodeItem(object).metadata.annotations?.['k8s.io/initial-events-end'] === 'true';

const objectText = (_kind: KindDefinition, object: CachedObject, options: TableOptions, head: string): string => {
  if (options.include === 'None' && !isEndOfState(object)) return 'null';
  if (options.include !== 'Object') return toPartialMetadata(object, options.version).toString('utf8');
  return head + object.item.toString('utf8', 1);
};

export const rowText = (kind: KindDefinition, object: CachedObject, options: TableOptions, head: string): string => {
  const cells = goJson(kind.strategy.table.cells(decodeItem(object), options.nowMs));
  return `{"cells":${cells},"object":${objectText(kind, object, options, head)}}`;
};

const columnText = (kind: KindDefinition): string =>
  goJson(
    kind.strategy.table.columns.map(({name, type, format, description, priority}) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
  );

/** ListMeta of a Table of one object. A dry run of a create has no version. */
const tableMeta = ({resourceVersion}: CachedObject): string =>
  resourceVersion === '' ? '{}' : `{"resourceVersion":"${resourceVersion}"}`;

/** Up to the `[` of the rows. `metadata` is the JSON of the list's ListMeta. `withColumns` false: later events of a watch. */
export const tableStart = (
  kind: KindDefinition,
  metadata: string,
  {version, withColumns}: Pick<TableOptions, 'version'> & {readonly withColumns: boolean},
): string =>
  `{"kind":"Table","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},"columnDefinitions":${withColumns ? columnText(kind) : 'null'},"rows":[`;

/** Of one object. */
export const tableJson = (
  kind: KindDefinition,
  object: CachedObject,
  options: TableOptions & {readonly head: string; readonly withColumns: boolean},
): string => `${tableStart(kind, tableMeta(object), options)}${rowText(kind, object, options, options.head)}]}`;
