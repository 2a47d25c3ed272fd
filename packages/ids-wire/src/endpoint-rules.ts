// SPDX-License-Identifier: Apache-2.0
/**
 * The rules of an endpoint's fields beyond their types: the API refuses by them, and the provider does so before it asks the API.
 * Values that are not texts are left alone: the caller has checked the types, and a value of a program may not be known yet.
 */

/** Ref: requirements I-041. Counted without duplicates. */
const THREAT_EXCEPTIONS_MAX = 99;
const THREAT_EXCEPTION_LENGTH_MAX = 256;
const LABELS_MAX = 64;
const LABEL_VALUE_LENGTH_MAX = 63;
const NETWORK_LENGTH_MAX = 1_024;
const DESCRIPTION_LENGTH_MAX = 65_536;
/** Ref: Suricata 7 src/detect-sid.c, detect-gid.c: 32 bits each. */
const THREAT_NUMBER_MAX = 0xffff_ffff;

/** `at`: the member of a map or list that is meant; undefined: the field itself. */
export type RuleFault = {readonly at?: string | number; readonly reason: string};

const NETWORK_NAME = '[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?';
const FULL_NETWORK = `(https?://[^\\s/?#]+/([^\\s?#]+/)?)?projects/[^\\s/?#]+/global/networks/${NETWORK_NAME}`;
const NETWORK = new RegExp(`^(${FULL_NETWORK}|(global/networks/)?${NETWORK_NAME})$`);
const NETWORK_FORMS =
  'NAME, projects/PROJECT/global/networks/NAME, or a URL such as https://www.googleapis.com/compute/v1/projects/PROJECT/global/networks/NAME';

/** Ref: requirements I-026, I-027. */
export function networkFaults(network: string): RuleFault[] {
  if (network.length > NETWORK_LENGTH_MAX) return [{reason: `must be no longer than ${NETWORK_LENGTH_MAX} characters`}];
  return NETWORK.test(network)
    ? []
    : [{reason: `${JSON.stringify(network)} is not the name of a network: use ${NETWORK_FORMS}`}];
}

export const descriptionFaults = (description: string): RuleFault[] =>
  description.length > DESCRIPTION_LENGTH_MAX
    ? [{reason: `must be no longer than ${DESCRIPTION_LENGTH_MAX} characters`}]
    : [];

const LABEL_KEY = /^[a-z][a-z0-9_-]{0,62}$/;
const LABEL_KEY_RULE =
  'the key must start with a lowercase letter, followed by up to 62 lowercase letters, digits, hyphens or underscores';

/** Ref: requirements I-033. */
export function labelFaults(labels: Readonly<Record<string, unknown>>): RuleFault[] {
  const entries = Object.entries(labels);
  const faults: RuleFault[] =
    entries.length > LABELS_MAX ? [{reason: `too many: ${entries.length}, at most ${LABELS_MAX}`}] : [];
  for (const [key, value] of entries) {
    if (!LABEL_KEY.test(key)) faults.push({at: key, reason: LABEL_KEY_RULE});
    if (typeof value === 'string' && [...value].length > LABEL_VALUE_LENGTH_MAX)
      faults.push({at: key, reason: `the value must be no longer than ${LABEL_VALUE_LENGTH_MAX} characters`});
  }
  return faults;
}

const FORM = 'use gid:sid or sid, such as 1:2019401';

/** What no API accepts. Ref: requirements I-041. */
export function exceptionFaults(exceptions: readonly unknown[]): RuleFault[] {
  const texts = exceptions.filter(exception => typeof exception === 'string');
  const distinct = new Set(texts).size + exceptions.length - texts.length;
  const faults: RuleFault[] =
    distinct > THREAT_EXCEPTIONS_MAX ? [{reason: `too many: ${distinct}, at most ${THREAT_EXCEPTIONS_MAX}`}] : [];
  for (const [at, exception] of exceptions.entries()) {
    if (typeof exception !== 'string') continue;
    if (exception.trim() === '') faults.push({at, reason: `must not be empty: ${FORM}`});
    else if (exception.length > THREAT_EXCEPTION_LENGTH_MAX)
      faults.push({at, reason: `must be no longer than ${THREAT_EXCEPTION_LENGTH_MAX} characters`});
  }
  return faults;
}

/** Exceptions that match no alert, whatever the rules are: the API keeps them, and says so. Empty ones are refused above. */
export const idleExceptions = (exceptions: readonly unknown[]): RuleFault[] =>
  [...exceptions.entries()].flatMap(([at, exception]) =>
    typeof exception !== 'string' || exception.trim() === '' || parseThreatId(exception) !== undefined
      ? []
      : [{at, reason: `${JSON.stringify(exception)} is not a threat id and matches nothing: ${FORM}`}],
  );

/**
 * Whether a text may be the threat id of another product, such as `T-1`: a word that begins with a letter and has a digit. A program
 * may declare it, as programs for other servers do; other idle exceptions are mistakes.
 */
export const isForeignThreatId = (text: unknown): boolean =>
  typeof text === 'string' && /^(?=.*\d)[A-Za-z][A-Za-z0-9._-]*$/.test(text);

/** Idle exceptions that are a mistake where a user or a program declares them; the API accepts them. */
export const mistakenExceptions = (exceptions: readonly unknown[]): RuleFault[] =>
  idleExceptions(exceptions).filter(({at}) => !isForeignThreatId(exceptions[Number(at)]));

/** `gid:sid`, or `sid` for `1:sid`; undefined for any other text. Ref: requirements I-117. */
export function parseThreatId(text: string): {readonly gid: number; readonly sid: number} | undefined {
  const match = /^\s*(?:(\d{1,10}):)?(\d{1,10})\s*$/.exec(text);
  if (match === null) return undefined;
  const [gid, sid] = [Number(match[1] ?? 1), Number(match[2])];
  return gid > THREAT_NUMBER_MAX || sid > THREAT_NUMBER_MAX ? undefined : {gid, sid};
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ZERO_UUID = '00000000-0000-0000-0000-000000000000';

/** Ref: requirements I-037, I-038. */
export function requestIdFaults(requestId: string): RuleFault[] {
  if (!UUID.test(requestId)) return [{reason: `${JSON.stringify(requestId)} must be a UUID`}];
  return requestId === ZERO_UUID ? [{reason: 'must not be the all-zero UUID'}] : [];
}
