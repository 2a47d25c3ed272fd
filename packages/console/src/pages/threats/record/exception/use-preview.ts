// SPDX-License-Identifier: Apache-2.0
/** What an exception would have hidden, and the list that it would join. Changes nothing. */
import type {RecordOf} from '@palisade/client/browser';
import type {TriedExceptions} from '@palisade/ids-wire';
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {useApi} from '../../../../api/index.ts';
import {type ExceptionSubject, type Share, sharesOf} from './exception.ts';

export type PreviewAnswer = {
  readonly tried: TriedExceptions;
  readonly shares: readonly (Share & {readonly alerts: number})[];
  /** The newest alerts of the rule. */
  readonly sample: readonly RecordOf<'threats'>[];
};

const SAMPLE = 5;

/** The exceptions of the endpoint now; `queryKey` begins with `exceptions-of`. */
export function useExceptions({endpoint}: ExceptionSubject) {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['exceptions-of', endpoint],
    staleTime: 0,
    queryFn: async ({signal}) => (await ids.getEndpoint(endpoint, {signal})).threatExceptions ?? [],
  });
}

/** Of the last `last` alerts: how many are hidden, how many of each share, and the newest ones of the rule. */
export function usePreview(subject: ExceptionSubject, last: number) {
  const {ids} = useApi();
  const {endpoint, threatId, source, destination} = subject;
  return useQuery<PreviewAnswer>({
    queryKey: ['exception-preview', endpoint, threatId, source, destination, last],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({signal}) => {
      const tried = await ids.tryExceptions(endpoint, {threatExceptions: [threatId], last}, {signal});
      const since = tried.oldest;
      const shares = await Promise.all(
        sharesOf(subject).map(async share => {
          const sums = await ids.aggregateRecords(endpoint, 'threats', {filter: share.filter, since, signal});
          return {...share, alerts: sums.total.alerts ?? 0};
        }),
      );
      const filter = shares[0]?.filter;
      const order = {orderBy: 'event_time desc', pageSize: SAMPLE};
      const {records} = await ids.listRecords(endpoint, 'threats', {filter, since, ...order, signal});
      return {tried, shares, sample: records};
    },
  });
}
