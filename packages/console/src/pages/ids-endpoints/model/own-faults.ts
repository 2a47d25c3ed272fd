// SPDX-License-Identifier: Apache-2.0
/** Faults that a form names before it is sent, by the rules and in the words of the API. */
import {
  descriptionFaults,
  ENDPOINT_ID,
  ENDPOINT_ID_RULE,
  exceptionFaults,
  isNameSegment,
  labelFaults,
  mistakenExceptions,
  networkFaults,
  type RuleFault,
  WILDCARD,
} from '@palisade/ids-wire';
import {type Draft, type DraftFaults, toEndpoint} from './form.ts';

const described = ({at, reason}: RuleFault): string => {
  if (at === undefined) return reason;
  return typeof at === 'number' ? `element ${at} ${reason}` : `${JSON.stringify(at)}: ${reason}`;
};
const textOf = (faults: readonly RuleFault[]): string | undefined =>
  faults.length === 0 ? undefined : faults.map(described).join('\n');

/** The API keeps an exception that matches no rule. In a form it is a mistake, unless it may be the id of another product: `T-1`. */
export const exceptionsFault = (exceptions: readonly string[]): string | undefined =>
  textOf(mistakenExceptions(exceptions).map(({reason}) => ({reason}))); // it has the exception itself

const PART_RULE = 'must have 1 to 128 characters, without spaces and slashes';
/** A part of the path of the request: the API judges nothing else while it is wrong. */
const partFault = (text: string): string | undefined => {
  const part = text.trim();
  if (part === '') return 'is required';
  if (part === WILDCARD) return '"-" means all; enter one';
  return isNameSegment(part) ? undefined : `"${part}" ${PART_RULE}`;
};

/** Of project and location; undefined: an endpoint can be there. */
export function placeFaults({project, location}: Pick<Draft, 'project' | 'location'>): DraftFaults | undefined {
  const faults = {project: partFault(project), location: partFault(location)};
  return faults.project === undefined && faults.location === undefined ? undefined : (faults as DraftFaults);
}

const idFault = (id: string): string | undefined => {
  if (id === '') return 'is required';
  return ENDPOINT_ID.test(id) ? undefined : `"${id}" ${ENDPOINT_ID_RULE}`;
};

/** All faults of a draft that has one which the API would accept, or would name alone; undefined: the API may judge it. */
export function ownFaults(draft: Draft): DraftFaults | undefined {
  const {network = '', description = '', labels = {}, threatExceptions = []} = toEndpoint(draft);
  const threatFault = exceptionsFault(threatExceptions);
  const place = placeFaults(draft);
  const id = draft.id.trim();
  if (threatFault === undefined && place === undefined && id !== '') return undefined;
  const faults = {
    ...place,
    id: idFault(id),
    network: textOf(
      network === '' ? [{reason: 'is required: the network whose traffic is inspected'}] : networkFaults(network),
    ),
    description: textOf(descriptionFaults(description)),
    labels: textOf(labelFaults(labels)),
    threatExceptions: [textOf(exceptionFaults(threatExceptions)), threatFault].filter(Boolean).join('\n') || undefined,
  };
  return Object.fromEntries(Object.entries(faults).filter(([, text]) => text !== undefined));
}
