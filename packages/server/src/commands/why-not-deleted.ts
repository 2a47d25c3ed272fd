// SPDX-License-Identifier: Apache-2.0
/**
 * `palisade why-not-deleted`: who holds an object that was deleted and is still there; `palisade confirm-deletion`: removes it
 * all the same, on the word of an administrator, with a reason that the server logs. Ref: requirements E-126, E-233, E-238.
 */
import {REASON_HEADER} from '@palisade/apiserver/reason-header';
import type {Endpoints, KubeClient, KubeObject, Namespace} from '@palisade/client';
import type {Command} from '../cli/command.ts';
import {CommandError, EXIT, UsageError} from '../cli/io.ts';
import {type OptionTable, parseOptions} from '../cli/options.ts';
import {systemClock} from '../run/system.ts';
import {connectionOptions} from './connection.ts';
import {withKubeClient} from './kube-connection.ts';

export type Holder = {readonly holder: string; readonly what: string; readonly next: string};
export type Target = {readonly resource: 'endpoints' | 'namespaces'; readonly namespace: string; readonly name: string};

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

const options = {
  namespace: {type: 'string', value: 'NS', default: 'default', doc: 'Namespace of the object.'},
  ...connectionOptions,
} as const satisfies OptionTable;

export const parseTarget = (word: string | undefined, namespace: string): Target => {
  const [resource = '', name = ''] = (word ?? '').split('/');
  const known = {
    ep: 'endpoints',
    endpoints: 'endpoints',
    ns: 'namespaces',
    namespace: 'namespaces',
    namespaces: 'namespaces',
  } as const;
  const found = known[resource as keyof typeof known];
  if (found === undefined || name === '')
    throw new UsageError(`"${word ?? ''}": give endpoints/NAME or namespaces/NAME`);
  return {resource: found, namespace: found === 'namespaces' ? '' : namespace, name};
};

export const clientOf = (client: KubeClient, {resource}: Target) =>
  resource === 'endpoints' ? client.endpoints : client.namespaces;

/** Dependents that keep an owner which is deleted in foreground. */
const blockingDependents = async (client: KubeClient, target: Target, uid: string): Promise<string[]> => {
  const found: string[] = [];
  for (let token: string | undefined; ; ) {
    const page = await client.endpoints.list(target.namespace, {
      limit: 500,
      ...(token === undefined ? {} : {continue: token}),
    });
    for (const {metadata} of page.items as readonly Endpoints[])
      if (metadata?.ownerReferences?.some(owner => owner.uid === uid && owner.blockOwnerDeletion === true) === true)
        found.push(`endpoints/${metadata.name ?? ''} in ${metadata.namespace ?? ''}`);
    token = page.metadata?.continue;
    if (token === undefined || token === '') return found;
  }
};

/** What an administrator may do against a finalizer whose component does not come back. */
const wayOut = ({resource, namespace, name}: Target, {metadata}: KubeObject): string =>
  resource === 'namespaces'
    ? `take the finalizer out: kubectl edit namespace ${name}`
    : `confirm: palisade confirm-deletion ${resource}/${name} --namespace ${namespace} --uid ${metadata?.uid ?? ''} --reason TEXT`;

const finalizerHolder = async (
  client: KubeClient,
  target: Target,
  finalizer: string,
  object: KubeObject,
): Promise<Holder> => {
  if (finalizer === FOREGROUND) {
    const dependents = await blockingDependents(client, target, object.metadata?.uid ?? '');
    const what =
      dependents.length === 0
        ? 'no Endpoints object blocks it; objects of other kinds that name it as their owner are not looked at'
        : `waits for dependents that block it (${dependents.length}): ${dependents.slice(0, 5).join(', ')}`;
    return {holder: finalizer, what, next: 'delete the dependents, or take blockOwnerDeletion out of their reference'};
  }
  if (finalizer === ORPHAN)
    return {
      holder: finalizer,
      what: 'references to it are being taken out of its dependents',
      next: 'wait; the server does it',
    };
  return {
    holder: finalizer,
    what: `the component behind ${finalizer} has to finish its work and remove it`,
    next: `look at that component; or ${wayOut(target, object)}`,
  };
};

const timeHolder = (object: KubeObject, nowMs: number): Holder[] => {
  const {deletionTimestamp, deletionGracePeriodSeconds = 0} = object.metadata ?? {};
  const left = Math.ceil((Date.parse(deletionTimestamp ?? '') - nowMs) / 1000);
  if (deletionGracePeriodSeconds === 0 || !(left > 0)) return [];
  return [
    {
      holder: 'grace period',
      what: `goes in ${left} s, at ${deletionTimestamp}`,
      next: 'wait, or delete again with a shorter --grace-period',
    },
  ];
};

