// SPDX-License-Identifier: Apache-2.0
import type {Term} from './filter-edit.ts';

/** One value of a row that can be filtered by. */
export type RowField = {readonly title: string; readonly shown: string; readonly term: Term};

/** The id of `projects/P/locations/L/endpoints/ID`. */
export const shortEndpoint = (name: string): string => name.split('/')[5] ?? name;
