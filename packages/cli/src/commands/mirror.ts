// SPDX-License-Identifier: Apache-2.0
/** `palisade mirror`: how to send traffic to an IDS endpoint; on a Linux host it can do so itself. */
import {isIPv4} from 'node:net';
import {type EndpointHealth, type IdsClient, type IdsEndpoint, parseEndpointName} from '@palisade/client';
import {
  type Attach,
  EXAMPLE_INTERFACE,
  GUIDE,
  isInterfaceName,
  isLoopback,
  linesOf,
  MIRROR_TARGETS,
  type MirrorTarget,
  namesOf,
  type SetUp,
  type Step,
  setUpOf,
  VXLAN_PORT,
} from '@palisade/ids-wire/mirror';
import {programRunner, type RunProgram} from '@palisade/server/run-program';
import type {Command} from '../command-line/command.ts';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {type OptionTable, type Parsed, parseOptions} from '../command-line/options.ts';
import {terminalText} from '../command-line/terminal-text.ts';
import {idsConnectionOptions, resolveEndpoint, withIdsClient} from '../connection/connection.ts';
import {foreignBefore, mirroredFrom, planApply} from '../mirror/apply.ts';
import {executeAll, executeEach, MirrorError} from '../mirror/execute.ts';
import {readKernel, wayTo} from '../mirror/kernel.ts';
import {linkSteps, mirroredEndpoints, mirrorsOf, namelessDevices, ownParts, removalSteps} from '../mirror/remove.ts';

const VNI_MAX = 0xff_ffff;
/** A removal does not depend on the server. */
const EXISTS_MS_MAX = 5_000;

const options = {
  target: {
    type: 'string',
    oneOf: [...MIRROR_TARGETS, 'all'],
    default: 'all',
    doc: 'print the set-up of this platform',
  },
  from: {type: 'string', value: 'IFACE', doc: 'mirror this interface of the host'},
  apply: {type: 'boolean', doc: 'set the mirror up on this host; needs root'},
  remove: {type: 'boolean', doc: 'remove the mirror from this host; needs no server'},
  'dry-run': {type: 'boolean', doc: 'with --apply or --remove: print the commands only'},
  ...idsConnectionOptions,
} as const satisfies OptionTable;
type Flags = Parsed<typeof options>;

/** Throws CommandError. */
export const attachOf = async (
  client: IdsClient,
  word: string,
): Promise<{readonly attach: Attach; readonly object: IdsEndpoint; readonly health: EndpointHealth}> => {
  const endpoint = await resolveEndpoint(client, word, {said: word});
  const [object, health] = await Promise.all([client.getEndpoint(endpoint), client.getHealth(endpoint)]);
  const {endpointIp, state} = object;
  if (endpointIp === undefined)
    throw new CommandError(`${endpoint} is ${state ?? 'not ready'} and has no address yet; wait until it is READY`);
  // They become parts of commands that users paste into a shell.
  if (!isIPv4(endpointIp) || parseEndpointName(endpoint) === undefined)
    throw new CommandError(
      `${JSON.stringify(endpoint)} has the address ${JSON.stringify(endpointIp)}: not an IPv4 address of an endpoint; check that --server names a palisade server`,
    );
  const vni = Number(health['vni']);
  if (!Number.isInteger(vni) || vni < 0 || vni > VNI_MAX)
    throw new CommandError(`${endpoint}: the server does not say which VNI to use`);
  const driver = String(health['driver']);
  const attach = {endpoint, ip: endpointIp, vni, driver: /^[a-z-]+$/.test(driver) ? driver : 'unknown'};
  return {attach, object, health};
};

const textOf = ({title, sections, notes}: SetUp): string =>
  [
    `# ${title}`,
    ...sections.flatMap(({about, commands}) => [`# ${about}`, ...commands]),
    '# notes',
    ...notes.map(note => `#   ${note}`),
    '',
  ].join('\n');

const show = (flags: Flags, word: string, io: CliIo): Promise<number> =>
  withIdsClient(flags, io, async client => {
    const {attach} = await attachOf(client, word);
    const targets = flags.target === 'all' ? MIRROR_TARGETS : [flags.target as MirrorTarget];
    const setUps = targets.map(name => [name, setUpOf(name, attach, flags.from ?? EXAMPLE_INTERFACE)] as const);
    const {endpoint, ip: endpointIp, vni, driver} = attach;
    if (flags.json)
      io.stdout.write(`${JSON.stringify({endpoint, endpointIp, vni, driver, targets: Object.fromEntries(setUps)})}\n`);
    else
      io.stdout.write(
        terminalText(
          `# ${endpoint}: VXLAN to ${endpointIp}, UDP ${VXLAN_PORT}, VNI ${vni}, driver ${driver}\n\n${setUps.map(([, setUp]) => textOf(setUp)).join('\n')}`,
        ),
      );
    return EXIT.ok;
  });

