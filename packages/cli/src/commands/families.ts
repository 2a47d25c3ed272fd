// SPDX-License-Identifier: Apache-2.0
/**
 * The commands that begin with a word, loaded without all others: these and what they need are most of what a start costs. A word that is
 * missing here costs time, nothing else.
 */
import type {Command} from '../command-line/command.ts';

type Load = () => Promise<readonly Command[]>;

const certs: Load = async () => (await import('../certs/certs-commands.ts')).certsCommands;
const backup: Load = async () => (await import('../backup/backup-commands.ts')).backupCommands;
const operations: Load = async () => (await import('../stacks/catalog/operations.ts')).operationCommands;
const stateAndConfig: Load = async () => (await import('../stacks/catalog/state-and-config.ts')).stateAndConfigCommands;
const registration: Load = async () => (await import('../registration/registration-commands.ts')).registrationCommands;
const records = () => import('./records.ts');

const LOADS: Readonly<Record<string, Load>> = {
  serve: async () => [(await import('./serve.ts')).serve],
  backup,
  restore: backup,
  verify: backup,
  store: async () => (await import('../store/store-commands.ts')).storeCommands,
  certs,
  kubeconfig: certs,
  token: async () => (await import('../tokens/token-commands.ts')).tokenCommands,
  key: async () => (await import('../keys/key-commands.ts')).keyCommands,
  audit: async () => [(await import('../audit/audit.ts')).audit],
  up: operations,
  preview: operations,
  refresh: operations,
  destroy: operations,
  import: operations,
  cancel: operations,
  stack: async () => (await import('../stacks/catalog/stack.ts')).stackCommands,
  state: stateAndConfig,
  config: stateAndConfig,
  threats: async () => {
    const [{threats}, {threatCommands}, {decisionCommands}] = await Promise.all([
      records(),
      import('../threats/threat-commands.ts'),
      import('../threats/decision-commands.ts'),
    ]);
    return [threats, ...threatCommands, ...decisionCommands];
  },
  traffic: async () => [(await records()).traffic],
  rules: async () => (await import('../rules/rule-commands.ts')).ruleCommands,
  replay: async () => [(await import('./replay.ts')).replay],
  mirror: async () => [(await import('./mirror.ts')).mirror],
  'test-threat': async () => [(await import('./test-threat.ts')).testThreat],
  exceptions: async () => (await import('./exceptions.ts')).exceptionCommands,
  describe: async () => [(await import('./describe.ts')).describe],
  register: registration,
  deregister: registration,
  expand: async () => [(await import('./expand.ts')).expand],
  pack: async () => [(await import('./pack.ts')).pack],
  'why-not-deleted': async () => [(await import('./why-not-deleted.ts')).whyNotDeleted],
  'confirm-deletion': async () => [(await import('./confirm-deletion.ts')).confirmDeletion],
  completion: async () => [(await import('./completion.ts')).completion],
  version: async () => [(await import('./version.ts')).version],
};

const isOf = (word: string, {name, aliases = []}: Command): boolean =>
  [name, ...aliases].some(each => each.split(' ', 1)[0] === word);

/** All commands that begin with `word`, in the order of the overview; undefined: `word` has no family here. */
export const familyOf = async (word: string): Promise<readonly Command[] | undefined> => {
  const load = Object.hasOwn(LOADS, word) ? LOADS[word] : undefined;
  return load && (await load()).filter(command => isOf(word, command));
};

/** The words that have a family. */
export const familyWords = (): readonly string[] => Object.keys(LOADS);
