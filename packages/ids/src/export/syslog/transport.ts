// SPDX-License-Identifier: Apache-2.0

/** How messages get to a receiver; `send` and `close` are those of Exporter. */
export type Transport = {
  send(messages: readonly Buffer[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};
