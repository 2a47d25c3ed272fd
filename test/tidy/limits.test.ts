// SPDX-License-Identifier: Apache-2.0
/** Limits that the guides name with their figures, `name` (figure), have those in the code. */
import {readdirSync, readFileSync} from 'node:fs';
import {DEFAULT_LIMITS, RIGHTS} from '@palisade/apiserver';
import {expect, test} from 'vitest';
import {
  COMMENT_CHARS_MAX,
  FOLLOW_END_MS,
  FOLLOWERS_MAX,
  FOLLOWERS_PER_USER_MAX,
  HEALTH_WATCHES_MAX,
  PCAP_READS_AT_ONCE_MAX,
  RECORD_FREE_BYTES_MIN,
  RECORD_FREE_SHARE,
  THREAT_READS_AT_ONCE_MAX,
  THREAT_READS_PER_USER_MAX,
  THREAT_READS_WAITING_MAX,
  TRIAGE_BATCH_MAX,
  TRIAGE_EVENTS_MAX,
} from '../../packages/ids/src/limits.ts';
import {FLOW_FREE_BYTES_MIN, FLOW_FREE_SHARE} from '../../packages/sensor/src/limits.ts';
import {LISTENER_LIMITS} from '../../packages/server/src/port/listeners.ts';

const KIB = 1024;
const MIB = KIB * KIB;

const figureOf = (name: string, value: number): string => {
  if (name.includes('Ms')) return `${value / 1000} s`;
  if (name.includes('Bytes')) return value % MIB === 0 ? `${value / MIB} MiB` : `${value / KIB} KiB`;
  return value.toLocaleString('en-US');
};

const figures = new Map(
  Object.entries({...DEFAULT_LIMITS, ...LISTENER_LIMITS}).map(([name, value]) => [name, figureOf(name, value)]),
);

test('the figures of limits in the guides are those of the code', () => {
  const said = readdirSync('docs/guides').flatMap(page =>
    [
      ...readFileSync(`docs/guides/${page}`, 'utf8').matchAll(/`(\w+(?:Max|Ms))`(?: \w+)? \((\d[\d,]*(?: \w+)?)\)/g),
    ].map(([, name = '', figure]) => ({page, name, figure})),
  );
  expect(said.length).toBeGreaterThan(12);
  expect(said).toEqual(said.map(({page, name}) => ({page, name, figure: figures.get(name)})));
});

test('F-17 the reference of the IDS API has the figures of the code', () => {
  const page = readFileSync('docs/reference/ids-api.md', 'utf8');
  for (const said of [
    `At most ${FOLLOWERS_PER_USER_MAX} streams of one user and ${FOLLOWERS_MAX} of all users`,
    `does not take this line within ${FOLLOW_END_MS / 1000} s`,
    `At most ${HEALTH_WATCHES_MAX} watches of`,
    `at most ${COMMENT_CHARS_MAX.toLocaleString('en-US')} characters, a threat at most ${TRIAGE_EVENTS_MAX} decisions`,
    `At once ${THREAT_READS_AT_ONCE_MAX} threats and ${PCAP_READS_AT_ONCE_MAX} capture files are read; of each up to ${THREAT_READS_WAITING_MAX} other requests wait. One user may have ${THREAT_READS_PER_USER_MAX} of each`,
    `At most ${TRIAGE_BATCH_MAX.toLocaleString('en-US')} records are changed at once`,
  ])
    expect(page).toContain(said);
  const [, seconds = ''] = /checked again at least every (\d+) s/.exec(page) ?? [];
  expect(RIGHTS.roundMs).toBeLessThan(Number(seconds) * 1000);
});

test('44-3 on a disk that is short, capture files go before any record', () => {
  expect(FLOW_FREE_BYTES_MIN).toBeGreaterThan(RECORD_FREE_BYTES_MIN);
  expect(FLOW_FREE_SHARE).toBeLessThan(RECORD_FREE_SHARE);
  const page = readFileSync('docs/reference/ids-api.md', 'utf8');
  expect(page).toContain(
    `less than ${RECORD_FREE_BYTES_MIN / MIB} MiB free (on a small disk: less than a ${RECORD_FREE_SHARE}th`,
  );
  expect(page).toContain(`go before, below ${FLOW_FREE_BYTES_MIN / MIB} MiB (a ${FLOW_FREE_SHARE}th)`);
});
