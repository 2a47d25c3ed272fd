// SPDX-License-Identifier: Apache-2.0

import type {TriedExceptions} from '@palisade/ids-wire';
import {hiddenText} from '../../threats/record/exception/exception.ts';

/** What exceptions would have hidden of the last alerts, with the warnings of the server. */
export function triedText({alerts, hidden, exceptions}: TriedExceptions): string {
  const names = exceptions.flatMap(({name}) => (name === undefined ? [] : [name]));
  const first =
    alerts === 0
      ? 'There are no stored alerts to try it with.'
      : `${hiddenText({hidden, alerts})}${names.length === 0 ? '' : ` (${names.join('; ')})`}.`;
  const warnings = exceptions.flatMap(({exception, warning}) =>
    warning === undefined ? [] : [`${exception}: ${warning}`],
  );
  return [first, ...warnings].join(' ');
}
