// SPDX-License-Identifier: Apache-2.0
/** What the documents about an API have to know of a kind that is served. */

export type ServedVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export type ServedSubresource = {readonly name: string; readonly verbs: readonly ServedVerb[]};

/** A path below an object that takes a POST of another kind and answers it: `serviceaccounts/NAME/token`. */
export type ServedQuestion = {
  readonly name: string;
  readonly kind: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly typeName: string;
  };
};

export type ServedKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  /** Plural, lower case, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly namespaced: boolean;
  readonly verbs: readonly ServedVerb[];
  /** OpenAPI name of the struct: `io.k8s.api.core.v1.Endpoints`. */
  readonly typeName: string;
  /** OpenAPI says that a delete answers the object. Default: a Status. Ref: apiserver/pkg/registry/rest MayReturnFullObjectDeleter. */
  readonly publishesDeleted?: boolean | undefined;
  /** Of the same kind as the resource. */
  readonly subresources?: readonly ServedSubresource[] | undefined;
  readonly questions?: readonly ServedQuestion[] | undefined;
  /** The kind under which its objects are stored, if it is another one. */
  readonly storedAs?:
    | {readonly kind: {readonly group: string; readonly version: string; readonly kind: string}}
    | undefined;
};

/** `v1`, `rbac.authorization.k8s.io/v1`. */
export const groupVersionText = (of: {readonly group: string; readonly version: string}): string =>
  of.group === '' ? of.version : `${of.group}/${of.version}`;

/** OpenAPI name of the list struct, which stands beside the item's. */
export const listTypeName = ({typeName, listKind}: ServedKind): string =>
  `${typeName.slice(0, typeName.lastIndexOf('.') + 1)}${listKind}`;