/** What is printed in place of the work when it may not be done. */
const forbidden = (io: CliIo, error: MirrorError, steps: readonly Step[]): CommandError => {
  for (const line of linesOf(steps)) io.stdout.write(`${line}\n`);
  const retry = 'network devices are for root (CAP_NET_ADMIN): run this command with sudo, or run the printed commands';
  return new CommandError(`${error.message}\n${retry}`, {cause: error});
};

const guarded = async (io: CliIo, steps: readonly Step[], work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
    throw error.isForbidden ? forbidden(io, error, steps) : new CommandError(error.message, {cause: error});
  }
};

/** The previous mirror went first: both would have the same device. */
const notRestored = (error: unknown, endpoint: string): unknown =>
  error instanceof MirrorError
    ? new MirrorError(
        `${error.message}\nthe previous mirror to ${endpoint}, which did not fit, is removed and not restored: end the cause and run this command again`,
        error.isForbidden,
      )
    : error;

const BPF_LOCAL =
  'the driver afpacket-bpf does not see packets of a mirror on its own host: start the server with --driver relay or afpacket, or mirror from another host or network namespace';

/** Every host has the loopback addresses, so a wrong host does not fail. */
const noteLoopback = (io: CliIo, ip: string, server: string): void => {
  const {hostname} = new URL(server);
  if (isLoopback(ip) && hostname !== 'localhost' && !isLoopback(hostname) && hostname !== '[::1]')
    io.stderr.write(
      `palisade: ${ip} is loopback: packets arrive only if the server ${hostname} is this host; see ${GUIDE}\n`,
    );
};

const apply = (flags: Flags, word: string, from: string, io: CliIo, run: RunProgram): Promise<number> =>
  withIdsClient(flags, io, async client => {
    const {attach} = await attachOf(client, word);
    const {endpoint, ip: endpointIp, vni, driver} = attach;
    const [kernel, way] = await Promise.all([readKernel(run, VXLAN_PORT), wayTo(run, endpointIp)]);
    if (way.isLocal && driver === 'afpacket-bpf') throw new CommandError(`${endpoint}: ${BPF_LOCAL}`);
    noteLoopback(io, endpointIp, client.server);
    const {removal, steps} = await planApply(run, kernel, way, attach, from);
    const all = [...removal, ...steps];
    const isDone = steps.length === 0;
    if (flags['dry-run'] && !flags.json) for (const line of linesOf(all)) io.stdout.write(`${line}\n`);
    if (!flags['dry-run'])
      await guarded(io, all, async () => {
        await executeEach(run, removal);
        await executeAll(run, steps).catch(error => {
          throw removal.length === 0 ? error : notRestored(error, endpoint);
        });
      });
    const {device} = namesOf(endpoint);
    const others = foreignBefore(kernel, from);
    if (others > 0)
      io.stderr.write(
        `palisade: ${from} has ${others} filters of others before ours; packets that they drop or redirect are not mirrored\n`,
      );
    const data = {
      endpoint,
      endpointIp,
      vni,
      driver,
      from,
      device,
      changed: !isDone && !flags['dry-run'],
      commands: linesOf(all),
    };
    if (flags.json) io.stdout.write(`${JSON.stringify(data)}\n`);
    else if (!flags['dry-run'])
      io.stdout.write(
        `${from} is ${isDone ? 'already ' : ''}mirrored to ${endpoint} (${endpointIp}, VNI ${vni}) through the device ${device}\n`,
      );
    return EXIT.ok;
  });

const removalOf = async (run: RunProgram, word: string, from: string | undefined) => {
  const kernel = await readKernel(run, VXLAN_PORT);
  const [endpoint, ...others] = mirroredEndpoints(kernel, word);
  if (others.length > 0)
    throw new CommandError(
      `${word}: several mirrors have this ID; give one of\n  ${[endpoint, ...others].join('\n  ')}`,
    );
  const steps =
    endpoint === undefined
      ? linkSteps(namelessDevices(kernel, word))
      : removalSteps(kernel, ownParts(kernel, endpoint), from);
  const known = [...new Set(mirrorsOf(kernel).map(mirror => mirror.endpoint))];
  const ofEndpoint = endpoint === undefined ? [] : mirroredFrom(ownParts(kernel, endpoint));
  return {endpoint: endpoint ?? word, steps, known, ofEndpoint};
};

