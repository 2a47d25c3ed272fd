// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {encodeJson} from '../codec/encode.ts';
import {kubeTypes} from '../gen/kube-types.ts';
import * as build from './status.ts';

const endpoints = {group: '', resource: 'endpoints'};
const roles = {group: 'rbac.authorization.k8s.io', resource: 'roles'};
const short = ({code, reason, message, details}: build.Status) => [code, reason, message, details];

describe('texts of failures', () => {
  test.each([
    [
      build.notFoundStatus(endpoints, 'a'),
      [404, 'NotFound', 'endpoints "a" not found', {name: 'a', kind: 'endpoints'}],
    ],
    [
      build.notFoundStatus(roles, 'a'),
      [
        404,
        'NotFound',
        'roles.rbac.authorization.k8s.io "a" not found',
        {name: 'a', group: roles.group, kind: 'roles'},
      ],
    ],
    [
      build.alreadyExistsStatus(endpoints, 'a'),
      [409, 'AlreadyExists', 'endpoints "a" already exists', {name: 'a', kind: 'endpoints'}],
    ],
    [
      build.conflictStatus(endpoints, 'a', build.OBJECT_MODIFIED),
      [
        409,
        'Conflict',
        'Operation cannot be fulfilled on endpoints "a": the object has been modified; please apply your changes to the latest version and try again',
        {name: 'a', kind: 'endpoints'},
      ],
    ],
    [build.badRequestStatus('x'), [400, 'BadRequest', 'x', undefined]],
    [build.unauthorizedStatus(), [401, 'Unauthorized', 'Unauthorized', undefined]],
    [
      build.forbiddenStatus(endpoints, 'a', 'no'),
      [403, 'Forbidden', 'endpoints "a" is forbidden: no', {name: 'a', kind: 'endpoints'}],
    ],
    [build.forbiddenStatus(endpoints, '', 'no'), [403, 'Forbidden', 'endpoints is forbidden: no', {kind: 'endpoints'}]],
    [build.forbiddenStatus({group: '', resource: ''}, '', 'no'), [403, 'Forbidden', 'forbidden: no', {}]],
    [
      build.notAcceptableStatus(['a/b', 'c/d']),
      [406, 'NotAcceptable', 'only the following media types are accepted: a/b, c/d', undefined],
    ],
    [
      build.unsupportedMediaTypeStatus(['a/b']),
      [
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: a/b',
        undefined,
      ],
    ],
    [build.expiredStatus('x'), [410, 'Expired', 'x', undefined]],
    [
      build.requestEntityTooLargeStatus('limit is 3'),
      [413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3', undefined],
    ],
    [build.tooManyRequestsStatus('slow down', 1), [429, 'TooManyRequests', 'slow down', {retryAfterSeconds: 1}]],
    [build.internalErrorStatus('x'), [500, 'InternalError', 'Internal error occurred: x', {causes: [{message: 'x'}]}]],
    [build.unclassifiedStatus('x'), [500, undefined, 'x', undefined]],
    [
      build.generateNameConflictStatus(endpoints, 'a', 1),
      [
        409,
        'AlreadyExists',
        'endpoints "a" already exists, the server was not able to generate a unique name for the object',
        {name: 'a', kind: 'endpoints', retryAfterSeconds: 1},
      ],
    ],
  ])('%#', (status, want) => expect(short(status)).toEqual(want));
});

test('on the wire: keys in order, empty details kept', () => {
  const type = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
  expect(encodeJson(kubeTypes, type, build.failureStatus(404, 'NotFound', 'x', {}) as never)).toBe(
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"x","reason":"NotFound","details":{},"code":404}',
  );
  expect(encodeJson(kubeTypes, type, build.successStatus({name: 'a', kind: 'endpoints', uid: 'u'}) as never)).toBe(
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"endpoints","uid":"u"}}',
  );
});
