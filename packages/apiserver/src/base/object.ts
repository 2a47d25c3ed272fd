// SPDX-License-Identifier: Apache-2.0
/** The decoded form of an object while a request works on it. What is stored and sent are bytes (cache/cached-object.ts). */

export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

export type ManagedFieldsEntry = {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: unknown;
  subresource?: string;
};

export type ObjectMeta = {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string | null;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
};

/** A decoded object. Absent means unset; only the request that owns a draft may change it. */
export type KubeObject = {
  kind?: string;
  apiVersion?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
};

/** Seconds resolution, `Z`, as metav1.Time writes it. */
export const toKubeTime = (epochMs: number): string => {
  const second = Math.floor(epochMs / SECOND_MS);
  if (second !== last.second) last = {second, text: `${new Date(epochMs).toISOString().slice(0, 19)}Z`};
  return last.text;
};

const SECOND_MS = 1_000;
/** Most writes of a second ask for the same one. */
let last = {second: Number.NaN, text: ''};

export const groupVersionOf = (at: {readonly group: string; readonly version: string}): string =>
  at.group === '' ? at.version : `${at.group}/${at.version}`;
