// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

export type SelectorRequirement = {key?: string; operator?: string; values?: string[]};
export type SelectorAttributes = {rawSelector?: string; requirements?: SelectorRequirement[]};
export type ResourceAttributes = {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: SelectorAttributes;
  labelSelector?: SelectorAttributes;
};
export type NonResourceAttributes = {path?: string; verb?: string};
export type AccessSpec = {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
  user?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
  uid?: string;
};
export type AccessReview = KubeObject & {spec?: AccessSpec};
export type RulesReview = KubeObject & {spec?: {namespace?: string}};
