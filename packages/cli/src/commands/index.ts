// SPDX-License-Identifier: Apache-2.0
import {audit} from '../audit/audit.ts';
import {backupCommands} from '../backup/backup-commands.ts';
import {certsCommands} from '../certs/certs-commands.ts';
import type {Command} from '../command-line/command.ts';
import {keyCommands} from '../keys/key-commands.ts';
import {registrationCommands} from '../registration/registration-commands.ts';
import {ruleCommands} from '../rules/rule-commands.ts';
import {operationCommands} from '../stacks/catalog/operations.ts';
import {stackCommands} from '../stacks/catalog/stack.ts';
import {stateAndConfigCommands} from '../stacks/catalog/state-and-config.ts';
import {storeCommands} from '../store/store-commands.ts';
import {decisionCommands} from '../threats/decision-commands.ts';
import {threatCommands} from '../threats/threat-commands.ts';
import {tokenCommands} from '../tokens/token-commands.ts';
import {completeWords, completion} from './completion.ts';
import {confirmDeletion} from './confirm-deletion.ts';
import {describe} from './describe.ts';
import {exceptionCommands} from './exceptions.ts';
import {expand} from './expand.ts';
import {mirror} from './mirror.ts';
import {pack} from './pack.ts';
import {threats, traffic} from './records.ts';
import {replay} from './replay.ts';
import {serve} from './serve.ts';
import {testThreat} from './test-threat.ts';
import {version} from './version.ts';
import {whyNotDeleted} from './why-not-deleted.ts';

/** Every command, in the order of the overview. */
export const commands: readonly Command[] = [
  serve,
  ...backupCommands,
  ...storeCommands,
  ...certsCommands,
  ...tokenCommands,
  ...keyCommands,
  audit,
  ...operationCommands,
  ...stackCommands,
  ...stateAndConfigCommands,
  threats,
  ...threatCommands,
  ...decisionCommands,
  traffic,
  ...ruleCommands,
  replay,
  mirror,
  testThreat,
  ...exceptionCommands,
  describe,
  ...registrationCommands,
  expand,
  pack,
  whyNotDeleted,
  confirmDeletion,
  completion,
  version,
  completeWords(() => commands),
];
