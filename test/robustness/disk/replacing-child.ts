// SPDX-License-Identifier: Apache-2.0
/**
 * Replaces a file as the server does, in a data folder that it makes, and writes the state of a stack; says each text when it is on disk.
 * Run: node replacing-child.ts FOLDER
 */
import {join} from 'node:path';
import {writeDurably} from '../../../packages/engine/src/backend/files.ts';
import {openDataFolder} from '../../../packages/server/src/process/data-folder.ts';
import {replaceFile} from '../../../packages/server/src/process/replace-file.ts';
import {makePrivateFolder} from '../../../packages/server/src/process/sync-folder.ts';
import {say} from '../suite/say.ts';

const {dir} = await openDataFolder(process.argv[2] ?? '');
const folder = join(dir, 'pki');
await makePrivateFolder(folder);
for (const text of ['first', 'second']) {
  await replaceFile(join(folder, 'list'), text, 0o600);
  say(text);
}
await writeDurably(join(dir, 'stacks/shop/dev.json'), 'state');
say('state');
