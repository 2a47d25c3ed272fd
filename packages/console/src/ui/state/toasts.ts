// SPDX-License-Identifier: Apache-2.0
/** Short messages about what was just done; those of failures stay until they are closed. */

export type Toast = {readonly id: number; readonly tone: 'ok' | 'bad' | 'plain'; readonly text: string};

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
  if (tone !== 'bad') setTimeout(() => closeToast(id), SHOWN_MS);
};

export const toastStore = {
  get: (): readonly Toast[] => toasts,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
