// SPDX-License-Identifier: Apache-2.0
/** All subjects of the suite. */
import {recordsSubject} from '../records/subject/records-subject.ts';
import {serverSubject} from '../server/server-subject.ts';
import {storeSubject} from '../store/subject/store-subject.ts';
import type {Subject} from './subject.ts';

export const SUBJECTS: readonly Subject[] = [storeSubject(), serverSubject(), recordsSubject()];
