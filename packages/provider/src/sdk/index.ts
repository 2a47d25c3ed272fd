// SPDX-License-Identifier: Apache-2.0
/** Everything that is generated from the package descriptions, by path from the repository's root. */
import {CLOUDNATIVE} from '../schema/cloudnative.ts';
import {PLATFORM} from '../schema/platform.ts';
import {formatPulumiSchema} from '../schema/to-pulumi-schema.ts';
import {pythonSdk} from './python-sdk.ts';
import {typescriptSdk} from './typescript-sdk.ts';

/** The folders that hold nothing but generated files (build output apart). */
export const GENERATED_FOLDERS: readonly string[] = [
  'sdk/typescript/platform',
  'sdk/typescript/cloudnative',
  'sdk/python/platform',
  'sdk/python/cloudnative',
];

/** Path from the repository's root → text. Equal on every run. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const description of [PLATFORM, CLOUDNATIVE]) {
    files.set(`schemas/pulumi/${description.name}.json`, formatPulumiSchema(description));
    for (const [path, text] of typescriptSdk(description))
      files.set(`sdk/typescript/${description.name}/${path}`, text);
    for (const [path, text] of pythonSdk(description)) files.set(`sdk/python/${description.name}/${path}`, text);
  }
  return files;
}
