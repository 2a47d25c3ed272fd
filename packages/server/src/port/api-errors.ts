// SPDX-License-Identifier: Apache-2.0
/** Errors that the server answers itself, in the form that clients of either API read. */

export type Api = 'kubernetes' | 'ids';

/** `reason` is the word of the Kubernetes API, `status` that of Google's. */
export type Fault = {readonly code: number; readonly reason: string; readonly status: string; readonly message: string};

/** A path of the IDS API over REST. */
export const isIdsPath = (url: string): boolean => /^\/(v1|compute\/v1)(\/|$|\?)/.test(url);

/** A client may send the whole URL, as it does to a proxy; this server is meant anyway. Ref: RFC 9112 section 3.2.2. */
export const originForm = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') || path === target ? path : `/${path}`;
};

/** The API that a request target belongs to. */
export const apiOf = (target: string): Api => (isIdsPath(originForm(target)) ? 'ids' : 'kubernetes');

export const ERROR_TYPE = 'application/json; charset=UTF-8';

/** The JSON of a Status, or of a Google API error. */
export const errorBody = (api: Api, {code, reason, status, message}: Fault): string =>
  JSON.stringify(
    api === 'ids'
      ? {error: {code, message, status}}
      : {kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details: {}, code},
  );
