// SPDX-License-Identifier: Apache-2.0
/** `palisade why-not-deleted`: what blocks the deletion of an object. Ref: requirements E-126, E-193, E-233. */

import {conditionText, type Deletion, objectLines, resourceName} from '@palisade/client';
import type {Command} from '../command-line/command.ts';
import {EXIT} from '../command-line/io.ts';
import {type OptionTable, parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {connectionOptions} from '../connection/connection.ts';
import {
  checkNamespace,
  namespaceOption,
  oneTarget,
  parseTarget,
  type Target,
  targetText,
  withTarget,
} from '../connection/kube-target.ts';
import {readDeletion} from '../deletion/read-deletion.ts';

const options = {
  ...namespaceOption,
  ...connectionOptions,
} as const satisfies OptionTable;

const text = (target: Target, {object, deleted, holders, owners}: Deletion): string => {
  const name = targetText(target);
  if (!deleted)
    return [
      `${name} was not deleted: no deletion was requested\n`,
      ...owners.map(owner => `  owner ${owner.kind}/${owner.name} ${owner.what}\n`),
    ].join('');
  const {phase, conditions = []} = object.status ?? {};
  return [
    phase === undefined ? '' : `phase: ${phase}\n`,
    ...conditions.filter(({status}) => status === 'True').map(condition => `condition: ${conditionText(condition)}\n`),
    holders.length === 0 ? `nothing blocks ${name}: it is being removed\n` : '',
    ...holders.map(h => `${h.holder}\n  why:  ${h.what}\n${objectLines(h, '        ')}  next: ${h.next}\n`),
  ].join('');
};

const json = (target: Target, {object, deleted, holders, owners}: Deletion): string => {
  const {phase, conditions} = object.status ?? {};
  return `${terminalJson({
    resource: resourceName(target.kind),
    namespace: target.namespace,
    name: target.name,
    deleted,
    deletionTimestamp: object.metadata?.deletionTimestamp,
    phase,
    conditions,
    holders,
    owners,
  })}\n`;
};

export const whyNotDeleted: Command = {
  name: 'why-not-deleted',
  group: 'objects',
  words: ['object'],
  summary: "explain what is blocking an object's deletion",
  usage: 'RESOURCE/NAME [--namespace NS] [--json]',
  options,
  examples: [
    'palisade why-not-deleted endpoints/web',
    'palisade why-not-deleted namespaces/shop --json',
    'palisade why-not-deleted clusterroles/readers',
  ],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, oneTarget);
    const word = parseTarget(positionals[0]);
    checkNamespace(flags.namespace);
    return withTarget(word, flags, io, async (client, target) => {
      const deletion = await readDeletion(client, target);
      io.stdout.write(flags.json ? json(target, deletion) : terminalText(text(target, deletion)));
      return EXIT.ok;
    });
  },
};
