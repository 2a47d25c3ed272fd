// SPDX-License-Identifier: Apache-2.0
/** What servers answer to our clients: any program may listen where an API server or a collector is expected. */

import {ProtobufLogsSerializer} from '@opentelemetry/otlp-transformer';
import {createIdsClient, createKubeClient, IdsError, KubeError, TransportError} from '@palisade/client';
import {LineTooLongError, readLines} from '../../../packages/client/src/http/lines.ts';
import {toIdsError} from '../../../packages/client/src/ids/ids-error.ts';
import {retryAfterMs} from '../../../packages/ids/src/export/http-post.ts';
import {partialSuccessOf, whyRefused} from '../../../packages/ids/src/export/otlp/otlp-answer.ts';
import {Peer} from '../frame/peer.ts';
import {collected, pieces} from '../frame/pieces.ts';
import {claim, target} from '../frame/target.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/e';
const LINE_BYTES_MAX = 1_000_000;
/** Small, so that a reader that looks at a line again with each piece is found. */
const PIECE_BYTES = 20;

const otlpAnswer = (body: Buffer, contentType: string) => ({body, contentType, status: 200, retryAfterMs: undefined});

const words = (text: string): string => {
  claim(!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && text.length <= 300, `the words ${JSON.stringify(text)}`);
  return text;
};

/** The answer to one GET; in the errors there is no port, which differs. */
const answered = async <T>(input: Buffer, ask: (server: string) => Promise<T>): Promise<T> => {
  const peer = await Peer.ofThread();
  peer.answer = input;
  return ask(`http://127.0.0.1:${peer.port}`);
};

const http = (body: string, type = 'application/json', status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const HTTP_WORDS = ['HTTP/1.1 ', '\r\n', 'Content-Length: ', '\n', '{', '}', 'null', '"'];

export const answerTargets = [
  target({
    name: 'otlp-answer',
    form: 'json',
    refusals: [SyntaxError],
    seeds: [
      '{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"quota\\nreached"}}',
      '{"partialSuccess":null,"message":"m","code":3}',
      '{"partialSuccess":{"rejectedLogRecords":1}}',
      '[]',
    ],
    decode: input => {
      const answer = otlpAnswer(input, 'application/json');
      const rejected = partialSuccessOf(answer, body => ProtobufLogsSerializer.deserializeResponse(body));
      claim(
        rejected === undefined || (rejected.count > 0 && words(rejected.reason).length >= 0),
        'nothing is rejected',
      );
      return {rejected, why: words(whyRefused(answer)), plain: words(whyRefused(otlpAnswer(input, 'text/plain')))};
    },
  }),
  target({
    name: 'otlp-answer-protobuf',
    form: 'bytes',
    seeds: [Buffer.from('0a0808031204717565', 'hex'), Buffer.from('0803120571756f7461', 'hex'), Buffer.alloc(0)],
    decode: input => {
      const answer = otlpAnswer(input, 'application/x-protobuf');
      return [
        words(whyRefused(answer)),
        partialSuccessOf(answer, body => ProtobufLogsSerializer.deserializeResponse(body)),
      ];
    },
  }),
  target({
    name: 'retry-after',
    form: 'text',
    seeds: ['120', 'Wed, 21 Oct 2026 07:28:00 GMT', '-1', '1e9', '99999999999999999999999'],
    decode: input => {
      const ms = retryAfterMs(input.toString('latin1'), 0);
      claim(ms === undefined || ms >= 0, `${ms} ms`);
      return ms;
    },
  }),
  target({
    name: 'ids-error',
    form: 'json',
    seeds: [
      '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a","description":"b"}]}]}}',
      '{"error":"unauthorized"}',
      '{"error":{"details":{}}}',
      'null',
      '<html>',
    ],
    decode: input => {
      const {code, message, violations} = toIdsError({status: 400, headers: {}, body: input.toString()}, 'GET /x');
      for (const violation of violations) {
        const {field, description} = violation;
        claim(
          [field, description].every(text => typeof text === 'string'),
          'a violation has parts that are no text',
        );
      }
      return {code, message, violations};
    },
  }),
  target({
    name: 'answer-lines',
    form: 'text',
    refusals: [LineTooLongError],
    seeds: ['{"a":1}\n{"b":2}\r\n\n', 'a\r\nb', 'é\n\u2028x\n'],
    words: ['\n', '\r\n', 'é', '💥', '\r'],
    decode: async input => {
      const cut = await collected(readLines(pieces(input, PIECE_BYTES), LINE_BYTES_MAX));
      const whole = await collected(readLines(pieces(input, input.length + 1), LINE_BYTES_MAX));
      claim(JSON.stringify(cut) === JSON.stringify(whole), 'the lines depend on how the stream is cut');
      return cut;
    },
  }),
  target({
    name: 'kube-answer',
    form: 'text',
    refusals: [KubeError, TransportError],
    seeds: [
      http(
        '{"type":"ADDED","object":{"kind":"Endpoints","metadata":{"name":"a"}}}\n{"type":"ERROR","object":{"kind":"Status","code":410}}\n',
      ),
      http('{"kind":"EndpointsList","items":[]}'),
      http('<html>', 'text/html'),
      http('null\n5\n'),
      http(
        '{"kind":"Status","reason":"NotFound","code":404,"message":"m","details":{"causes":{}}}',
        'application/json',
        '404 Not Found',
      ),
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nnull\n\r\n',
    ],
    words: HTTP_WORDS,
    decode: input =>
      answered(input, async server => {
        const client = createKubeClient({server});
        try {
          return await collected(client.endpoints.watch('n'));
        } finally {
          client.close();
        }
      }),
  }),
  target({
    name: 'ids-answer',
    form: 'text',
    refusals: [IdsError, TransportError],
    seeds: [
      http('{"threat_id":"1:1","endpoint":"e","id":"i"}\n{"cursor":"c"}\n'),
      http('{"error":{"status":"UNAVAILABLE","message":"m"}}\n'),
      http('null\n5\n"x"\n'),
      http('<html>', 'text/html'),
    ],
    words: [...HTTP_WORDS, '"cursor":"c"', '"error":'],
    decode: input =>
      answered(input, async server => {
        const client = createIdsClient({server});
        try {
          return await collected(client.followRecords(ENDPOINT, 'threats'));
        } finally {
          client.close();
        }
      }),
  }),
];
