// SPDX-License-Identifier: Apache-2.0
/**
 * Key layout. Values are UTF-8 JSON.
 *
 *   /ids/endpoints/{endpoint name}      EndpointRecord
 *   /ids/operations/{operation name}    OperationRecord
 *   /ids/requests/{verb}/{scope}/{uuid} RequestRecord
 *   /ids/addresses/{ip}                 {"endpoint": name}
 *   /ids/vnis/{number}                  {"endpoint": name}
 *   /ids/ruleSwitches/{rule set}        rules/kept-switches.ts; no part of the state here
 */
export const IDS_PREFIX = '/ids/';
export const KINDS = ['endpoints', 'operations', 'requests', 'addresses', 'vnis'] as const;
export type Kind = (typeof KINDS)[number];

export const keyOf = (kind: Kind, name: string): string => `${IDS_PREFIX}${kind}/${name}`;

/** Undefined for a key of another layout. */
export const parseKey = (key: string): {readonly kind: Kind; readonly name: string} | undefined => {
  const slash = key.indexOf('/', IDS_PREFIX.length);
  const kind = KINDS.find(k => k === key.slice(IDS_PREFIX.length, slash));
  return kind === undefined ? undefined : {kind, name: key.slice(slash + 1)};
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const toBytes = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));
export const fromBytes = (bytes: Uint8Array): unknown => JSON.parse(decoder.decode(bytes));
