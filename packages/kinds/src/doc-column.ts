// SPDX-License-Identifier: Apache-2.0
import type {TableColumn} from '@palisade/apiserver';
import {kubeTypes} from '@palisade/kube-wire';

/** A column of texts. Priority 1: only `kubectl get -o wide` shows it. */
export const textColumn = (name: string, description: string, priority = 0): TableColumn => ({
  name,
  type: 'string',
  format: '',
  description,
  priority,
});

/** A column whose description is that of a field. */
export const docColumn = (name: string, typeName: string, field: string): TableColumn =>
  textColumn(name, kubeTypes[typeName]?.fields.find(each => each.name === field)?.doc ?? '');
