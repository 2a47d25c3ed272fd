// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {type SensorFlags, sensorConfigOf} from './sensor-config.ts';

const NO_FLAGS: SensorFlags = {
  ...{driver: 'auto', 'rules-strict': false, 'accept-any-vni': false, 'rules-min-loaded': undefined},
  ...{'sensor-user': undefined, 'sensor-memory-max': undefined, 'sensor-cpu-max': undefined},
  ...{'capture-interface': [], 'mirror-from': [], rules: [], 'enable-sid': [], 'disable-sid': []},
  ...{'threshold-file': [], 'suricata-include': [], var: [], 'home-net': []},
};

test('43-2 every fault of values that no file decides about is said at once, with flag, value and way out', () => {
  const {faults} = sensorConfigOf(
    {
      ...NO_FLAGS,
      'disable-sid': ['nonsense', '1:2'],
      'enable-sid': ['re:*'],
      var: ['HTTP_PORTS=abc', 'HOME_NET=any'],
      'sensor-memory-max': '5',
      rules: ['ftp://host/x.rules', 'https://host/x.rules', './x.rules'],
    },
    '/',
  );
  expect(faults).toEqual([
    '--sensor-memory-max 5: must be 64MiB or more, or Suricata cannot start',
    expect.stringMatching(/^--var HTTP_PORTS: "abc" is not a value: it must be ports/),
    '--var HOME_NET: your networks are set with --home-net',
    '--rules ftp://host/x.rules: only http and https are fetched: give such a URL, or a path',
    '--disable-sid nonsense: must be SID, GID:SID, group:FILE or re:EXPRESSION',
    expect.stringMatching(/^--enable-sid re:\*: not a regular expression/),
  ]);
});
