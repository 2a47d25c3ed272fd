// SPDX-License-Identifier: Apache-2.0
/** What both entries of the package have. Nothing below here imports a module of Node. */
export * from './http/contract.ts';
export * from './ids/endpoint-calls.ts';
export * from './ids/export-records.ts';
export * from './ids/ids-client.ts';
export * from './ids/ids-error.ts';
export * from './ids/keep-following.ts';
export * from './ids/objects.ts';
export * from './ids/operation-waiter.ts';
export * from './ids/resource-path.ts';
export * from './ids/rule-calls.ts';
export * from './ids/threat-decisions.ts';
export * from './kube/access.ts';
export * from './kube/audit.ts';
export * from './kube/deletion/deletion.ts';
export * from './kube/deletion/deletion-text.ts';
export * from './kube/deletion/explain-deletion.ts';
export {type Found, type FoundObject, findObjects, objectText} from './kube/deletion/object-walk.ts';
export * from './kube/events.ts';
export * from './kube/kube-client.ts';
export * from './kube/kube-error.ts';
export * from './kube/list-all.ts';
export * from './kube/objects.ts';
export * from './kube/served-kinds.ts';
export * from './sleep.ts';
