// SPDX-License-Identifier: Apache-2.0
import {fileURLToPath} from 'node:url';

const here = (name: string): string => fileURLToPath(new URL(`../../rules/${name}`, import.meta.url));

/** Rule files that come with the product, in load order. Absolute paths. */
export const BUNDLED_RULES: readonly string[] = ['scanning', 'web-attacks', 'malware', 'cleartext', 'policy'].map(
  name => here(`${name}.rules`),
);
