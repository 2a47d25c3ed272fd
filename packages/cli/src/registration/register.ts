// SPDX-License-Identifier: Apache-2.0
/** `palisade register`: keeps this machine a member of an EndpointGroup as long as it runs. */
import {hostname} from 'node:os';
import {ownMark} from '@palisade/engine/process-mark';
import {programRunner} from '@palisade/server/run-program';
import {systemClock, systemRandom} from '@palisade/server/system';
import type {Command} from '../command-line/command.ts';
import {type CliIo, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {realClock} from '../command-line/real-clock.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {namespaceOf} from '../connection/kube-target.ts';
import {identityOf, seenFrom} from './holder.ts';
import {keepRegistered} from './keep-registered.ts';
import {type Notify, systemdNotifier} from './notify-systemd.ts';
import {registrationObjects} from './objects.ts';
import {ownAddressTo} from './own-address.ts';
import {requestMs} from './pace.ts';
import {eventText, type RegisterEvent} from './register-events.ts';
import {readPlan, registerFlags} from './register-flags.ts';
import {stopRequests} from './stop-requests.ts';

type Reporting = {readonly name: string; readonly namespace: string; readonly json: boolean};

/** Lines for people go to stderr: stdout has data only. */
const reporter =
  ({name, namespace, json}: Reporting, {stdout, stderr}: CliIo, notify: Notify) =>
  (event: RegisterEvent): void => {
    const text = terminalText(eventText(name, event));
    if (json) {
      const time = new Date(systemClock.now()).toISOString();
      stdout.write(`${terminalJson({time, ...event, namespace, name})}\n`);
    } else stderr.write(`palisade: ${text}\n`);
    notify(text);
  };

const run = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags} = parseOptions(words, registerFlags);
  const self = {pid: process.pid, hostname: hostname(), mark: ownMark()};
  const {name, wanted, drainSeconds} = readPlan(flags, self.hostname);
  const {stop, hurry, release} = stopRequests();
  const {ttlSeconds} = wanted.spec;
  try {
    await withKubeClient(
      flags,
      io,
      async (client, ofContext) => {
        const namespace = namespaceOf(flags.namespace, ofContext);
        const notify = systemdNotifier(io, programRunner(io.env));
        const report = reporter({name, namespace, json: flags.json}, io, notify);
        const world = {
          clock: realClock,
          now: systemClock.now,
          random: systemRandom.next,
          identity: identityOf(self, systemRandom.uuid()),
          seenFrom,
          ownAddress: () => ownAddressTo(client.server),
          report,
          stop,
          hurry,
        };
        await keepRegistered(registrationObjects(client, namespace, name), wanted, world, drainSeconds);
      },
      {timeoutMs: requestMs(ttlSeconds)},
    );
    return EXIT.ok;
  } finally {
    release();
  }
};

export const register: Command = {
  name: 'register',
  group: 'objects',
  summary: 'keep this machine a member of an EndpointGroup',
  usage: '--group NAME [--port [NAME=]NUMBER] [--check TYPE[:ARG]] [--ttl DURATION] [--json]',
  notes: [
    'Creates an EndpointRegistration and a Lease of the same name, and renews the Lease three times per TTL until it is stopped.',
    'A server that is away is tried again; what was deleted meanwhile is created again. Without --port: the ports of the group.',
    'TYPE of a check: http:/PATH, https:/PATH, tcp, tls:SERVERNAME, grpc:SERVICE, grpcs:SERVICE, ws:/PATH, wss:/PATH (each also without',
    'its argument), or auto: by the APPPROTOCOL of the port. With several ports: --check PORT=TYPE. The check of a group counts more.',
    'A name belongs to one user and one process: another one that holds it is an error. Behind NAT or a proxy give --address.',
    'JSON events: registered, warning, waiting, renewal-failed, back, draining, left. Under systemd: deploy/palisade-register@.service.',
  ],
  signals: [
    [
      'SIGTERM, SIGINT',
      'drain, delete the registration and exit 0; a second signal, 1 s or more later, ends the drain',
    ],
    ['SIGHUP', 'the same as SIGTERM'],
  ],
  options: registerFlags,
  examples: [
    'palisade register --group web --port http=80 --ttl 30s',
    'palisade register --group web --port 8080 --check http:/healthz --check-period 5s',
    'palisade register --group dns --port dns=53/UDP --port metrics=9153 --check metrics=http:/metrics',
    'palisade register --group api --port grpc=9000:platform.io/h2c --check grpc --address 10.0.0.7 --drain 15s --json',
  ],
  run,
  outlivesReader: true,
};
