// SPDX-License-Identifier: Apache-2.0
/** `{endpoint}/threats/{id}` in paths; an endpoint may itself be called `threats`. */
import type {ThreatName} from '../../evidence/get-threat.ts';

/** Pattern of the name, a group. */
export const THREAT_PATH = '(projects/[^/]+/locations/[^/]+/endpoints/[^/]+/threats/[^/:]+)';

const BETWEEN = '/threats/';

/** `name`: one that fits THREAT_PATH. */
export const threatNameOf = (name: string): ThreatName => {
  const at = name.lastIndexOf(BETWEEN);
  return {endpoint: name.slice(0, at), id: name.slice(at + BETWEEN.length)};
};
