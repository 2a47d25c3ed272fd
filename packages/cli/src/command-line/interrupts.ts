// SPDX-License-Identifier: Apache-2.0
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Listens to Ctrl-C and SIGTERM of this process. */
export function interruptsOfProcess(listener: () => void): () => void {
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}
