// SPDX-License-Identifier: Apache-2.0
import {useRecordSums} from '../../records/use-record-sums.ts';
import type {Grouping} from './model/list-search.ts';
import type {ThreatQuery} from './use-threat-feed.ts';

export type {Sums} from '../../records/use-record-sums.ts';

/** `isStill`: they are not asked for again by themselves. */
export const useSums = (query: ThreatQuery, group: Grouping, isStill: boolean) =>
  useRecordSums('threats', query, group, isStill);
