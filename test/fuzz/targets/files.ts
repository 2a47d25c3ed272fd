// SPDX-License-Identifier: Apache-2.0
/** Files that users and other programs write: captures, configuration, kubeconfigs, policies, tokens, certificates, states of stacks. */
import {KubeconfigError, readKubeconfig} from '@palisade/client';
import {CommandError} from '@palisade/server/errors';
import {decodeJwt, decodeProtectedHeader} from 'jose';
import {parseTokenFile, TokenFileError} from '../../../packages/apiserver/src/authn/token-file.ts';
import {parseConfiguration} from '../../../packages/cli/src/configuration/read-file.ts';
import {readDocuments} from '../../../packages/cli/src/input/read-documents.ts';
import {ByteSource} from '../../../packages/cli/src/replay/byte-source.ts';
import {openCapture} from '../../../packages/cli/src/replay/capture.ts';
import {CaptureFileError} from '../../../packages/cli/src/replay/capture-packet.ts';
import {toEthernet} from '../../../packages/cli/src/replay/link-layer.ts';
import {decodeStatus} from '../../../packages/client/src/kube/kube-error.ts';
import {CertificateError, certificateKey} from '../../../packages/kinds/src/secrets/tls/certificate.ts';
import {keyPairFault} from '../../../packages/kinds/src/secrets/tls/key-pair.ts';
import {pemBlocks} from '../../../packages/kinds/src/secrets/tls/pem.ts';
import {privateKeyOf} from '../../../packages/kinds/src/secrets/tls/private-key.ts';
import {redirectOf} from '../../../packages/prober/src/checks/redirects.ts';
import {claimedUser} from '../../../packages/server/src/accounts/key-assertions.ts';
import {type AuditQuery, matchesAudit, parseAuditLine} from '../../../packages/server/src/audit/audit-query.ts';
import {parseAuditPolicy} from '../../../packages/server/src/audit/policy-file.ts';
import {addressOf, parseServerFile} from '../../../packages/server/src/process/server-file.ts';
import {findTail} from '../../../packages/store/src/drivers/sqlite/wal-tail.ts';
import {pieces} from '../frame/pieces.ts';
import {claim, target} from '../frame/target.ts';

const readCapture = async (bytes: Buffer, size: number): Promise<unknown> => {
  const found: unknown[] = [];
  try {
    for await (const entry of await openCapture(new ByteSource(pieces(bytes, size)))) {
      if (found.length > 5_000) break;
      const frame = 'fault' in entry ? entry.fault : toEthernet(entry.linkType, entry.bytes);
      found.push(typeof frame === 'string' ? frame : frame.length);
    }
  } catch (error) {
    if (!(error instanceof CaptureFileError)) throw error;
    found.push(error.message);
  }
  return found;
};

const jwt = (header: object, payload: object): string =>
  [header, payload]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('c2ln')
    .join('.');

const AUDIT: AuditQuery = {
  user: 'u',
  verb: 'get',
  resource: 'endpoints',
  namespace: 'n',
  name: 'x',
  decision: 'allow',
  code: '200',
  sinceMs: 1,
  untilMs: 2e12,
  follow: false,
  allStages: false,
};
const AUDIT_QUERIES: readonly AuditQuery[] = [
  AUDIT,
  ...(['user', 'verb', 'resource', 'namespace', 'name', 'decision', 'code'] as const).map(name => ({
    [name]: AUDIT[name],
    follow: false,
    allStages: true,
  })),
];
const WAL_PAGE_BYTES = 512;

