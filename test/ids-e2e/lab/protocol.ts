// SPDX-License-Identifier: Apache-2.0
/** A JSON object a line each way: a question `{id, http | send | palisade | forward}`, its answer `{id, result}` or `{id, error}`. Answer 0: it is up. */

export type HttpCall = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: string | undefined;
};
export type PlainAnswer = {
  readonly status: number;
  readonly headers: readonly [string, string][];
  readonly text: string;
};
export type Sending = {
  readonly ip: string;
  readonly vni: number;
  /** base64, without the VXLAN header. */
  readonly frames: readonly string[];
  readonly perSecond: number;
};
/** A port of the server as a socket in the file system, which programs outside of the namespace reach. */
export type Forwarding = {readonly socket: string; readonly port: 'http' | 'https'};
export type LabQuestion = {
  readonly id: number;
  readonly http?: HttpCall;
  readonly send?: Sending;
  readonly palisade?: readonly string[];
  readonly forward?: Forwarding;
};
export type CommandResult = {readonly code: number | null; readonly stdout: string; readonly stderr: string};
export type LabReply = {readonly id: number; readonly result?: unknown; readonly error?: string};
