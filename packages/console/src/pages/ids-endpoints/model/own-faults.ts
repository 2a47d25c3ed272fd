// SPDX-License-Identifier: Apache-2.0
/** Faults that a form names before it is sent, by the rules and in the words of the API. */
import {
  descriptionFaults,
  ENDPOINT_ID,
  ENDPOINT_ID_RULE,
  exceptionFaults,
  labelFaults,
  mistakenExceptions,
  networkFaults,
  type RuleFault,
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

/** All faults of a draft that the API would accept in spite of one; undefined: the API may judge it. */
export function ownFaults(draft: Draft): DraftFaults | undefined {
  const {network = '', description = '', labels = {}, threatExceptions = []} = toEndpoint(draft);
  const threatFault = exceptionsFault(threatExceptions);
  if (threatFault === undefined) return undefined;
  const id = draft.id.trim();
  const faults = {
    id: ENDPOINT_ID.test(id) ? undefined : `"${id}" ${ENDPOINT_ID_RULE}`,
    network: textOf(
      network === '' ? [{reason: 'is required: the network whose traffic is inspected'}] : networkFaults(network),
    ),
    description: textOf(descriptionFaults(description)),
    labels: textOf(labelFaults(labels)),
    threatExceptions: [textOf(exceptionFaults(threatExceptions)), threatFault].filter(Boolean).join('\n'),
  };
  return Object.fromEntries(Object.entries(faults).filter(([, text]) => text !== undefined));
}
