// SPDX-License-Identifier: Apache-2.0
import type {HttpRequest} from './contract.ts';

/** `?a=1&a=2`, or '' when there is nothing to ask. */
export function queryText(query: HttpRequest['query']): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const one of typeof value === 'string' ? [value] : value) {
      parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(one)}`);
    }
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
