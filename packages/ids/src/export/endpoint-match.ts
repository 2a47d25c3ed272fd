// SPDX-License-Identifier: Apache-2.0
/** Which endpoints an exporter sends: full names, in which `-` stands for a whole part and `*` for any characters of a part. */
import {type EndpointName, parseIdsEndpointName, WILDCARD} from '@palisade/ids-wire';

const EVERY: EndpointName = {project: WILDCARD, location: WILDCARD, endpointId: WILDCARD};

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const expressionOf = (pattern: string): RegExp => {
  const parts = pattern.split('/').map(part => (part === WILDCARD ? '*' : part));
  return new RegExp(`^${parts.map(part => part.split('*').map(escaped).join('[^/]*')).join('/')}$`);
};

/** No pattern: every endpoint. */
export const endpointMatcher = (patterns: readonly string[]): ((endpoint: string) => boolean) => {
  const expressions = patterns.map(expressionOf);
  return endpoint => expressions.length === 0 || expressions.some(expression => expression.test(endpoint));
};

/** The narrowest name that a store can ask for, which holds all that the patterns mean. */
export const storeNameOf = ([pattern = '', ...others]: readonly string[]): EndpointName =>
  (others.length === 0 && !pattern.includes('*') ? parseIdsEndpointName(pattern) : undefined) ?? EVERY;
