// SPDX-License-Identifier: Apache-2.0
/**
 * Widgets in a second version, which calls their spec a wish: the same objects, stored as those of v1. In a group of their own, so
 * that suites which run for several kinds do not meet each other's objects.
 */
import type {KindDefinition, KubeObject} from '@palisade/apiserver';
import {kindStructs, type TypeTable} from '@palisade/kube-wire';
import {widgetKind} from './widget.ts';

const GROUP = 'later.palisade.dev';

const [spec, status] = (widgetKind.types[widgetKind.typeName]?.fields ?? []).filter(
  ({name}) => name === 'spec' || name === 'status',
);
if (spec === undefined || status === undefined) throw new Error('a widget has spec and status');

/** The structs of a version, with the spec under this name. */
const structs = (version: string, specName: string): {readonly typeName: string; readonly types: TypeTable} => {
  const typeName = `dev.palisade.later.${version}.Widget`;
  const fields = [{...spec, name: specName}, status];
  const own = kindStructs({
    group: GROUP,
    version,
    kind: 'Widget',
    typeName,
    doc: 'Widget is a thing with parts.',
    fields,
  });
  return {typeName, types: {...widgetKind.types, ...own}};
};

const storedKind: KindDefinition = {
  ...widgetKind,
  ...structs('v1', 'spec'),
  group: GROUP,
  registryPath: `${GROUP}/widgets`,
};

const toStored = (widget: KubeObject) => ({spec: widget['wish'], status: widget['status']});

const {strategy, subresources = []} = storedKind;

export const widgetV2Kind: KindDefinition = {
  ...storedKind,
  ...structs('v2', 'wish'),
  version: 'v2',
  strategy: {
    ...strategy,
    table: {
      ...strategy.table,
      cells: (object, nowMs) => strategy.table.cells({...toStored(object), metadata: object.metadata}, nowMs),
    },
  },
  subresources: subresources.map(each => ({...each, resetFields: [['wish']]})),
  storedAs: {kind: storedKind, toStored, fromStored: widget => ({wish: widget['spec'], status: widget['status']})},
};
