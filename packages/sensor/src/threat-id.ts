// SPDX-License-Identifier: Apache-2.0
import {parseThreatId} from '@palisade/ids-wire';

/** A threat id is `gid:sid`; the revision is not part of it. Ref: requirements I-117. */

export const threatIdOf = (gid: number, sid: number): string => `${gid}:${sid}`;

/** Those of `ids` that match none of the signatures of a rule set. */
export const unknownTo = (
  {signatures}: {readonly signatures: ReadonlyMap<string, unknown>},
  ids: readonly string[],
): readonly string[] => ids.filter(id => !signatures.has(normaliseException(id)));

/** An exception as the user wrote it, as a threat id: a bare `sid` means `1:sid`. Other text stays as it is and matches nothing. */
export const normaliseException = (text: string): string => {
  const id = parseThreatId(text);
  return id === undefined ? text : threatIdOf(id.gid, id.sid);
};
