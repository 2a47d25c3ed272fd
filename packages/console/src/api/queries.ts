// SPDX-License-Identifier: Apache-2.0
/** Answers that are read once and cached (react-query); requests that may succeed later are repeated. */
import {QueryClient} from '@tanstack/react-query';
import {isPassing} from './words.ts';

const TRIES = 3;
const FRESH_MS = 5_000;

export const createQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < TRIES && isPassing(error),
        staleTime: FRESH_MS,
        // An error of a poll leaves what was shown before.
        refetchOnWindowFocus: true,
      },
      mutations: {retry: false},
    },
  });
