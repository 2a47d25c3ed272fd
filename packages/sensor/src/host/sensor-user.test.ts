// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {findSensorUser} from './sensor-user.ts';

const NO_USER = 'no such user: create it, name another one, or give UID:GID';

test('43-7 the user of the sensors is found by name, by number and without an entry', async () => {
  expect(await findSensorUser('nobody', 0)).toEqual({uid: 65_534, gid: 65_534});
  expect(await findSensorUser('65534', 0)).toEqual({uid: 65_534, gid: 65_534});
  expect(await findSensorUser('4000001:4000002', 0)).toEqual({uid: 4_000_001, gid: 4_000_002});
});

test('43-7 a user that does not exist, root, and another user than that of an ordinary server are refused', async () => {
  expect(await findSensorUser('no-such-user-here', 0)).toBe(NO_USER);
  expect(await findSensorUser('--help', 0)).toBe(NO_USER);
  for (const root of ['root', '0', '0:65534', '65534:0'])
    expect(await findSensorUser(root, 0)).toBe(
      'Suricata must not run with the rights of root: name an unprivileged user',
    );
  expect(await findSensorUser('nobody', 1000)).toContain('start palisade as root, or leave this flag out');
  expect(await findSensorUser('1000:1000', 1000)).toEqual({uid: 1000, gid: 1000});
});
