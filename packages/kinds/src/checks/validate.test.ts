// SPDX-License-Identifier: Apache-2.0
/** What a checked port may be. Ref: requirements E-080 to E-088. */
import {describe, expect, test} from 'vitest';
import type {CheckedPort, EndpointCheck} from './types.ts';
import {checkedPortWarnings, validateCheckedPorts} from './validate.ts';

const PORT: CheckedPort = {port: 80, protocol: 'TCP'};
const faults = (...ports: readonly CheckedPort[]): string[] =>
  validateCheckedPorts(ports, 'p').map(({path, type, detail}) => `${path}: ${detail || type}`);
const ofCheck = (check: EndpointCheck, port: Partial<CheckedPort> = {}): string[] =>
  faults({...PORT, ...port, check}).map(text => text.replace('p[0].check.', ''));
const fields = (found: readonly string[]): string[] => found.map(text => text.split(':')[0] ?? '');

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBUTCB96ADAgECAgECMAoGCCqGSM49BAMCMBExDzANBgNVBAMMBm15LWh1YjAe
-----END CERTIFICATE-----
`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('46-1 ports', () => {
  test('E-084 one may be without a name, of several each needs one of its own', () => {
    expect(faults(PORT)).toEqual([]);
    expect(faults({...PORT, name: 'a'}, {...PORT, name: 'b', port: 81})).toEqual([]);
    expect(faults({...PORT, name: 'a'}, {...PORT, port: 81})).toEqual(['p[1].name: FieldValueRequired']);
    expect(faults({...PORT, name: 'a'}, {...PORT, name: 'a', port: 81})).toEqual(['p[1].name: FieldValueDuplicate']);
  });

  test('a number is there once for each protocol', () => {
    expect(faults({...PORT, name: 'a'}, {...PORT, name: 'b', protocol: 'UDP'})).toEqual([]);
    expect(faults({...PORT, name: 'a'}, {...PORT, name: 'b'})).toEqual(['p[1]: FieldValueDuplicate']);
  });

  test('are at most 100; of more none is looked at', () => {
    const many = Array.from({length: 101}, (_, i) => ({...PORT, name: `p${i}`, port: i + 1}));
    expect(faults(...many.slice(1))).toEqual([]);
    expect(faults(...many)).toEqual(['p: must have at most 100 items']);
    expect(faults(...many.map(port => ({...port, port: 0})))).toEqual(['p: must have at most 100 items']);
  });

  test('E-081 E-083 E-085 E-088 have the rules of Endpoints, all faults at once', () => {
    expect(fields(faults({name: 'A', port: 0, protocol: 'tcp', appProtocol: '-x'}))).toEqual([
      'p[0].name',
      'p[0].port',
      'p[0].protocol',
      'p[0].appProtocol',
    ]);
  });
});

describe('46-2 a check', () => {
  test.each<[string, EndpointCheck, Partial<CheckedPort>?]>([
    ['nothing', {}],
    ['tcp', {tcpSocket: {}, port: 65_535, jitterPercent: 0, initialDelaySeconds: 86_400}],
    ['http', {httpGet: {path: '/a?b=%20', host: 'a.example:8080', expectedStatuses: ['200', '300-399', '599']}}],
    ['https', {httpGet: {scheme: 'HTTPS', host: '[fd00::1]:443'}, tlsConfig: {serverName: 'a.example'}}],
    ['https by appProtocol', {tlsConfig: {insecureSkipVerify: true}}, {appProtocol: 'HTTPS'}],
    ['tls', {tls: {}, tlsConfig: {serverName: 'a'}}],
    ['grpc', {grpc: {tls: true, service: 'a.B'}, tlsConfig: {}}],
    ['web socket', {webSocket: {path: '/ws', httpHeaders: [{name: 'X-A', value: ''}]}}],
    [
      'the largest numbers',
      {periodSeconds: 3_600, timeoutSeconds: 300, successThreshold: 1_000, failureThreshold: 1_000},
    ],
  ])('may be %s', (_, check, port) => expect(ofCheck(check, port)).toEqual([]));

  test.each<[string, EndpointCheck, readonly string[], Partial<CheckedPort>?]>([
    [
      'two methods',
      {tcpSocket: {}, httpGet: {}, grpc: {}},
      ['tcpSocket: may not specify more than 1 handler type', 'grpc: may not specify more than 1 handler type'],
    ],
    ['UDP', {}, ['p[0].check: may only be set for the protocol TCP, not for UDP'], {protocol: 'UDP'}],
    [
      'numbers out of range',
      {
        port: 0,
        periodSeconds: 3_601,
        timeoutSeconds: 301,
        successThreshold: -1,
        failureThreshold: 1_001,
        initialDelaySeconds: -1,
        jitterPercent: 51,
      },
      [
        'port: must be between 1 and 65535, inclusive',
        'periodSeconds: must be between 1 and 3600, inclusive',
        'timeoutSeconds: must be between 1 and 300, inclusive',
        'successThreshold: must be between 1 and 1000, inclusive',
        'failureThreshold: must be between 1 and 1000, inclusive',
        'initialDelaySeconds: must be between 0 and 86400, inclusive',
        'jitterPercent: must be between 0 and 50, inclusive',
      ],
    ],
    [
      'a malformed path',
      {httpGet: {path: 'a b#c'}},
      [
        'httpGet.path: must begin with /',
        'httpGet.path: must have printable ASCII characters only; percent-encode all others',
        'httpGet.path: must not have a fragment (#)',
      ],
    ],
    [
      'a path with a line break',
      {webSocket: {path: '/a\r\nX: y'}},
      ['webSocket.path: must have printable ASCII characters only; percent-encode all others'],
    ],
    ['a scheme of another method', {webSocket: {scheme: 'HTTP'}}, ['webSocket.scheme: supported values: "WS", "WSS"']],
    [
      'hosts',
      {httpGet: {host: 'a_b'}},
      ['httpGet.host: must be a DNS name or an IP address (IPv6 in brackets), with or without a port'],
    ],
    [
      'headers',
      {
        httpGet: {
          httpHeaders: [
            {name: '', value: 'x'},
            {name: 'a b', value: 'x'},
            {name: 'Host', value: 'x'},
            {name: 'connection', value: 'close'},
            {name: 'X', value: 'a\nb'},
          ],
        },
      },
      [
        'httpGet.httpHeaders[0].name: FieldValueRequired',
        "httpGet.httpHeaders[1].name: a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
        'httpGet.httpHeaders[2].name: set `host` instead of this header',
        'httpGet.httpHeaders[3].name: is set by the check itself; remove it',
        'httpGet.httpHeaders[4].value: must not have control characters, nor any beyond Latin-1',
      ],
    ],
    [
      'status codes',
      {httpGet: {expectedStatuses: ['99', '300-200', '2xx', '200-600', '200']}},
      [0, 1, 2, 3].map(
        index =>
          `httpGet.expectedStatuses[${index}]: must be a status code from 100 to 599 or a range of them (e.g. \`200\` or \`200-299\`)`,
      ),
    ],
    [
      'TLS settings without TLS',
      {tlsConfig: {}},
      ['tlsConfig: may only be set for a check over TLS: tls, scheme HTTPS or WSS, or grpc with `tls: true`'],
      {appProtocol: 'http'},
    ],
    [
      'an IP address as server name',
      {tls: {}, tlsConfig: {serverName: '10.0.0.1'}},
      ['tlsConfig.serverName: must be a DNS name, not an IP address'],
    ],
    [
      'certificates that are not PEM',
      {tls: {}, tlsConfig: {caBundle: base64('x')}},
      ['tlsConfig.caBundle: must be certificates in PEM (-----BEGIN CERTIFICATE-----)'],
    ],
    [
      'certificates of more than 64 KiB',
      {tls: {}, tlsConfig: {caBundle: base64('x'.repeat(65_537))}},
      ['tlsConfig.caBundle: must be no more than 65536 bytes, but has 65537'],
    ],
    [
      'a key among the certificates',
      {tls: {}, tlsConfig: {caBundle: base64(CERTIFICATE.replaceAll('CERTIFICATE', 'PRIVATE KEY'))}},
      ['tlsConfig.caBundle: must have certificates only, but block 1 is: PRIVATE KEY'],
    ],
    [
      'a certificate that is cut',
      {tls: {}, tlsConfig: {caBundle: base64(CERTIFICATE)}},
      ['tlsConfig.caBundle: certificate 1 cannot be read: x509: malformed certificate'],
    ],
  ])('is refused with %s', (_, check, texts, port) => expect(ofCheck(check, port)).toEqual(texts));

  test('may have a timeout beyond its period, with a warning', () => {
    const check = {timeoutSeconds: 11, tls: {}, tlsConfig: {caBundle: base64('x'), insecureSkipVerify: true}};
    expect(checkedPortWarnings([{...PORT, check}], 'p')).toEqual([
      'p[0].check.timeoutSeconds: 11 is longer than periodSeconds (10); a slow check delays the next one',
      'p[0].check.tlsConfig.caBundle: has no effect with insecureSkipVerify',
    ]);
    expect(checkedPortWarnings([PORT, {...PORT, check: {}}], 'p')).toEqual([]);
  });
});
