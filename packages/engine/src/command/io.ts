// SPDX-License-Identifier: Apache-2.0
import type {Env} from '../backend/backend-url.ts';
import type {ProviderFactories} from '../deploy/providers/provider-registry.ts';
import type {System} from '../system.ts';
import type {OperationPlan} from './operation-plan.ts';

/** What an engine command may touch of the process it runs in. */
export type EngineIo = {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** For questions and `stack import`; without it the command is not interactive. */
  readonly stdin?: NodeJS.ReadableStream | undefined;
  readonly env: Env;
  readonly cwd: string;
  /** Packages built into the engine, by name. */
  readonly providers: ProviderFactories;
  /**
   * Called once before up, preview, refresh or destroy asks any provider, with project, stack, configuration and program found good.
   * Resolves to the environment of the program. May throw EngineError: then nothing is done. `plan` reads the state.
   */
  readonly beforeOperation?: ((plan: () => Promise<OperationPlan>) => Promise<Env>) | undefined;
  /** Default: the real clock, randomness and process. */
  readonly system?: System | undefined;
  /** Default: SIGINT and SIGTERM of this process. */
  readonly onInterrupt?: ((listener: () => void) => () => void) | undefined;
};

/** As those of every command of `palisade`; the Pulumi CLI knows more ways to fail by number (6: no such stack, 7: changes). */
export const EXIT = {ok: 0, failed: 1, usage: 2} as const;

export const isTerminal = (stream: NodeJS.WritableStream | NodeJS.ReadableStream | undefined): boolean =>
  stream !== undefined && 'isTTY' in stream && stream.isTTY === true;
