// SPDX-License-Identifier: Apache-2.0
/**
 * `palisade confirm-deletion`: removes a deleted object in spite of its finalizers, because an administrator says so, with a reason
 * that the server logs. Ref: requirements E-233, E-238.
 */
import {REASON_HEADER} from '@palisade/apiserver/reason-header';
import {isNamespace, isNotFound, type KubeClient, resourceName} from '@palisade/client';
import type {Command} from '../command-line/command.ts';
import {CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {type OptionTable, parseOptions} from '../command-line/options.ts';
import {terminalWord} from '../command-line/terminal-text.ts';
import {connectionOptions} from '../connection/connection.ts';
import {
  checkNamespace,
  namespaceOption,
  oneTarget,
  parseTarget,
  readTarget,
  type Target,
  targetText,
  withTarget,
} from '../connection/kube-target.ts';

const options = {
  reason: {type: 'string', value: 'TEXT', doc: 'record this reason in the server log; required'},
  uid: {type: 'string', value: 'UID', doc: 'remove only the object with this UID; required'},
  ...namespaceOption,
  ...connectionOptions,
} as const satisfies OptionTable;

const remove = async (client: KubeClient, target: Target, uid: string): Promise<void> => {
  if (isNamespace(target.kind))
    throw new UsageError(
      `a namespace cannot be removed this way, because its content would be lost; see what blocks it: palisade why-not-deleted ${terminalWord(targetText(target))}${target.connection}`,
    );
  const {metadata} = await readTarget(client, target);
  const name = targetText(target);
  if (metadata?.uid !== uid)
    throw new CommandError(`${name} has the uid ${metadata?.uid ?? ''}, not ${uid}; nothing was changed`);
  if (metadata.deletionTimestamp == null) throw new CommandError(`${name} was not deleted; delete it first`);
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
  group: 'objects',
  words: ['object'],
  summary: 'remove a deleted object at once, ignoring its finalizers',
  notes: [
    'For an administrator who knows that the thing behind the object is gone. Namespaces are refused, as their content would be lost:',
    'see palisade why-not-deleted namespaces/NAME.',
  ],
  usage: 'RESOURCE/NAME --uid UID --reason TEXT [--namespace NS] [--json]',
  options,
  examples: ['palisade confirm-deletion endpoints/web --uid 0d0f… --reason "node-7 was scrapped"'],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, oneTarget);
    const word = parseTarget(positionals[0]);
    checkNamespace(flags.namespace);
    const {uid = '', reason = ''} = flags;
    const faults = [
      reason.trim() === '' ? '--reason TEXT is required; the server log records it' : '',
      uid === '' ? '--uid UID is required; find it with palisade why-not-deleted, or kubectl get -o yaml' : '',
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
        io.stdout.write(flags.json ? `${JSON.stringify(removed)}\n` : `${targetText(target)} removed\n`);
        return EXIT.ok;
      },
      {[REASON_HEADER]: encodeURIComponent(reason)},
    );
  },
};
