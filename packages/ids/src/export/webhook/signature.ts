// SPDX-License-Identifier: Apache-2.0
/** Signatures of webhooks. Ref: Standard Webhooks 1.0.0, "Signature scheme" and "Webhook headers". */
import {createHash, createHmac} from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks: 24 to 64 bytes; a longer key gains nothing. */
const KEY_BYTES_LEAST = 24;

/**
 * The keys of a secretFile, one a line: `whsec_` and base64, or any other text, whose bytes are the key. Each signs, so that a
 * receiver can change its key while messages come. A text: what is wrong with the file.
 */
export const keysIn = (file: string): readonly Buffer[] | string => {
  const lines = file.split(/\r?\n/).filter(line => line !== '');
  if (lines.length === 0)
    return 'is empty; write a key of 24 bytes or more into it, such as whsec_ and the output of openssl rand -base64 32';
  const keys = lines.map(line =>
    line.startsWith(PREFIX) ? Buffer.from(line.slice(PREFIX.length), 'base64') : Buffer.from(line),
  );
  const short = keys.findIndex(key => key.length < KEY_BYTES_LEAST);
  return short === -1
    ? keys
    : `line ${short + 1} has a key of ${keys[short]?.length} bytes; use ${KEY_BYTES_LEAST} bytes or more, such as whsec_ and the output of openssl rand -base64 32`;
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
