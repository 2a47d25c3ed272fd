// SPDX-License-Identifier: Apache-2.0
/** Short messages about what was just done; failures and warnings stay until they are closed. */

export type Toast = {readonly id: number; readonly tone: 'ok' | 'warn' | 'bad' | 'plain'; readonly text: string};

const SHOWN_MS = 6_000;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

const set = (next: readonly Toast[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};

export const closeToast = (id: number): void => set(toasts.filter(toast => toast.id !== id));

export const toast = (tone: Toast['tone'], text: string): void => {
  const id = ++lastId;
  set([...toasts, {id, tone, text}]);
  if (tone === 'ok' || tone === 'plain') setTimeout(() => closeToast(id), SHOWN_MS);
};

/** What was done, and the warnings of the server about it, a line each: one message to close. */
export const toastDone = (text: string, warnings: readonly string[]): void => {
  toast('ok', text);
  if (warnings.length > 0) toast('warn', warnings.map(warning => `Warning: ${warning}`).join('\n'));
};

export const toastStore = {
  get: (): readonly Toast[] => toasts,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
