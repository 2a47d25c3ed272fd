// SPDX-License-Identifier: Apache-2.0
/** `palisade why-not-deleted`: who holds an object that was deleted and is still there. Ref: requirements E-126, E-193, E-233. */
import type {KubeClient} from '@palisade/client';
import type {Command} from '../cli/command.ts';
import {EXIT} from '../cli/io.ts';
import {type OptionTable, parseOptions} from '../cli/options.ts';
import {terminalJson, terminalText} from '../cli/terminal-text.ts';
import {systemClock} from '../run/system.ts';
import {connectionOptions} from './connection.ts';
import {type Condition, type Held, type Holder, holdersOf} from './holders.ts';
import {
  checkNamespace,
  namespaceOption,
  oneTarget,
  parseTarget,
  readTarget,
  type Target,
  targetText,
  withTarget,
} from './kube-target.ts';
import {objectText} from './object-walk.ts';
import {type OwnerState, ownersOf} from './owners.ts';
import {resourceName} from './served-kinds.ts';

const options = {
  ...namespaceOption,
  ...connectionOptions,
} as const satisfies OptionTable;

/** What is known about the deletion of one object. */
export type Deletion = {
  readonly object: Held;
  readonly deleted: boolean;
  readonly holders: readonly Holder[];
  /** Of an object that was not deleted: what keeps it from being collected with its owners. */
  readonly owners: readonly OwnerState[];
};

export const readDeletion = async (client: KubeClient, target: Target): Promise<Deletion> => {
  const object: Held = await readTarget(client, target);
  const deleted = object.metadata?.deletionTimestamp != null;
  return {
    object,
    deleted,
    holders: deleted ? await holdersOf(client, target, object, systemClock.now()) : [],
    owners: deleted ? [] : await ownersOf(client, target, object),
  };
};

/** The objects behind a holder, one a line, each after `indent`. */
export const objectLines = ({objects = [], more = 0}: Holder, indent: string): string =>
  [...objects.map(objectText), ...(more > 0 ? [`and ${more} more`] : [])].map(line => `${indent}${line}\n`).join('');

export const conditionText = ({type, status, reason = '', message = ''}: Condition): string =>
  `${type}=${status}${reason === '' ? '' : ` (${reason})`}${message === '' ? '' : `: ${message}`}`;

const text = (target: Target, {object, deleted, holders, owners}: Deletion): string => {
  const name = targetText(target);
  if (!deleted)
    return [
      `${name} was not deleted: nobody asked for it\n`,
      ...owners.map(owner => `  owner ${owner.kind}/${owner.name} ${owner.what}\n`),
    ].join('');
  const {phase, conditions = []} = object.status ?? {};
  return [
    phase === undefined ? '' : `phase: ${phase}\n`,
    ...conditions.filter(({status}) => status === 'True').map(condition => `condition: ${conditionText(condition)}\n`),
    holders.length === 0 ? `nothing holds ${name}: it goes now\n` : '',
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
  summary: 'who holds an object of any kind that was deleted and is still there',
  usage: 'palisade why-not-deleted RESOURCE/NAME [--namespace NS] [--json]',
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
