// SPDX-License-Identifier: Apache-2.0
/** `palisade deregister`: deletes the registration of a machine, after a drain if one is asked for. */
import {hostname} from 'node:os';
import {isConflict, isNotFound, type KubeClient} from '@palisade/client';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import type {Command} from '../command-line/command.ts';
import {durationText} from '../command-line/durations.ts';
import {interruptsOfProcess} from '../command-line/interrupts.ts';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {realClock} from '../command-line/real-clock.ts';
import {terminalText} from '../command-line/terminal-text.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {checkNamespace, foundIn, namespaceOf} from '../connection/kube-target.ts';
import {hostOf} from './holder.ts';
import {ifFound, nameText, type Registration, registrationObjects} from './objects.ts';
import {deregisterFlags, nameFor, readDrain} from './register-flags.ts';

const writer = {fieldManager: 'palisade-deregister'};

/** Resolves to whether the wait came to its end. */
const uninterrupted = async (seconds: number): Promise<boolean> => {
  const stopping = new AbortController();
  const release = interruptsOfProcess(() => stopping.abort());
  try {
    await realClock.sleep(seconds * 1000, stopping.signal);
    return true;
  } catch {
    return false;
  } finally {
    release();
  }
};

const isRenewed = ({status}: Registration, holder: string): boolean => holder !== '' && status?.state !== 'Expired';

type Plan = {readonly namespace: string; readonly name: string; readonly drainSeconds: number};

const remove = async (client: KubeClient, {namespace, name, drainSeconds}: Plan, {stderr}: CliIo): Promise<void> => {
  const {registrations, leases} = registrationObjects(client, namespace, name);
  const found = await foundIn(namespace, registrations.get(namespace, name));
  const uid = found.metadata?.uid;
  if (drainSeconds > 0) {
    const setDraining = (draining: true | null): Promise<Registration> =>
      registrations.patch(namespace, name, 'merge', {metadata: {uid}, spec: {draining}}, writer);
    await setDraining(true);
    stderr.write(`palisade: ${nameText(name)} is draining for ${durationText(drainSeconds)}\n`);
    if (!(await uninterrupted(drainSeconds))) {
      if (found.spec?.draining !== true) await setDraining(null);
      throw new CommandError(`interrupted: ${nameText(name)} was not deleted; it is as it was before`);
    }
  }
  const lease = await ifFound(leases.get(namespace, name)).catch(() => undefined); // for the note only
  try {
    await registrations.delete(namespace, name, {uid, propagationPolicy: 'Background'});
  } catch (error) {
    if (isNotFound(error)) return; // it left by itself
    if (isConflict(error))
      throw new CommandError(`${nameText(name)} was created again meanwhile, and the new one was not deleted`, {
        cause: error,
      });
    throw error;
  }
  const holder = lease?.spec?.holderIdentity ?? '';
  if (isRenewed(found, holder))
    stderr.write(
      terminalText(
        `palisade: if palisade register still runs on ${hostOf(holder)}, it registers again; stop it there\n`,
      ),
    );
};

const run = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, deregisterFlags, {
    max: 1,
    what: 'one registration at a time',
  });
  const [word] = positionals;
  const faults: string[] = [];
  if (word === undefined && flags.group === undefined)
    faults.push('a NAME is required, or --group GROUP for this machine');
  if (word !== undefined && flags.group !== undefined) faults.push('NAME and --group exclude each other');
  if (flags.hostname !== undefined && flags.group === undefined) faults.push('--hostname needs --group');
  const drainSeconds = readDrain(flags.drain, faults);
  const name = word ?? (flags.group === undefined ? '' : nameFor(flags.group, flags.hostname, hostname(), faults));
  if (faults.length === 0) for (const fault of nameIsDnsSubdomain(name, false)) faults.push(`"${name}": ${fault}`);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  checkNamespace(flags.namespace);
  return withKubeClient(flags, io, async (client, ofContext) => {
    const namespace = namespaceOf(flags.namespace, ofContext);
    await remove(client, {namespace, name, drainSeconds}, io);
    io.stdout.write(
      flags.json ? `${JSON.stringify({namespace, name, deregistered: true})}\n` : `${nameText(name)} deregistered\n`,
    );
    return EXIT.ok;
  });
};

export const deregister: Command = {
  name: 'deregister',
  group: 'objects',
  words: ['registration'],
  summary: 'delete the EndpointRegistration of a machine',
  usage: 'NAME | --group NAME [--hostname HOST] [--drain DURATION] [--namespace NS] [--json]',
  notes: [
    'Own registrations, or those of others with the verb manage on endpointregistrations. A palisade register that still runs',
    'registers again: stop it instead, or keep its machine out with kubectl patch and spec.draining.',
  ],
  options: deregisterFlags,
  examples: [
    'palisade deregister web-db1',
    'palisade deregister web-db1 --drain 30s',
    'palisade deregister --group web --namespace shop --json',
  ],
  run,
};
