// SPDX-License-Identifier: Apache-2.0
/** `make gen`: everything generated, from its source, offline. A test compares the result with what is committed. */
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';

const root = resolve(import.meta.dirname, '..');
const parts: readonly (readonly [what: string, command: string, args: readonly string[]])[] = [
  ['the Kubernetes type tables and OpenAPI pieces from schemas/kubernetes', process.execPath, ['tools/gen-kube.ts']],
  ['the messages of google.cloud.ids.v1 from the public protos', resolve(root, 'node_modules/.bin/buf'), ['generate']],
  ['the types that package platform takes from kinds', process.execPath, ['tools/gen-platform-types.ts']],
  ['the Pulumi schemas and the SDKs', process.execPath, ['tools/gen-sdk.ts']],
  ['the reference of options and errors', process.execPath, ['tools/gen-reference.ts']],
];
for (const [what, command, args] of parts) {
  const script = args[0] ?? '';
  if (script.endsWith('.ts') && !existsSync(resolve(root, script))) throw new Error(`gen: ${script} is missing`);
  console.log(`gen: ${what}`);
  execFileSync(command, args, {cwd: root, stdio: ['ignore', 'inherit', 'inherit']});
}
