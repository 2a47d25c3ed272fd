// SPDX-License-Identifier: Apache-2.0
/** Permissions of the IDS API. Ref: the product's permission list; those of threats, traffic, rules and forwarding rules are ours. */
export const IDS_PERMISSIONS = [
  'ids.endpoints.create',
  'ids.endpoints.get',
  'ids.endpoints.list',
  'ids.endpoints.update',
  'ids.endpoints.delete',
  'ids.operations.get',
  'ids.operations.list',
  'ids.operations.cancel',
  'ids.operations.delete',
  'ids.locations.get',
  'ids.locations.list',
  'ids.threats.list',
  'ids.threats.getEvidence',
  'ids.threats.update',
  'ids.traffic.list',
  'ids.rules.get',
  'ids.rules.list',
  'ids.rules.update',
  'compute.forwardingRules.get',
  'compute.forwardingRules.list',
] as const;
export type IdsPermission = (typeof IDS_PERMISSIONS)[number];

/** They act on the endpoints of all projects, so they are needed in all of them. */
export const PERMISSIONS_EVERYWHERE: readonly IdsPermission[] = ['ids.rules.update'];
