// SPDX-License-Identifier: Apache-2.0
/** Wires the embedded engine: our providers in process, and a local server where none is named. */
import {runEngineCommand} from '@palisade/engine';
import {createCloudnativeProvider, createPlatformProvider, nodeProviderHost} from '@palisade/provider';
import type {CliIo} from '../cli/io.ts';

export const runEngine = (words: readonly string[], io: CliIo): Promise<number> => {
  const host = nodeProviderHost(io.env);
  return runEngineCommand(words, {
    stdin: io.stdin,
    stdout: io.stdout,
    stderr: io.stderr,
    env: io.env,
    cwd: io.cwd,
    providers: {
      platform: () => createPlatformProvider(host),
      cloudnative: () => createCloudnativeProvider(host),
    },
  });
};
