// SPDX-License-Identifier: Apache-2.0
/** A right of the Kubernetes side, and how a missing one is named. */

export type Right = {
  readonly verb: string;
  readonly resource: string;
  /** '' or left out: the core group. */
  readonly group?: string;
  readonly subresource?: string;
  /** Left out: in all namespaces, or of a resource without one. */
  readonly namespace?: string;
  readonly name?: string;
};

export const rightKey = ({verb, resource, group = '', subresource = '', namespace = '', name = ''}: Right): string =>
  [verb, group, resource, subresource, namespace, name].join(' ');

/** `update endpoints in namespace shop`. */
function rightText({verb, resource, group = '', subresource = '', namespace = '', name = ''}: Right): string {
  const what = `${resource}${subresource === '' ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`}`;
  const named = name === '' ? '' : ` ${JSON.stringify(name)}`;
  return `${verb} ${what}${named}${namespace === '' ? '' : ` in namespace ${namespace}`}`;
}

/** For `whyDisabled` of a Button. */
export const missingRightText = (right: Right): string => `You lack the right to ${rightText(right)}`;
export const missingPermissionText = (permission: string, parent: string): string =>
  `You lack the permission ${permission} in ${parent}`;
