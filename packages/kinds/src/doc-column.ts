// SPDX-License-Identifier: Apache-2.0
import type {TableColumn} from '@palisade/apiserver';
import {kubeTypes} from '@palisade/kube-wire';

/** A column whose description is that of a field. */
export const docColumn = (name: string, typeName: string, field: string): TableColumn => ({
  name,
  type: 'string',
  format: '',
  description: kubeTypes[typeName]?.fields.find(each => each.name === field)?.doc ?? '',
  priority: 0,
});
