// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {type BackupFlags, backupConfigOf} from './backup-config.ts';

const of = (flags: BackupFlags) => backupConfigOf(flags, {cwd: '/w', dataDir: '/w/data'});

test('48-3 backups are scheduled by a folder; the rest has defaults', () => {
  expect(of({})).toEqual({backup: undefined, faults: []});
  const byDefault = {dir: '/w/copies', everyMs: 3_600_000, keep: 24, records: false};
  expect(of({'backup-dir': 'copies'})).toEqual({backup: byDefault, faults: []});
  const flags = {'backup-dir': '/b', 'backup-every': '1d', 'backup-keep': '7', 'backup-records': true};
  expect(of(flags).backup).toEqual({dir: '/b', everyMs: 86_400_000, keep: 7, records: true});
});

test.each<[BackupFlags, string[]]>([
  [
    {'backup-every': '1h', 'backup-keep': '2', 'backup-records': true},
    [
      '--backup-every 1h: has no effect without --backup-dir; set that, or remove this',
      '--backup-keep 2: has no effect without --backup-dir; set that, or remove this',
      '--backup-records: has no effect without --backup-dir; set that, or remove this',
    ],
  ],
  [
    {'backup-dir': 'data/copies', 'backup-every': '1x', 'backup-keep': '0'},
    [
      '--backup-dir data/copies: is in the data folder /w/data, and would be lost with it; use a folder on another disk',
      '--backup-every 1x: must be a time such as 30m, 1h or 1d',
      '--backup-keep 0: must be a whole number from 1 to 100000',
    ],
  ],
  [{'backup-dir': '.', 'backup-every': '30s'}, ['--backup-every 30s: must be from 1m to 366d']],
  [
    {'backup-dir': 'data..copies', 'backup-keep': '1.5'},
    ['--backup-keep 1.5: must be a whole number from 1 to 100000'],
  ],
])('48-3 faults of %j, all at once', (flags, faults) => {
  expect(of(flags).faults).toEqual(faults);
});