const namespaceHolders = (object: Namespace): Holder[] => {
  const conditions =
    (object.status as {conditions?: {type: string; status: string; message?: string}[]} | undefined)?.conditions ?? [];
  return conditions
    .filter(c => c.status === 'True')
    .map(c => ({holder: c.type, what: c.message ?? '', next: 'delete or release what is left in the namespace'}));
};

/** Who holds a deleted object; empty when nobody does. */
export const holdersOf = async (client: KubeClient, target: Target, object: KubeObject): Promise<Holder[]> => [
  ...timeHolder(object, systemClock.now()),
  ...(await Promise.all((object.metadata?.finalizers ?? []).map(f => finalizerHolder(client, target, f, object)))),
  ...(target.resource === 'namespaces' ? namespaceHolders(object as Namespace) : []),
];

export const whyNotDeleted: Command = {
  name: 'why-not-deleted',
  summary: 'who holds an object that was deleted and is still there',
  usage: 'palisade why-not-deleted (endpoints/NAME | namespaces/NAME) [--namespace NS] [--json]',
  options,
  examples: ['palisade why-not-deleted endpoints/web', 'palisade why-not-deleted namespaces/shop --json'],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, {max: 1});
    const target = parseTarget(positionals[0], flags.namespace);
    return withKubeClient(flags, io, async client => {
      const object: KubeObject = await clientOf(client, target).get(target.namespace, target.name);
      const deleted = object.metadata?.deletionTimestamp != null;
      const holders = deleted ? await holdersOf(client, target, object) : [];
      if (flags.json)
        io.stdout.write(
          `${JSON.stringify({...target, deleted, deletionTimestamp: object.metadata?.deletionTimestamp, holders})}\n`,
        );
      else if (!deleted) io.stdout.write(`${target.resource}/${target.name} was not deleted: nobody asked for it\n`);
      else if (holders.length === 0) io.stdout.write(`nothing holds ${target.resource}/${target.name}: it goes now\n`);
      else for (const h of holders) io.stdout.write(`${h.holder}\n  why:  ${h.what}\n  next: ${h.next}\n`);
      return EXIT.ok;
    });
  },
};

const confirmOptions = {
  reason: {type: 'string', value: 'TEXT', doc: 'Why; the server writes it to its log. Required.'},
  uid: {type: 'string', value: 'UID', doc: 'The uid of the object that is meant, so that no other one goes. Required.'},
  ...options,
} as const satisfies OptionTable;

export const confirmDeletion: Command = {
  name: 'confirm-deletion',
  summary: 'remove a deleted object now, whatever still holds it (an administrator confirms that it is gone)',
  usage: 'palisade confirm-deletion (endpoints/NAME) --uid UID --reason TEXT [--namespace NS]',
  options: confirmOptions,
  examples: ['palisade confirm-deletion endpoints/web --uid 0d0f… --reason "node-7 was scrapped"'],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, confirmOptions, {max: 1});
    const target = parseTarget(positionals[0], flags.namespace);
    const faults = [
      flags.reason === undefined || flags.reason.trim() === ''
        ? '--reason TEXT is required: it is kept in the server log'
        : '',
      flags.uid === undefined ? '--uid UID is required: see palisade why-not-deleted, or kubectl get -o yaml' : '',
      target.resource === 'namespaces'
        ? 'a namespace cannot be confirmed away: its content would be lost from sight'
        : '',
    ].filter(f => f !== '');
    if (faults.length > 0) throw new UsageError(faults.join('\n'));
    return withKubeClient(
      flags,
      io,
      async client => {
        const object = await client.endpoints.get(target.namespace, target.name);
        if (object.metadata?.uid !== flags.uid)
          throw new CommandError(
            `${target.name} has the uid ${object.metadata?.uid ?? ''}, not ${flags.uid}: nothing was done`,
          );
        if (object.metadata?.deletionTimestamp == null)
          throw new CommandError(`${target.name} was not deleted: delete it first`);
        const fieldManager = 'palisade-confirm-deletion';
        await client.endpoints.patch(
          target.namespace,
          target.name,
          'merge',
          {metadata: {finalizers: null, uid: flags.uid}},
          {fieldManager},
        );
        await client.endpoints
          .delete(target.namespace, target.name, {uid: flags.uid ?? '', gracePeriodSeconds: 0})
          .catch((error: unknown) => {
            if ((error as {status?: {code?: number}}).status?.code !== 404) throw error;
          });
        io.stdout.write(
          flags.json
            ? `${JSON.stringify({...target, removed: true})}\n`
            : `${target.resource}/${target.name} is removed\n`,
        );
        return EXIT.ok;
      },
      {[REASON_HEADER]: encodeURIComponent(flags.reason ?? '')},
    );
  },
};
