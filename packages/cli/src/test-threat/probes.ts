// SPDX-License-Identifier: Apache-2.0
/**
 * Harmless requests that well-known rules take for an attack: bundled rules of several severities, and rules that ET Open has had for years.
 * One connection carries them all, so that an exception or a severity hides some at most.
 */
import {type Ends, type Say, tcpSession} from './tcp-session.ts';

/** The path that all requests begin with; the marker follows. */
export const PATH = '/palisade-test-threat';
const HOST = 'test-threat.palisade.test';

/** Documentation addresses. Ref: RFC 5737. Both ends vary: an alert of the same ends within 5 s would make no record of its own. */
const CLIENT_NET = '198.51.100';
const SERVER_NET = '192.0.2';
const PORT_FIRST = 20_000;
const PORTS = 40_000;

type Request = {readonly uri: string; readonly agent: string; readonly headers?: readonly string[]};

const requestText = ({uri, agent, headers = []}: Request, host: string, isLast: boolean): string =>
  [
    `GET ${uri} HTTP/1.1`,
    `Host: ${host}`,
    `User-Agent: ${agent}`,
    'Accept: */*',
    ...headers,
    `Connection: ${isLast ? 'close' : 'keep-alive'}`,
    '',
    '',
  ].join('\r\n');

const answerText = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const PLAIN_AGENT = 'Mozilla/5.0 (palisade test-threat)';
/** Of scanners; a server answers them as any other. Bundled: 9000106 HIGH, 9000107 MEDIUM, 9000108 LOW. ET: sqlmap, Nikto, Nmap. */
const SCANNERS = ['sqlmap/1.0 (palisade test-threat)', 'Nikto/2 (palisade test-threat)', 'Nmap Scripting Engine'];
/** An empty function, which defines nothing that runs. Bundled: 9000206 CRITICAL. ET: CVE-2014-6271. */
const EMPTY_FUNCTION = 'X-Palisade-Test: () { :; }';
/** As testmynids.org answers. Bundled: 9000211 CRITICAL. ET: 2100498. */
const ID_OUTPUT = 'uid=0(root) gid=0(root) groups=0(root)\n';

/** For a server of the user, a connection each: nothing in them reads or changes data. */
export const realRequests = (marker: string, host: string): readonly string[] =>
  SCANNERS.map(agent => requestText({uri: `${PATH}/${marker}`, agent, headers: [EMPTY_FUNCTION]}, host, true));

export type Session = {
  readonly ends: Ends;
  readonly frames: readonly Buffer[];
};

/** The packets of a connection that never was: no server gets them. `bytes`: random. */
export const madeUpSession = (marker: string, bytes: Uint8Array): Session => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = bytes;
  const ends: Ends = {
    client: `${CLIENT_NET}.${1 + (a % 254)}`,
    server: `${SERVER_NET}.${1 + (d % 254)}`,
    clientPort: PORT_FIRST + ((b * 256 + c) % PORTS),
    serverPort: 80,
  };
  const uri = `${PATH}/${marker}`;
  const requests: readonly (Request & {readonly answer: string})[] = [
    {uri, agent: PLAIN_AGENT, answer: ID_OUTPUT},
    {uri: `${uri}/etc/passwd`, agent: PLAIN_AGENT, answer: 'no\n'},
    ...SCANNERS.map(agent => ({uri, agent, headers: [EMPTY_FUNCTION], answer: 'no\n'})),
  ];
  const says = requests.flatMap(({answer, ...request}, at): Say[] => [
    {from: 'client', data: requestText(request, HOST, at === requests.length - 1)},
    {from: 'server', data: answerText(answer)},
  ]);
  return {ends, frames: tcpSession(ends, says, 1 + d * 65_536 + e * 256)};
};

/** The records of a connection: a rule may judge either direction. */
export const filterOf = ({client, clientPort}: Pick<Ends, 'client' | 'clientPort'>, marker: string): string =>
  [
    `(source_ip_address="${client}" AND source_port=${clientPort})`,
    `(destination_ip_address="${client}" AND destination_port=${clientPort})`,
    `uri_or_filename:"${marker}"`,
  ].join(' OR ');
