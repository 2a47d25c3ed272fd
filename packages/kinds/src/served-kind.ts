// SPDX-License-Identifier: Apache-2.0
import type {ControllerHost, KindDefinition} from '@palisade/apiserver';

/** A kind that a controller cannot do without. `what` is the part that needs it: it is in the error of a server without the kind. */
export const servedKind = (
  {kinds}: Pick<ControllerHost, 'kinds'>,
  what: string,
  group: string,
  resource: string,
): KindDefinition => {
  const kind = kinds.find(each => each.group === group && each.resource === resource);
  if (kind === undefined) throw new Error(`${what} needs the kind ${resource}`);
  return kind;
};
