// SPDX-License-Identifier: Apache-2.0
import type {Env} from '../backend/backend-url.ts';
import type {Project} from '../workspace/project.ts';

/** The folder a program runs in, and its entry point seen from there ('.': the folder itself). */
export type ProgramPlace = {readonly folder: string; readonly main: string};

/** What a language's runner needs to know. */
export type ProgramRun = ProgramPlace & {
  readonly project: Project;
  readonly stack: string;
  readonly dryRun: boolean;
  readonly parallel: number;
  /** `host:port` of the server. */
  readonly monitor: string;
  /** Values by full key, secrets in the clear, and the keys of those. */
  readonly config: Readonly<Record<string, string>>;
  readonly secretKeys: readonly string[];
  readonly env: Env;
  readonly organization: string;
};

export type Command = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};
