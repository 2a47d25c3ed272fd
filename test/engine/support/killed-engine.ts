// SPDX-License-Identifier: Apache-2.0
/** `up` in a process of its own, for a test to kill in the middle of a creation. */
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import type {EngineBench} from './engine-bench.ts';

/** Resolves when the creation has begun; it never ends. */
export async function startHangingEngine(bench: EngineBench): Promise<ChildProcess> {
  const engine = spawn(
    process.execPath,
    [fileURLToPath(new URL('./hanging-engine.ts', import.meta.url)), bench.folder],
    {env: bench.env as NodeJS.ProcessEnv, stdio: ['ignore', 'pipe', 'ignore']},
  );
  await once(engine.stdout, 'data');
  return engine;
}
