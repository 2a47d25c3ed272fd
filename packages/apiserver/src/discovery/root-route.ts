// SPDX-License-Identifier: Apache-2.0
/** /: the paths that can be asked for, whatever the method. */
import {goJson, prettyJson} from '@palisade/kube-wire';
import {groupVersionOf} from '../base/object.ts';
import type {DocumentRoute} from '../http/non-resource.ts';
import type {KindDefinition} from '../kind/kind.ts';

const FIXED = ['/apis', '/openapi/v2', '/openapi/v3', '/version'];

/** `others`: the paths of health, and of documents from outside. */
export const rootRoute = (kinds: readonly KindDefinition[], others: readonly string[]): DocumentRoute => {
  const groups = kinds.map(({group, version}) =>
    group === ''
      ? ['/api', `/api/${version}`]
      : ['/apis', `/apis/${group}`, `/apis/${groupVersionOf({group, version})}`],
  );
  const paths = [...new Set([...groups.flat(), ...FIXED, ...others])].sort();
  return async ({info}, sendEncoded) => {
    if (info.path !== '/' && info.path !== '/index.html') return false;
    await sendEncoded({contentType: 'application/json', pieces: [Buffer.from(prettyJson(goJson({paths})))]});
    return true;
  };
};
