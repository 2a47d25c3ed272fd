// SPDX-License-Identifier: Apache-2.0
/** The records that decision-writer.ts decides about: of several files. */
import {parseIdsEndpointName} from '@palisade/ids-wire';
import type {RecordSelection} from '../../../packages/ids/src/records/record-store.ts';
import {threatAt} from '../../../packages/ids/src/testing/triage-contract.ts';

const DAY_MS = 86_400_000;
export const ENDPOINT = 'projects/p/locations/local/endpoints/a';
export const CLOCK = {now: (): number => Date.parse('2026-01-03T00:00:00Z')};
const ignore = (): void => undefined;
export const SILENT = {debug: ignore, info: ignore, warn: ignore, error: ignore};

/** Many, so that none gets more comments than a threat may have. */
const COUNT = 240;
const SEVERITIES = ['LOW', 'HIGH', 'CRITICAL'] as const;
export const THREATS = Array.from({length: COUNT}, (_, i) =>
  threatAt(ENDPOINT, SEVERITIES[i % SEVERITIES.length] ?? 'LOW', (i % 2) * DAY_MS + i * 1000),
);

const name = parseIdsEndpointName(ENDPOINT);
if (name === undefined) throw new Error('no endpoint');
/** A few of them. */
export const LOW: RecordSelection = {kind: 'threats', name, filter: 'alert_severity=LOW'};