/** Of a name that this host does not mirror to, while it has other mirrors: a misspelt one must not look removed. Throws CommandError. */
const checkExists = async (flags: Flags, word: string, io: CliIo, mirrors: string): Promise<void> => {
  const ask = async (client: IdsClient): Promise<unknown> =>
    client.getEndpoint(await resolveEndpoint(client, word, {said: word}));
  try {
    await withIdsClient(flags, io, ask, undefined, EXISTS_MS_MAX);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${word} is not mirrored on this host; ${mirrors}\n${error.message}`, {cause: error});
  }
};

const remove = async (flags: Flags, word: string, io: CliIo, run: RunProgram): Promise<number> => {
  const {from} = flags;
  const {endpoint, steps, known, ofEndpoint} = await removalOf(run, word, from);
  const mirrors = known.length === 0 ? 'this host has no mirrors' : `this host mirrors to ${known.join(', ')}`;
  if (steps.length === 0 && known.length > 0 && ofEndpoint.length === 0) await checkExists(flags, word, io, mirrors);
  if (from !== undefined && steps.length === 0 && ofEndpoint.length > 0)
    throw new CommandError(`--from ${from}: not mirrored to ${endpoint}; mirrored are ${ofEndpoint.join(', ')}`);
  if (flags['dry-run'] && !flags.json) for (const line of linesOf(steps)) io.stdout.write(`${line}\n`);
  if (!flags['dry-run']) await guarded(io, steps, () => executeEach(run, steps));
  if (steps.length === 0) io.stderr.write(`palisade: ${endpoint} is not mirrored on this host; ${mirrors}\n`);
  const changed = steps.length > 0 && !flags['dry-run'];
  if (flags.json) io.stdout.write(`${JSON.stringify({endpoint, from, changed, commands: linesOf(steps)})}\n`);
  else if (changed)
    io.stdout.write(`the mirror to ${endpoint} is removed${from === undefined ? '' : ` from ${from}`}\n`);
  return EXIT.ok;
};

const faultsOf = (flags: Flags, word: string | undefined): string[] =>
  [
    word === undefined ? 'an ENDPOINT is required: its ID or full name' : '',
    flags.apply && flags.remove ? '--apply and --remove exclude each other' : '',
    flags.apply && flags.from === undefined ? '--apply needs --from IFACE, the interface to mirror' : '',
    flags['dry-run'] && !flags.apply && !flags.remove ? '--dry-run needs --apply or --remove' : '',
    (flags.apply || flags.remove) && !['all', 'linux'].includes(flags.target)
      ? `--target ${flags.target}: --apply and --remove work on Linux only`
      : '',
    flags.from === undefined || isInterfaceName(flags.from)
      ? ''
      : `--from ${flags.from}: must be the name of an interface, such as eth0`,
  ].filter(fault => fault !== '');

/** `runner`: of `ip`, `tc` and `bridge`. */
export const runMirror = async (
  words: readonly string[],
  io: CliIo,
  runner: (env: CliIo['env']) => RunProgram = programRunner,
): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, options, {max: 1, what: 'one endpoint at a time'});
  const [word] = positionals;
  const faults = faultsOf(flags, word);
  if (word === undefined || faults.length > 0) throw new UsageError(faults.join('\n'));
  if (flags.remove) return remove(flags, word, io, runner(io.env));
  if (flags.apply && flags.from !== undefined) return apply(flags, word, flags.from, io, runner(io.env));
  return show(flags, word, io);
};

export const mirror: Command = {
  name: 'mirror',
  group: 'ids',
  words: ['endpoint'],
  summary: 'print or apply the set-up that mirrors traffic to an IDS endpoint',
  usage: 'ENDPOINT [--target linux|aws|gcp|all] [--from IFACE] [--apply | --remove] [--json]',
  notes: [
    'Without --apply and --remove: print the commands for Linux (tc), AWS VPC Traffic Mirroring and Google Cloud.',
    '--apply does it on this host; a second time changes nothing. If a step fails, the previous ones are undone; an earlier mirror of',
    'the endpoint that did not fit (another address or VNI) is removed first and not restored. --remove finds by name and marks what',
    '--apply made, also after a crash, and leaves qdiscs and filters of others alone. A name that neither this host nor the server knows',
    'is an error if the host has other mirrors. Check with palisade test-threat.',
  ],
  options,
  examples: [
    'palisade mirror guard',
    'palisade mirror guard --target aws',
    'palisade mirror guard --apply --from eth0 --dry-run',
    'palisade mirror guard --apply --from eth0',
    'palisade mirror guard --remove',
  ],
  run: (words, io) => runMirror(words, io),
};
