// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {toStatus} from '../base/to-status.ts';
import {checkNamespaceKey} from './name-parameter.ts';

const faultOf = (namespace: string, name?: string, namespaced = true): unknown => {
  const kind = {namespaced, registryPath: 'services/endpoints'};
  try {
    checkNamespaceKey({kind, info: {namespace}} as never, name);
    return undefined;
  } catch (error) {
    const {code, message} = toStatus(error).status;
    return [code, message];
  }
};

test.each([
  {namespace: '..', name: undefined, key: '/services/endpoints/..'},
  {namespace: '.', name: 'a', key: '/services/endpoints/./a'},
  {namespace: '..', name: '..', key: '/services/endpoints/..'},
])('the namespace $namespace and the name $name are no key', ({namespace, name, key}) => {
  expect(faultOf(namespace, name)).toEqual([500, `invalid key: "${key}"`]);
});

test('what leads nowhere else is a key', () => {
  expect([faultOf(''), faultOf('...', 'a'), faultOf('..', 'a', false)]).toEqual([undefined, undefined, undefined]);
});
