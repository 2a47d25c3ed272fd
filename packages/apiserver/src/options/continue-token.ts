// SPDX-License-Identifier: Apache-2.0
/**
 * Where a paged list goes on: the revision of the first page and the last key that was sent. Opaque to clients:
 * base64url of `v1:<revision>:<namespace>/<name>`.
 */

export type ContinuePosition = {readonly revision: bigint; readonly namespace: string; readonly name: string};

export const encodeContinueToken = ({revision, namespace, name}: ContinuePosition): string =>
  Buffer.from(`v1:${revision}:${namespace}/${name}`).toString('base64url');

/** Undefined when the token is not one of ours. */
export const decodeContinueToken = (token: string): ContinuePosition | undefined => {
  const match = /^v1:(\d{1,19}):([^/]*)\/(.+)$/.exec(Buffer.from(token, 'base64url').toString());
  if (match === null) return undefined;
  const [, revision = '0', namespace = '', name = ''] = match;
  return {revision: BigInt(revision), namespace, name};
};
