// SPDX-License-Identifier: Apache-2.0
/** Verbs answer one object as it is stored; lists and watches convert theirs as they make them. */
import {inOwnForm} from '../registry/own-form.ts';
import type {Answer} from './answer.ts';

/** The answer with the object in the form of its kind. */
export const answerInOwnForm = (answer: Answer): Answer =>
  answer.type === 'object' && answer.kind.storedAs !== undefined
    ? {...answer, object: inOwnForm(answer.kind, answer.object)}
    : answer;
