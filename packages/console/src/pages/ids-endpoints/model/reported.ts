// SPDX-License-Identifier: Apache-2.0
/** The lowest severity whose alerts an IDS endpoint reports, in words. */
import {SEVERITIES, severityWord} from '../../../ui/base/badge.tsx';

/** What follows the severity. */
export const andAbove = (severity: string): string => (severity === 'CRITICAL' ? 'only' : 'and above');

/** Choices of a Select. */
export const REPORTED_FROM = SEVERITIES.map(value => ({value, label: `${severityWord(value)} ${andAbove(value)}`}));
