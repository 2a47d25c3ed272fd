// SPDX-License-Identifier: Apache-2.0
import {compileFilter, FilterError, type ListSchema} from '@palisade/ids-wire';
import {useMemo, useRef} from 'react';

/** Why nothing is done with all that match while the filter has a fault. */
export const WHY_FAULTY = 'Correct the filter first';

/** Why the server would refuse the filter; undefined: it is good. */
export function filterFault<T>(filter: string, schema: ListSchema<T>): string | undefined {
  try {
    compileFilter(filter, schema);
    return undefined;
  } catch (error) {
    if (error instanceof FilterError) return error.message;
    throw error;
  }
}

/** While a filter is being typed, the last one that was good remains in use. */
export function useGoodFilter<T>(
  typed: string,
  schema: ListSchema<T>,
): {readonly filter: string; readonly fault: string | undefined} {
  const fault = useMemo(() => filterFault(typed, schema), [typed, schema]);
  const good = useRef('');
  if (fault === undefined) good.current = typed;
  return {filter: good.current, fault};
}
