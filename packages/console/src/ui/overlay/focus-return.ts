// SPDX-License-Identifier: Apache-2.0
/** Where the focus goes when a dialog closes that has no trigger: it was opened by a key, by a menu or by the address. */

/** What has the focus now; of an item of a menu, which is gone when the dialog closes, the trigger of the menu. */
export function focusBefore(document: Document): HTMLElement | null {
  const active = document.activeElement as HTMLElement | null;
  const trigger = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return trigger === undefined || trigger === null ? active : document.getElementById(trigger);
}

/** `before`: of `focusBefore`. If it has left the page, as the cell of a row may, the table takes the focus. */
export const focusAfter = (document: Document, before: HTMLElement | null): HTMLElement | null =>
  before?.isConnected === true ? before : document.querySelector<HTMLElement>('[role="grid"]');
