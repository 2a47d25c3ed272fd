// SPDX-License-Identifier: Apache-2.0
/**
 * `palisade confirm-deletion`: removes a deleted object whatever still holds it, on the word of an administrator, with a reason
 * that the server logs. Ref: requirements E-233, E-238.
 */
import {REASON_HEADER} from '@palisade/apiserver/reason-header';
import {isNotFound, type KubeClient} from '@palisade/client';
import type {Command} from '../cli/command.ts';
import {CommandError, EXIT, UsageError} from '../cli/io.ts';
import {type OptionTable, parseOptions} from '../cli/options.ts';
import {terminalWord} from '../cli/terminal-text.ts';
import {connectionOptions} from './connection.ts';
import {
  checkNamespace,
  isNamespace,
  namespaceOption,
  oneTarget,
  parseTarget,
  readTarget,
  type Target,
  targetText,
  withTarget,
} from './kube-target.ts';
import {resourceName} from './served-kinds.ts';

const options = {
  reason: {type: 'string', value: 'TEXT', doc: 'Why; the server writes it to its log. Required.'},
  uid: {type: 'string', value: 'UID', doc: 'The uid of the object that is meant, so that no other one goes. Required.'},
  ...namespaceOption,
  ...connectionOptions,
} as const satisfies OptionTable;

const remove = async (client: KubeClient, target: Target, uid: string): Promise<void> => {
  if (isNamespace(target.kind))
    throw new UsageError(
      `a namespace cannot be confirmed away: its content would be lost from sight; see who holds it: palisade why-not-deleted ${terminalWord(targetText(target))}${target.connection}`,
    );
  const {metadata} = await readTarget(client, target);
  const name = targetText(target);
  if (metadata?.uid !== uid)
    throw new CommandError(`${name} has the uid ${metadata?.uid ?? ''}, not ${uid}: nothing was done`);
  if (metadata.deletionTimestamp == null) throw new CommandError(`${name} was not deleted: delete it first`);
  const objects = client.resource(target.kind);
  const patch = {metadata: {finalizers: null, uid}};
  await objects.patch(target.namespace, target.name, 'merge', patch, {fieldManager: 'palisade-confirm-deletion'});
  try {
    await objects.delete(target.namespace, target.name, {uid, gracePeriodSeconds: 0});
  } catch (error) {
    if (!isNotFound(error)) throw error; // it went with its last finalizer
  }
};

export const confirmDeletion: Command = {
  name: 'confirm-deletion',
  summary:
    'remove a deleted object now, whatever still holds it (an administrator confirms that it is gone); not for namespaces',
  notes: [
    'A namespace cannot be confirmed away: its content would be lost from sight. See who holds it: palisade why-not-deleted namespaces/NAME.',
  ],
  usage: 'palisade confirm-deletion RESOURCE/NAME --uid UID --reason TEXT [--namespace NS] [--json]',
  options,
  examples: ['palisade confirm-deletion endpoints/web --uid 0d0f… --reason "node-7 was scrapped"'],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, oneTarget);
    const word = parseTarget(positionals[0]);
    checkNamespace(flags.namespace);
    const {uid = '', reason = ''} = flags;
    const faults = [
      reason.trim() === '' ? '--reason TEXT is required: it is kept in the server log' : '',
      uid === '' ? '--uid UID is required: see palisade why-not-deleted, or kubectl get -o yaml' : '',
    ].filter(f => f !== '');
    if (faults.length > 0) throw new UsageError(faults.join('\n'));
    return withTarget(
      word,
      flags,
      io,
      async (client, target) => {
        await remove(client, target, uid);
        const {namespace, name} = target;
        const removed = {resource: resourceName(target.kind), namespace, name, removed: true};
        io.stdout.write(flags.json ? `${JSON.stringify(removed)}\n` : `${targetText(target)} is removed\n`);
        return EXIT.ok;
      },
      {[REASON_HEADER]: encodeURIComponent(reason)},
    );
  },
};
