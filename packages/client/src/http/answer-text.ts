// SPDX-License-Identifier: Apache-2.0
import type {HttpResponse} from './contract.ts';

const EXCERPT_CHARACTERS = 200;

/** An answer that is no error of the API: its status and the begin of what it says, or, where it says nothing, what was asked. */
export const answerText = ({status, body}: HttpResponse, asked: string): string => {
  const excerpt = body.trim().slice(0, EXCERPT_CHARACTERS);
  return `the server answered ${status}${excerpt === '' ? ` to ${asked}` : `: ${excerpt}`}`;
};
