// SPDX-License-Identifier: Apache-2.0
/** /: the paths that can be asked for, whatever the method. */
import {prettyJson} from '@palisade/wire/kube';
import {goJson} from '../go-json.ts';
import type {DocumentRoute} from '../http/non-resource.ts';
import type {KindDefinition} from '../kind.ts';
import {groupVersionOf} from '../object.ts';

const FIXED = [
  '/healthz',
  '/healthz/ping',
  '/livez',
  '/livez/ping',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/readyz/ping',
  '/version',
];

export const rootRoute = (kinds: readonly KindDefinition[]): DocumentRoute => {
  const groups = kinds.map(({group, version}) =>
    group === ''
      ? ['/api', `/api/${version}`]
      : ['/apis', `/apis/${group}`, `/apis/${groupVersionOf({group, version})}`],
  );
  const paths = [...new Set([...groups.flat(), '/apis', ...FIXED])].sort();
  return async ({info}, sendEncoded) => {
    if (info.path !== '/' && info.path !== '/index.html') return false;
    await sendEncoded({contentType: 'application/json', pieces: [Buffer.from(prettyJson(goJson({paths})))]});
    return true;
  };
};
