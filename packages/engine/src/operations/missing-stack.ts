// SPDX-License-Identifier: Apache-2.0
import type {FileBackend} from '../backend/file-backend.ts';
import type {StackReference} from '../backend/stack-reference.ts';
import {EngineError} from '../engine-error.ts';
import {nearest} from '../nearest.ts';

const NAMED_MAX = 10;

/** `isNew`: the command makes sense for a stack that is yet to be made. */
type Asked = {readonly ref: StackReference; readonly text: string; readonly isNew: boolean};

/** A name that no stack has: with the stacks that the project has. */
export async function missingStack(backend: FileBackend, {ref, text, isNew}: Asked): Promise<EngineError> {
  const names = (await backend.list()).filter(({project}) => project === ref.project).map(({name}) => name);
  const near = nearest(ref.name, names);
  const ways = [
    ...(near === undefined ? [] : [`did you mean '${near}'?`]),
    names.length === 0
      ? `project ${ref.project} has no stack in ${backend.url}`
      : `there are: ${names.slice(0, NAMED_MAX).join(', ')}${names.length > NAMED_MAX ? ', …' : ''} (\`palisade stack ls\`)`,
    ...(isNew ? [`\`palisade stack init ${ref.name}\` creates it`] : []),
  ];
  return new EngineError(`no stack named '${text}' found; ${ways.join('; ')}`);
}
