// SPDX-License-Identifier: Apache-2.0
/** `--port [NAME=]NUMBER[/PROTOCOL][:APPPROTOCOL]` and `--check [PORT=]TYPE[:ARG]` as ports of a registration. */
import {dns1123LabelFaults} from '@palisade/kube-wire';
import {readSeconds} from '../command-line/durations.ts';
import type {Check, RegistrationPort} from './objects.ts';

const PORT = /^(?:([^=]*)=)?(\d+)(?:\/([A-Za-z]+))?(?::(.+))?$/;
const PORT_FORM = '[NAME=]NUMBER[/PROTOCOL][:APPPROTOCOL], such as http=80, dns=53/UDP or api=8080:platform.io/h2c';
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const PORT_MAX = 65_535;

const CHECK = /^(?:([^=:]+)=)?([^:=]+)(?::(.*))?$/s;

/** What a type of check makes of its argument. `arg`: the form of the argument, for messages; none: it takes none. */
type CheckType = {
  readonly arg?: '/PATH' | 'SERVICE' | 'SERVERNAME';
  readonly toCheck: (arg: string | undefined) => Check;
};

const given = <K extends string>(key: K, value: string | undefined): {readonly [P in K]?: string} =>
  (value === undefined ? {} : {[key]: value}) as {readonly [P in K]?: string};
const http = (scheme: string): CheckType => ({
  arg: '/PATH',
  toCheck: path => ({httpGet: {...given('path', path), scheme}}),
});
const webSocket = (scheme: string): CheckType => ({
  arg: '/PATH',
  toCheck: path => ({webSocket: {...given('path', path), scheme}}),
});

const CHECK_TYPES: Readonly<Record<string, CheckType>> = {
  http: http('HTTP'),
  https: http('HTTPS'),
  tcp: {toCheck: () => ({tcpSocket: {}})},
  tls: {
    arg: 'SERVERNAME',
    toCheck: serverName => ({tls: {}, ...(serverName === undefined ? {} : {tlsConfig: {serverName}})}),
  },
  grpc: {arg: 'SERVICE', toCheck: service => ({grpc: given('service', service)})},
  grpcs: {arg: 'SERVICE', toCheck: service => ({grpc: {...given('service', service), tls: true}})},
  ws: webSocket('WS'),
  wss: webSocket('WSS'),
  auto: {toCheck: () => ({})},
};
const CHECK_NAMES = Object.keys(CHECK_TYPES);

const parsePort = (text: string, faults: string[]): RegistrationPort | undefined => {
  const [, name, digits, protocol = 'TCP', appProtocol] = PORT.exec(text) ?? [];
  if (digits === undefined) {
    faults.push(`--port ${text}: must be ${PORT_FORM}`);
    return undefined;
  }
  const port = Number(digits);
  if (port < 1 || port > PORT_MAX) faults.push(`--port ${text}: the number must be from 1 to ${PORT_MAX}`);
  if (name !== undefined)
    for (const fault of dns1123LabelFaults(name)) faults.push(`--port ${text}: the name "${name}": ${fault}`);
  if (!PROTOCOLS.includes(protocol.toUpperCase()))
    faults.push(`--port ${text}: the protocol must be one of ${PROTOCOLS.join(', ')}`);
  return {
    ...(name === undefined ? {} : {name}),
    port,
    protocol: protocol.toUpperCase(),
    ...(appProtocol === undefined ? {} : {appProtocol}),
  };
};

const samePort = (a: RegistrationPort, b: RegistrationPort): boolean => a.port === b.port && a.protocol === b.protocol;

const togetherFaults = (ports: readonly RegistrationPort[]): string[] => {
  const twice = ports.filter((port, i) =>
    ports.slice(0, i).some(other => samePort(other, port) || (port.name !== undefined && other.name === port.name)),
  );
  return [
    ports.length > 1 && ports.some(({name}) => name === undefined)
      ? '--port: more than one port needs names: --port NAME=NUMBER'
      : '',
    ...twice.map(
      ({name, port, protocol}) =>
        `--port ${name ?? ''}${name === undefined ? '' : '='}${port}/${protocol}: given twice`,
    ),
  ].filter(fault => fault !== '');
};

