// SPDX-License-Identifier: Apache-2.0
import {StoreError} from '@palisade/store';
import {expect, test} from 'vitest';
import {RpcError} from '../rpc-error.ts';
import type {AnyRequest, AnyResponse} from './exchange.ts';
import {createHandler, type HandlerDeps} from './handler.ts';

/** What is logged of a request that fails so, and whether it was answered. */
const failing = async (error: Error, isGone: boolean) => {
  const logged: string[] = [];
  const log = {
    error: ({err}: {err: string}) => logged.push(`error ${err}`),
    debug: ({err}: {err: string}) => logged.push(`debug ${err}`),
  };
  let status: number | undefined;
  const response = {destroyed: isGone, headersSent: false, writeHead: (code: number) => (status = code), end: () => {}};
  const deps = {service: {log}, authenticator: {authenticate: () => Promise.reject(error)}, routes: [], ruleRoutes: []};
  const handle = createHandler(deps as unknown as HandlerDeps);
  const request = {method: 'GET', url: '/v1/projects/p/locations/l/endpoints', headers: {}, socket: {}};
  expect(await handle(request as AnyRequest, response as unknown as AnyResponse)).toBe(true);
  return {logged, status};
};

test.each([
  {isGone: false, fault: 500, refusal: 404},
  {isGone: true, fault: undefined, refusal: undefined},
])('a fault is logged whether the client waits for the answer or not: gone $isGone', async expected => {
  const fault = await failing(new StoreError('corrupt', {key: '/k', revision: 1n}), expected.isGone);
  expect(fault).toEqual({logged: [expect.stringMatching(/^error .*\/k/)], status: expected.fault});
  const refusal = await failing(new RpcError('NOT_FOUND', 'no such thing'), expected.isGone);
  expect(refusal).toEqual({logged: ['debug no such thing'], status: expected.refusal});
});
