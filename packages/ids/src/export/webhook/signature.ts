// SPDX-License-Identifier: Apache-2.0
/** Signatures of webhooks. Ref: Standard Webhooks 1.0.0, "Signature scheme" and "Webhook headers". */
import {createHash, createHmac} from 'node:crypto';

const PREFIX = 'whsec_';
/** Whole, with its padding: Node would decode as much as it can. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Standard Webhooks: 24 to 64 bytes; a longer key gains nothing. */
const KEY_BYTES_LEAST = 24;

/**
 * The keys of a secretFile, one a line: `whsec_` and base64, or any other text, whose bytes are the key; blanks at the end are no part of it. Each signs, so that a
 * receiver can change its key while messages come. A text: what is wrong with the file.
 */
export const keysIn = (file: string): readonly Buffer[] | string => {
  const lines = file.split(/\r?\n/).map(line => line.trimEnd());
  if (lines.every(line => line === ''))
    return `is empty; write a key of ${KEY_BYTES_LEAST} bytes or more into it, ${WAY_OUT}`;
  const keys: Buffer[] = [];
  for (const [at, line] of lines.entries()) {
    if (line === '') continue;
    const key = keyOf(line);
    if (key === undefined) return `line ${at + 1} has no base64 with its padding behind whsec_; write one ${WAY_OUT}`;
    if (key.length < KEY_BYTES_LEAST)
      return `line ${at + 1} has a key of ${key.length} bytes; use ${KEY_BYTES_LEAST} bytes or more, ${WAY_OUT}`;
    keys.push(key);
  }
  return keys;
};

const WAY_OUT = 'such as whsec_ and the output of openssl rand -base64 32';

/** Undefined: base64 that is wrong. */
const keyOf = (line: string): Buffer | undefined => {
  if (!line.startsWith(PREFIX)) return Buffer.from(line);
  const text = line.slice(PREFIX.length);
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
};

/** The same for the same records, in the same order: a receiver that knows it has the message already. */
export const messageId = (dedupIds: readonly string[]): string =>
  `msg_${createHash('sha256').update(dedupIds.join('\n')).digest('base64url')}`;

export const signedHeaders = (
  id: string,
  nowMs: number,
  body: string,
  keys: readonly Buffer[],
): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const sign = (key: Buffer): string =>
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(keys.length === 0 ? {} : {'webhook-signature': keys.map(sign).join(' ')}),
  };
};
