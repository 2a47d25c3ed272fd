// SPDX-License-Identifier: Apache-2.0
import {EngineError} from '../engine-error.ts';
import type {Project} from './project.ts';

/** Languages of programs that the embedded engine runs and writes. */
export type Language = 'nodejs' | 'python';

/** The language of the program. Throws EngineError for one that only the Pulumi CLI runs. */
export function languageOf({file, runtime: {name}}: Project): Language {
  if (name === 'nodejs' || name === 'python') return name;
  throw new EngineError(
    `${file}: runtime: "${name}" is not supported by the embedded engine (nodejs and python are); use the Pulumi CLI for it`,
  );
}
