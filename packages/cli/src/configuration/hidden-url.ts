// SPDX-License-Identifier: Apache-2.0
/** The URL of a receiver without what may be a secret: user, path, and parameters that are no setting. */
import {parametersOf} from '@palisade/server/export-config';

export const HIDDEN = '***';

const URL_PARTS = /^((?:otlp\+)?https?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** `isFlag`: of --export, whose parameters are settings. Other URLs than those of webhook and OTLP receivers hold no secret. */
export const withoutSecrets = (text: string, isFlag: boolean): string => {
  const [, scheme = '', user, host = '', path = '', query, fragment] = URL_PARTS.exec(text) ?? [];
  if (scheme === '') return text;
  const known = parametersOf(scheme.slice(0, -3).toLowerCase(), isFlag);
  const shown = query
    ?.slice(1)
    .split('&')
    .map(word => (word === '' || known.includes(word.split('=')[0] ?? '') ? word : HIDDEN));
  return [
    scheme,
    user === undefined ? '' : `${HIDDEN}@`,
    host,
    path === '' || path === '/' ? path : `/${HIDDEN}`,
    shown === undefined ? '' : `?${shown.join('&')}`,
    fragment === undefined ? '' : `#${HIDDEN}`,
  ].join('');
};
