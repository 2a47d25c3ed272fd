// SPDX-License-Identifier: Apache-2.0
import {kubeTypes, nameIsDnsSubdomain, type StructType} from '@palisade/kube-wire';
import {tableAge, tableNameColumns} from '../answer/columns.ts';
import {ALL_VERBS, type DeletionStrategy, type KindDefinition, type Strategy} from '../kind/kind.ts';

const TYPE = 'io.k8s.api.core.v1.Endpoints';

/** A kind with few rules of its own; its content is that of Endpoints (`subsets`). */
export const sampleKind = (more: Partial<KindDefinition> = {}): KindDefinition => {
  const {group = 'example.com', version = 'v1', kind = 'Thing'} = more;
  const resource = `${kind.toLowerCase()}s`;
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    resource,
    singular: kind.toLowerCase(),
    namespaced: true,
    verbs: ALL_VERBS,
    typeName: TYPE,
    types: {...kubeTypes, [TYPE]: {...(kubeTypes[TYPE] as StructType), gvk: [{group, version, kind}]}},
    registryPath: resource,
    internalName: `example.${kind}`,
    strategy: {
      validateName: nameIsDnsSubdomain,
      allowCreateOnUpdate: true,
      allowUnconditionalUpdate: true,
      table: {
        columns: tableNameColumns([]),
        cells: (object, nowMs) => [object.metadata.name ?? '', tableAge(object, nowMs)],
      },
    },
    ...more,
  };
};

/** A sample kind with rules of its own beside those that it has. */
export const sampleKindWith = (strategy: Partial<Strategy>, more: Partial<KindDefinition> = {}): KindDefinition =>
  sampleKind({strategy: {...sampleKind().strategy, ...strategy}, ...more});

/** A plain deletion that takes the namesakes of other kinds along. */
export const takingAlong = (
  ...others: readonly {readonly group: string; readonly resource: string}[]
): DeletionStrategy => ({
  hasGracePeriod: true,
  inPhases: false,
  answersDeleted: false,
  readyToRemove: () => true,
  takesAlong: () => others,
});