type NamedCheck = {readonly of: string | undefined; readonly check: Check; readonly said: string};

const parseCheck = (text: string, faults: string[]): NamedCheck | undefined => {
  const [, of, typeName = '', arg] = CHECK.exec(text) ?? [];
  const type = Object.hasOwn(CHECK_TYPES, typeName) ? CHECK_TYPES[typeName] : undefined;
  if (type === undefined) {
    faults.push(`--check ${text}: must be [PORT=]TYPE[:ARG] with a TYPE of ${CHECK_NAMES.join(', ')}`);
    return undefined;
  }
  if (arg !== undefined && type.arg === undefined) faults.push(`--check ${text}: ${typeName} takes no argument`);
  if (arg === '') faults.push(`--check ${text}: give ${typeName}:${type.arg ?? ''}, or ${typeName} without a colon`);
  else if (arg !== undefined && type.arg === '/PATH' && !arg.startsWith('/'))
    faults.push(`--check ${text}: the path must start with /, as in ${typeName}:/${arg}`);
  return {of, check: type.toCheck(arg), said: text};
};

const portOf = (
  {of, said}: NamedCheck,
  ports: readonly RegistrationPort[],
  faults: string[],
): RegistrationPort | undefined => {
  const [first, ...others] = ports;
  const names = ports.flatMap(({name}) => name ?? []);
  if (first === undefined)
    faults.push(`--check ${said}: needs --port; the ports of a group are checked as its EndpointGroup says`);
  else if (of === undefined && others.length > 0)
    faults.push(`--check ${said}: say for which port: --check PORT=${said}, with a PORT of ${names.join(', ')}`);
  else if (of !== undefined && !names.includes(of))
    faults.push(
      `--check ${said}: no --port has the name "${of}"${names.length === 0 ? '' : `; there are ${names.join(', ')}`}`,
    );
  else return of === undefined ? first : ports.find(({name}) => name === of);
  return undefined;
};

/** Flags that set a figure of each --check. */
const CHECK_FIGURES = {
  'check-period': {field: 'periodSeconds', most: 3600},
  'check-timeout': {field: 'timeoutSeconds', most: 300},
  'check-failures': {field: 'failureThreshold', most: undefined},
  'check-passes': {field: 'successThreshold', most: undefined},
} as const;
const COUNT_MAX = 1000;

type CheckFigures = {readonly [K in keyof typeof CHECK_FIGURES]?: string | undefined};

const readFigures = (figures: CheckFigures, faults: string[]): Partial<Check> => {
  const found: Record<string, number> = {};
  for (const [flag, {field, most}] of Object.entries(CHECK_FIGURES)) {
    const text = figures[flag as keyof CheckFigures];
    if (text === undefined) continue;
    if (most !== undefined) found[field] = readSeconds(flag, text, {least: 1, most}, faults);
    else if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= COUNT_MAX) found[field] = Number(text);
    else faults.push(`--${flag} ${text}: must be a whole number from 1 to ${COUNT_MAX}`);
  }
  return found;
};

/** All faults at once go to `faults`. */
export const readPorts = (
  portTexts: readonly string[],
  checkTexts: readonly string[],
  figures: CheckFigures,
  faults: string[],
): readonly RegistrationPort[] => {
  const ports = portTexts.flatMap(text => parsePort(text, faults) ?? []);
  if (ports.length === portTexts.length) faults.push(...togetherFaults(ports));
  const set = readFigures(figures, faults);
  if (checkTexts.length === 0)
    for (const flag of Object.keys(CHECK_FIGURES) as (keyof CheckFigures)[])
      if (figures[flag] !== undefined) faults.push(`--${flag}: needs --check`);
  const checks = new Map<RegistrationPort, Check>();
  for (const text of checkTexts) {
    const named = parseCheck(text, faults);
    const port = named && ports.length === portTexts.length ? portOf(named, ports, faults) : undefined;
    if (named === undefined || port === undefined) continue;
    if (checks.has(port)) faults.push(`--check ${text}: the port has a check already`);
    checks.set(port, {...named.check, ...set});
  }
  return ports.map(port => {
    const check = checks.get(port);
    return check === undefined ? port : {...port, check};
  });
};
