// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {createApi} from '../connection.ts';
import {whyInNone} from './rights-book.ts';

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

test('49-2 the rights of one render are asked once each, and a missing one is named', async () => {
  const asked: string[] = [];
  const fetch = (async (url: string, init: RequestInit = {}) => {
    if (url !== PATH) return new Response('', {status: 404});
    const {spec} = JSON.parse(String(init.body));
    asked.push(spec.resourceAttributes.verb);
    return Response.json({status: {allowed: spec.resourceAttributes.verb === 'get'}}, {status: 201});
  }) as typeof globalThis.fetch;
  const {rights} = createApi(fetch);
  const ask = (verb: string) => rights.right({verb, resource: 'endpoints', namespace: 'shop'});
  expect(ask('get').allowed).toBeUndefined();
  ask('update');
  ask('get');
  await expect.poll(() => ask('update').allowed).toBe(false);
  expect(ask('get')).toEqual({allowed: true, why: undefined});
  expect(ask('update').why).toBe('You lack the right to update endpoints in namespace shop');
  expect(asked.sort()).toEqual(['get', 'update']);
});

test('49-2 a right that suffices in one namespace is missing only if it is missing in each', () => {
  const [yes, no, open] = [
    {allowed: true, why: undefined},
    {allowed: false, why: 'You lack it'},
    {allowed: undefined, why: 'Being checked'},
  ];
  expect([whyInNone(yes, []), whyInNone(open, []), whyInNone(no, [])]).toEqual([undefined, open.why, no.why]);
  expect([whyInNone(no, [no, yes]), whyInNone(no, [no, open]), whyInNone(no, [no, no])]).toEqual([
    undefined,
    open.why,
    no.why,
  ]);
});
