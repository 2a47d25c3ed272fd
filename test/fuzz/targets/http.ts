// SPDX-License-Identifier: Apache-2.0
/** What HTTP carries in addition to bodies: paths, queries, headers, tokens of pages, and WebSocket frames. */
import {isDeepStrictEqual} from 'node:util';
import {StatusError} from '@palisade/apiserver';
import {wantedUserOf} from '../../../packages/apiserver/src/http/impersonation-headers.ts';
import {ClientFrames, messageFrame, pongFrame} from '../../../packages/apiserver/src/http/websocket/frames.ts';
import {negotiateDiscovery, negotiateOutput, routeAccepts} from '../../../packages/apiserver/src/request/accept.ts';
import {
  decodeContinueToken,
  encodeContinueToken,
} from '../../../packages/apiserver/src/request/options/continue-token.ts';
import {parseListOptions, validateListOptions} from '../../../packages/apiserver/src/request/options/list-options.ts';
import {parsePatchOptions, parseWriteOptions} from '../../../packages/apiserver/src/request/options/write-options.ts';
import {protocolToken} from '../../../packages/apiserver/src/request/protocol-token.ts';
import {parseQuery} from '../../../packages/apiserver/src/request/query.ts';
import {parseRequestInfo} from '../../../packages/apiserver/src/request/request-info.ts';
import {claim, target} from '../frame/target.ts';

const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const masked = (opcode: number, payload: string, length: number | undefined = undefined): Buffer => {
  const bytes = Buffer.from(payload);
  const mask = Buffer.from([1, 2, 3, 4]);
  const head =
    (length ?? bytes.length) < 126
      ? [0x80 | opcode, 0x80 | (length ?? bytes.length)]
      : [0x80 | opcode, 0xfe, ((length ?? 0) >> 8) & 0xff, (length ?? 0) & 0xff];
  return Buffer.concat([Buffer.from(head), mask, bytes.map((byte, i) => byte ^ (mask[i % 4] ?? 0))]);
};
const headers = (input: Buffer): readonly string[] => input.toString('latin1').split('\n');

