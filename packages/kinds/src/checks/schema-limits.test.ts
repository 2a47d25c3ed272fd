// SPDX-License-Identifier: Apache-2.0
/** What `kubectl explain` says of a limit is the limit. */
import {expect, test} from 'vitest';
import {PAIRS_MAX} from '../endpoint-groups/members.ts';
import {endpointGroupTypes} from '../endpoint-groups/schema.ts';
import {STATUS_PORTS_MAX, STATUS_RESULTS_MAX} from '../endpoint-groups/status.ts';
import {REGISTRATIONS_PER_USER_MAX} from '../endpoint-registrations/per-user.ts';
import {endpointRegistrationTypes} from '../endpoint-registrations/schema.ts';
import {ADDRESSES_MAX, TTL_SECONDS_MAX} from '../endpoint-registrations/validate.ts';
import {RESULTS_MAX} from './state.ts';
import {PORTS_MAX} from './validate.ts';
import {CA_BYTES_MAX, PATH_BYTES_MAX} from './validate-check.ts';

const types = {...endpointGroupTypes, ...endpointRegistrationTypes};
/** Of `EndpointGroup` or `EndpointGroupSpec.ports`. */
const textOf = (path: string): string => {
  const [name = '', field] = path.split('.');
  const struct = types[`io.platform.v1alpha1.${name}`];
  const text = field === undefined ? struct?.doc : struct?.fields.find(each => each.name === field)?.doc;
  if (text === undefined) throw new Error(`${path} has no text`);
  return text;
};
const grouped = (count: number): string => count.toLocaleString('en');

test.each([
  ['EndpointGroup', `at most ${grouped(PAIRS_MAX)} pairs of an address and a port`],
  ['EndpointGroupSpec.ports', `at most ${PORTS_MAX}`],
  ['EndpointGroupStatus.members', `at most ${grouped(STATUS_PORTS_MAX)} ports`],
  ['EndpointGroupPortStatus.results', `The last ${RESULTS_MAX} checks`],
  ['EndpointGroupPortStatus.results', `more than ${STATUS_RESULTS_MAX / RESULTS_MAX} ports`],
  ['EndpointRegistration', `at most ${grouped(REGISTRATIONS_PER_USER_MAX)} in a namespace`],
  ['EndpointRegistrationSpec.ports', `at most ${PORTS_MAX}`],
  ['EndpointRegistrationSpec.addresses', `1 to ${ADDRESSES_MAX}`],
  ['EndpointRegistrationSpec.ttlSeconds', `1 to ${TTL_SECONDS_MAX}`],
  ['CheckTLSConfig.caBundle', `at most ${CA_BYTES_MAX / 1_024} KiB decoded`],
  ['HTTPGetCheck.path', `at most ${PATH_BYTES_MAX} bytes`],
  ['WebSocketCheck.path', `at most ${PATH_BYTES_MAX} bytes`],
])('46-1 46-3 the text of %s says: %s', (path, limit) => {
  expect(textOf(path)).toContain(limit);
});
