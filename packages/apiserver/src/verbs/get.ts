// SPDX-License-Identifier: Apache-2.0
/** GET of one object: a look-up and the bytes that are there. */
import {goQuote} from '@palisade/kube-wire';
import type {ObjectAnswer} from '../answer/answer.ts';
import {badRequest, notFound, plainInternal} from '../base/status-error.ts';
import {uint64Fault} from '../request/options/parse-integer.ts';
import {checkNameParameter} from './name-parameter.ts';
import type {RequestContext} from './object/request-context.ts';
import {objectAnswer} from './object-answer.ts';
import {readableAt} from './wait-for-version.ts';

export const get = (context: RequestContext): ObjectAnswer | Promise<ObjectAnswer> => {
  const {query} = context;
  if (query.has('export')) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  checkNameParameter(context);
  const version = query.get('resourceVersion') ?? '';
  if (version === '' || version === '0') return lookUp(context);
  const fault = uint64Fault(version);
  if (fault !== undefined) throw plainInternal(`resourceVersion: Invalid value: ${goQuote(version)}: ${fault}`);
  const waiting = readableAt(context, BigInt(version));
  return waiting === undefined ? lookUp(context) : waiting.then(() => lookUp(context));
};

const lookUp = (context: RequestContext): ObjectAnswer => {
  const {registry, kind, info} = context;
  const object = registry.get(kind.namespaced ? info.namespace : '', info.name);
  if (object === undefined) throw notFound(kind, info.name);
  return objectAnswer(context, 200, object);
};