export const httpTargets = [
  target({
    name: 'continue-token',
    form: 'text',
    seeds: [
      token({v: 'meta.k8s.io/v1', rv: 7, start: 'default/web\0'}),
      token({v: 'meta.k8s.io/v1', rv: -1, start: 'a'}),
      token({v: 'v9'}),
      token([]),
      'abcd\r\n',
      '====',
    ],
    words: ['=', '-', '_', '\n', token({v: 'meta.k8s.io/v1'}), token({start: '../x'})],
    decode: input => decodeContinueToken(input.toString()),
    encode: position => ('fault' in position ? undefined : encodeContinueToken(position)),
  }),
  target({
    name: 'continue-position',
    form: 'json',
    seeds: [
      '{"v":"meta.k8s.io/v1","rv":7,"start":"default/web\\u0000"}',
      '{"V":"meta.k8s.io/v1","RV":9007199254740992,"start":"/a/../b"}',
    ],
    decode: input => decodeContinueToken(input.toString('base64url')),
    encode: position => {
      if ('fault' in position) return undefined;
      return Buffer.from(encodeContinueToken(position), 'base64url');
    },
  }),
  target({
    name: 'list-options',
    form: 'text',
    refusals: [StatusError],
    seeds: [
      'labelSelector=a%3Db&fieldSelector=metadata.name%3Dweb&limit=10&watch=1&timeoutSeconds=3',
      'resourceVersion=7&resourceVersionMatch=Exact&continue=abcd&allowWatchBookmarks=true&sendInitialEvents=true',
      'limit=-1&pretty=&x;y=1&%zz=1&a+b=c',
    ],
    words: [
      '&',
      '=',
      ';',
      '%',
      '%00',
      '%ff',
      '+',
      'limit=',
      'resourceVersion=',
      'continue=',
      'watch=',
      'labelSelector=',
      'timeoutSeconds=',
    ],
    decode: input => {
      const options = parseListOptions(parseQuery(input.toString('latin1')));
      validateListOptions(options);
      return {...options, labels: String(options.labels), fields: String(options.fields)};
    },
  }),
  target({
    name: 'write-options',
    form: 'text',
    refusals: [StatusError],
    seeds: [
      'dryRun=All&fieldManager=me&fieldValidation=Strict',
      'force=true&fieldManager=kubectl',
      'dryRun=&dryRun=All&fieldManager=%e2%80%a8',
    ],
    words: ['&', '=', 'dryRun=', 'fieldManager=', 'fieldValidation=', 'force=', '%'],
    decode: input => {
      const query = parseQuery(input.toString('latin1'));
      return [parseWriteOptions(query, 'CreateOptions'), parsePatchOptions(query, query.has('force'))];
    },
  }),
  target({
    name: 'request-path',
    form: 'text',
    seeds: [
      'GET /api/v1/namespaces/default/endpoints/web?fieldSelector=metadata.name%3Da',
      'DELETE /apis/discovery.k8s.io/v1/watch/endpointslices',
      'GET /api/v1/proxy',
      'X //apis///a/b/c//',
      'PATCH /api/v1/namespaces/x/status',
    ],
    words: ['/', '/api/', '/apis/', 'namespaces/', 'watch/', 'proxy/', '?', '%2f', '..'],
    decode: input => {
      const [method = '', ...rest] = input.toString('latin1').split(' ');
      const [path = '', query = ''] = rest.join(' ').split('?');
      return parseRequestInfo(method, path, parseQuery(query));
    },
  }),
  target({
    name: 'accept',
    form: 'text',
    seeds: [
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      'application/vnd.kubernetes.protobuf;q=0.5, */*;q=0.1',
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      ', ,;;q=1;q',
      'a/b/c',
    ],
    words: [',', ';', 'q=', '*/*', 'as=Table', 'g=meta.k8s.io', 'v=v1', '/', '='],
    decode: input => {
      const text = input.toString('latin1');
      return [negotiateOutput(text), negotiateDiscovery(text), routeAccepts(text, ['application/json'])];
    },
  }),
  target({
    name: 'impersonation',
    form: 'text',
    refusals: [StatusError],
    seeds: [
      'Impersonate-User\nme\nImpersonate-Group\ng1\nImpersonate-Extra-a%2fb\nx\nImpersonate-Extra-__proto__\ny',
      'Impersonate-Uid\n1',
    ],
    words: ['Impersonate-User\n', 'Impersonate-Group\n', 'Impersonate-Extra-', '%', '\n'],
    decode: input => {
      const rawHeaders = headers(input);
      const names = Object.fromEntries(
        rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), '']] : [])),
      );
      return wantedUserOf({rawHeaders, headers: names});
    },
  }),
  target({
    name: 'websocket-token',
    form: 'text',
    seeds: [
      'base64url.bearer.authorization.k8s.io.dG9rZW4, v4.channel.k8s.io',
      'base64url.bearer.authorization.k8s.io.',
      'a,,b',
    ],
    words: [',', ' ', 'base64url.bearer.authorization.k8s.io.', '=', '\t'],
    decode: input => protocolToken({'sec-websocket-protocol': input.toString('latin1')}),
  }),
  target({
    name: 'websocket-frames',
    form: 'bytes',
    seeds: [
      Buffer.concat([masked(1, 'hello'), masked(9, 'ping'), masked(8, '')]),
      Buffer.concat([masked(2, 'x', 300), masked(10, '')]),
      Buffer.concat([messageFrame('text', Buffer.alloc(200)), pongFrame(Buffer.from('a'))]),
      Buffer.from('82ff0000000000000005010203046060606060', 'hex'),
      Buffer.from('82ffffffffffffffffff0102030400', 'hex'),
    ],
    decode: input => {
      const whole = new ClientFrames().push(Buffer.from(input));
      const pieces = new ClientFrames();
      const cut: typeof whole = [];
      for (const byte of input.subarray(0, 20_000)) {
        cut.push(...pieces.push(Buffer.from([byte])));
        if (cut.length > 0 && cut.at(-1)?.type !== 'ping') break;
      }
      claim(isDeepStrictEqual(whole, cut) || input.length > 20_000, 'the words depend on how the stream is cut');
      claim(pieces.keptBytes <= 1_024, `${pieces.keptBytes} bytes are kept between chunks`);
      return whole;
    },
  }),
];