export const fileTargets = [
  target({
    name: 'capture',
    form: 'bytes',
    decode: async input => {
      const whole = await readCapture(input, input.length + 1);
      const cut = await readCapture(input, 13);
      claim(JSON.stringify(whole) === JSON.stringify(cut), 'the packets depend on how the file is cut');
      return whole;
    },
  }),
  target({
    name: 'configuration-file',
    form: 'yaml',
    seeds: [
      'data: /tmp/x\nhttp: 127.0.0.1:0\nauth: none\n',
      'rules:\n  - a.rules\nvars: {MY_NET: 10.0.0.0/8}\nhomeNet: [10.0.0.0/8]\n',
      'exporters:\n  - name: a\n    url: syslog://h:514\n',
      'x: !y z\n',
      'data: *a\n',
    ],
    words: ['- ', '&a ', '*a', '!x ', '<<: *a', ': ', 'driver', 'exporters', '~', '\t'],
    decode: input => {
      const {values, faults} = parseConfiguration(input.toString(), 'c.yaml', '/tmp');
      claim(
        faults.every(fault => /^c\.yaml:\d+:\d+: ./.test(fault)),
        `a fault has no place: ${faults[0]}`,
      );
      return {values, faults};
    },
  }),
  target({
    name: 'documents',
    form: 'yaml',
    refusals: [CommandError],
    also: ['kube-yaml'],
    seeds: ['{"a":1}\n{"b":2}\n', 'a: 1\n---\nb: 2\n...\n', '- 1\n', ''],
    words: ['---\n', '...\n', '&a ', '*a', '<<: *a', '!!binary ', '{', '\n'],
    decode: input => readDocuments(input.toString(), 'f.yaml'),
  }),
  target({
    name: 'kubeconfig',
    form: 'yaml',
    bytesMax: 3_000, // a deeper text overflows the stack of the package `yaml`, where depends on the moment
    refusals: [KubeconfigError],
    seeds: [
      'apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: k\n  cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: YQ==, tls-server-name: x}\nusers:\n- name: u\n  user: {token: t, as: me, as-groups: [g]}\ncontexts:\n- name: c\n  context: {cluster: k, user: u, namespace: n}\n',
      'current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: "http://x"}}]\nusers: []\n',
      '{"current-context":"c","contexts":null}',
    ],
    words: ['- name: ', 'server: ', 'exec: {}', 'user: ', '&a ', '*a', '~', 'as-user-extra: {a: [b]}'],
    decode: input => {
      const {context, cluster, user, namespace} = readKubeconfig([{path: '/tmp/k', text: input.toString()}], {
        readFile: path => `file ${path}`,
      });
      return {context, cluster, user, namespace};
    },
  }),
  target({
    name: 'audit-policy',
    form: 'yaml',
    seeds: [
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- level: Metadata\n  resources:\n  - {group: "", resources: [secrets], resourceNames: [a]}\n- level: None\n  users: [u]\n  verbs: [get]\n  nonResourceURLs: ["/healthz*"]\n',
    ],
    words: ['- level: ', 'None', 'resources:', '&a ', '*a', '<<: *a', '? ', '!!set '],
    decode: input => parseAuditPolicy(input.toString()),
  }),
  target({
    name: 'audit-line',
    form: 'json',
    seeds: [
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a","stage":"ResponseComplete","requestURI":"/api/v1/x","verb":"get","user":{"username":"u","groups":["g"]},"impersonatedUser":{"username":"v"},"objectRef":{"resource":"endpoints","namespace":"n","name":"x"},"responseStatus":{"code":200},"stageTimestamp":"2026-01-02T03:04:05.000000Z","annotations":{"authorization.k8s.io/decision":"allow"}}',
      '{"kind":"Event","stageTimestamp":""}',
      '5',
    ],
    decode: input => {
      const event = parseAuditLine(input.toString());
      return event && AUDIT_QUERIES.map(query => matchesAudit(event, query));
    },
  }),
  target({
    name: 'server-file',
    form: 'json',
    seeds: [
      '{"http":"http://127.0.0.1:8080","https":"https://127.0.0.1:8443","ca":"/x","pid":5,"process":{"boot":"b","start":"1"}}',
      '{"pid":1}',
      'null',
    ],
    decode: input => {
      const file = parseServerFile(input.toString());
      return file && addressOf(file);
    },
  }),
  target({
    name: 'token-file',
    form: 'text',
    refusals: [TokenFileError],
    seeds: [`t1,user,uid,"g1,g2"\nsha256:${'a'.repeat(64)},u2,2\n\n`, '"a ""q""",b,c\r\n', 't,u\n', '\ufeffx,y,z'],
    words: [',', '"', '""', '\n', '\r\n', 'sha256:', '\ufeff'],
    decode: input => [...parseTokenFile(input.toString())],
  }),
  target({
    name: 'jwt',
    form: 'text',
    seeds: [
      jwt({alg: 'RS256', kid: 'k'}, {iss: 'sa@ns.iam.gserviceaccount.com', sub: 'x', iat: 1, exp: 2, aud: ['a']}),
      jwt({}, {iss: 5}),
      jwt({kid: {}}, {iss: ['a']}),
      'a.b.c',
      '..',
    ],
    words: ['.', '=', 'e30', 'bnVsbA', 'W10'],
    decode: input => {
      const text = input.toString();
      try {
        decodeJwt(text);
        decodeProtectedHeader(text);
      } catch {
        claim(claimedUser(text) === undefined, 'a user of what is no JWT');
      }
      return claimedUser(text);
    },
  }),
  target({
    name: 'certificate',
    form: 'bytes',
    refusals: [CertificateError],
    decode: input => {
      const blocks = [...pemBlocks(input)];
      const bytes = blocks[0]?.bytes ?? input;
      return certificateKey(bytes)?.kind;
    },
  }),
  target({
    name: 'key-pair',
    form: 'bytes',
    decode: input => {
      const half = input.indexOf('-----BEGIN', 1);
      const [certificate, key] = [input.subarray(0, half < 0 ? 0 : half), input.subarray(half < 0 ? 0 : half)];
      const kept = privateKeyOf(pemBlocks(key).next().value?.bytes ?? key);
      return {fault: keyPairFault(certificate, key), key: typeof kept === 'string' ? kept : kept.kind};
    },
  }),
  target({
    name: 'status',
    form: 'json',
    seeds: [
      '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":"Invalid","code":422,"details":{"causes":[{"field":"a"}],"retryAfterSeconds":1}}',
      '{"kind":"Status"}',
      '<html>',
    ],
    decode: input => decodeStatus(input.toString()),
  }),
  target({
    name: 'redirect',
    form: 'text',
    seeds: ['/x', 'http://192.0.2.1:80/y', '//evil', 'http://[::1', 'http://192.0.2.1:99999/', ''],
    words: ['/', '//', ':', '@', '#', '?', '\\', '%', '[', ']', 'http://', 'javascript:'],
    decode: input =>
      redirectOf(
        302,
        input.toString('latin1'),
        '/',
        {ip: '192.0.2.1', port: 80} as never,
        {type: 'http', tls: undefined, host: '', headers: [], expected: []} as never,
      ),
  }),
  target({
    name: 'write-ahead-log',
    form: 'bytes',
    bytesMax: 20_000,
    decode: input => {
      const tail = findTail((bytes, position) => {
        const part = input.subarray(position, position + bytes.length);
        bytes.set(part);
        return part.length;
      }, WAL_PAGE_BYTES);
      claim(tail === undefined || tail.offset + tail.bytes <= input.length, 'the tail is longer than the file');
      return tail;
    },
  }),
];
