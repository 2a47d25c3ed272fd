// SPDX-License-Identifier: Apache-2.0
import type {Command} from '../cli/command.ts';
import {confirmDeletion} from './confirm-deletion.ts';
import {describe} from './describe.ts';
import {engineCommands} from './engine.ts';
import {expand} from './expand.ts';
import {pack} from './pack.ts';
import {threats, traffic} from './records.ts';
import {repairStore} from './repair-store.ts';
import {replay} from './replay.ts';
import {serve} from './serve.ts';
import {version} from './version.ts';
import {whyNotDeleted} from './why-not-deleted.ts';

/** Every sub-command, in the order of the overview. */
export const commands: readonly Command[] = [
  serve,
  ...engineCommands,
  threats,
  traffic,
  describe,
  replay,
  expand,
  pack,
  whyNotDeleted,
  confirmDeletion,
  repairStore,
  version,
];
