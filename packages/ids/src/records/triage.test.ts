// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {COMMENT_CHARS_MAX, TRIAGE_EVENTS_MAX} from '../limits.ts';
import type {TriageChange} from './record-store.ts';
import {type TriageEvents, triageOf, withChange} from './triage.ts';

const AT = Date.parse('2026-01-01T00:00:00Z');
const by = (user: string, action: TriageChange['action'], text?: string, requestor?: string): TriageChange =>
  ({
    user,
    action,
    timeMs: AT,
    ...(text === undefined ? {} : {text}),
    ...(requestor === undefined ? {} : {requestor}),
  }) as TriageChange;

const after = (...changes: readonly TriageChange[]): TriageEvents =>
  changes.reduce<TriageEvents>((events, change) => withChange(events, change) ?? events, []);

describe('44-4 decisions about a threat', () => {
  test('44-4 name who acted, for whom, and when; what was taken back is in no field', () => {
    expect(triageOf([])).toEqual({});
    const events = after(by('ann', 'acknowledge'), by('bob', 'escalate', undefined, 'proxy'));
    expect(triageOf(events)).toEqual({
      acknowledged: true,
      acknowledged_by: 'ann',
      acknowledge_time: '2026-01-01T00:00:00Z',
      escalated: true,
      escalated_by: 'bob',
      escalate_requestor: 'proxy',
      escalate_time: '2026-01-01T00:00:00Z',
    });
    expect(triageOf([...events, by('cat', 'unacknowledge'), by('cat', 'deescalate')])).toEqual({});
  });

  test('44-4 the same decision again makes nothing different, and the first one keeps its user', () => {
    const events = after(by('ann', 'acknowledge'));
    expect(withChange(events, by('bob', 'acknowledge'))).toBeUndefined();
    expect(withChange([], by('bob', 'unacknowledge'))).toBeUndefined();
    expect(withChange([], by('bob', 'deescalate'))).toBeUndefined();
    expect(withChange(after(by('ann', 'escalate')), by('bob', 'escalate'))).toBeUndefined();
  });

  test('44-4 a comment with a decision is a comment, also where the decision was there already', () => {
    const events = after(by('ann', 'acknowledge', 'a scan'), by('bob', 'acknowledge', 'again', 'proxy'));
    expect(triageOf(events)).toMatchObject({
      acknowledged_by: 'ann',
      comments: [
        {time: '2026-01-01T00:00:00Z', user: 'ann', text: 'a scan'},
        {time: '2026-01-01T00:00:00Z', user: 'bob', requestor: 'proxy', text: 'again'},
      ],
    });
  });

  test('44-4 a threat has TRIAGE_EVENTS_MAX decisions at most; one that changes nothing is no fault', () => {
    const full = Array.from({length: TRIAGE_EVENTS_MAX}, (_, i) => by('ann', 'comment', String(i)));
    expect(withChange(full.slice(1), by('ann', 'comment', 'x'))).toHaveLength(TRIAGE_EVENTS_MAX);
    expect(() => withChange(full, by('ann', 'comment', 'x'))).toThrow(
      'the threat has 200 decisions and comments, and cannot have more than 200',
    );
    expect(withChange(full, by('ann', 'unacknowledge'))).toBeUndefined();
    expect(withChange(full, by('ann', 'comment', 'x'), {isOne: false})).toBeUndefined();
  });

  test('44-4 the decisions about a threat take TRIAGE_BYTES_MAX at most', () => {
    const long = '€'.repeat(COMMENT_CHARS_MAX);
    const events = after(...Array.from({length: 5}, () => by('ann', 'comment', long)));
    expect(() => withChange(events, by('ann', 'acknowledge', long))).toThrow(
      /^the decisions and comments of the threat would take \d+ bytes, and cannot take more than 65536; leave a shorter comment, or none$/,
    );
    expect(withChange(events, by('ann', 'acknowledge', long), {isOne: false})).toBeUndefined();
    expect(withChange(events, by('ann', 'acknowledge'))).toHaveLength(6);
  });
});
