// SPDX-License-Identifier: Apache-2.0
/** Whether this tab loaded the console again by itself, as a page had no code; forgotten when a page loads. */

const KEY = 'palisade.reloaded';

export function wasReloaded(): boolean {
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    return true; // storage is switched off: never by itself, as it would not end
  }
}

export function markReloaded(value: boolean): void {
  try {
    if (value) sessionStorage.setItem(KEY, '1');
    else sessionStorage.removeItem(KEY);
  } catch {
    // wasReloaded() counts on it
  }
}
