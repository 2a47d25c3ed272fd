// SPDX-License-Identifier: Apache-2.0
/** Tokens of issuers, the documents that issuers publish, and what is asked of the audit log. */
import {generateKeyPairSync, type KeyObject, sign} from 'node:crypto';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {oidcTokenSource, parseKeySet} from '@palisade/apiserver/oidc';
import {ManualTime} from '@palisade/apiserver/testing';
import {parseAuditWords, unknownAuditWords} from '../../../packages/server/src/audit/audit-parameters.ts';
import {parseAuditLine} from '../../../packages/server/src/audit/audit-query.ts';
import {readAudit} from '../../../packages/server/src/audit/read-audit.ts';
import {IssuerKeys} from '../../../packages/server/src/auth/oidc/issuer-keys.ts';
import {inFolder} from '../frame/folder.ts';
import {collected} from '../frame/pieces.ts';
import {claim, target} from '../frame/target.ts';

const ISSUER = 'https://issuer.example.com';
const NOW_MS = Date.UTC(2026, 0, 1);
const NOW = NOW_MS / 1000;
const SETTINGS = {
  issuerUrl: ISSUER,
  clientId: 'palisade',
  usernameClaim: 'email',
  usernamePrefix: 'oidc:',
  groupsClaim: 'groups',
  groupsPrefix: 'oidc:',
  requiredClaims: [['hd', 'example.com']],
  signingAlgs: ['ES256'],
} as const;

type Keys = {readonly key: KeyObject; readonly jwk: object};
let made: Keys | undefined;
/** Made once: what is decoded does not depend on it. */
const keys = (): Keys => {
  if (made === undefined) {
    const {privateKey: key, publicKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
    made = {key, jwk: {...publicKey.export({format: 'jwk'}), kid: 'k'}};
  }
  return made;
};

/** One document as header and claims: JSON.stringify could not write again what is nested deeply. */
const signed = (document: Buffer): string => {
  const part = document.toString('base64url');
  const content = `${part}.${part}`;
  const signature = sign('sha256', Buffer.from(content), {key: keys().key, dsaEncoding: 'ieee-p1363'});
  return `${content}.${signature.toString('base64url')}`;
};

/** Throws SyntaxError. */
const listIn = (input: Buffer): readonly unknown[] => {
  const value: unknown = JSON.parse(input.toString());
  return Array.isArray(value) ? value : [];
};

const CLAIMS = {
  ...{iss: ISSUER, aud: ['palisade'], sub: 's', email: 'jane@example.com', email_verified: true},
  ...{groups: ['a'], hd: 'example.com', exp: NOW + 60, nbf: NOW - 60, iat: NOW},
};
const DISCOVERY = {issuer: ISSUER, jwks_uri: 'https://issuer.example.com/keys'};
const silent = {info: () => undefined, warn: () => undefined};

const EVENT =
  '{"kind":"Event","level":"Metadata","auditID":"a","stage":"ResponseComplete","requestURI":"/x","verb":"get","user":{"username":"u"},"stageTimestamp":"2026-01-02T03:04:05.000000Z"}';

export const signInTargets = [
  target({
    name: 'oidc-token',
    form: 'json',
    seeds: [
      JSON.stringify({alg: 'ES256', kid: 'k', ...CLAIMS}),
      JSON.stringify({alg: 'ES256', ...CLAIMS, groups: 'one', aud: 'palisade', email: {}}),
      JSON.stringify({alg: 'none', ...CLAIMS, exp: '1e400'}),
      JSON.stringify({alg: 'ES256', crit: ['x'], b64: false, ...CLAIMS}),
    ],
    decode: async input => {
      const current = parseKeySet({keys: [keys().jwk]});
      const source = oidcTokenSource(SETTINGS, {
        keys: {current, refresh: async () => false},
        clock: {now: () => NOW_MS},
      });
      const answer = await source.find(signed(input));
      if (answer?.outcome !== 'user') return answer;
      const {exp, aud, hd, iss} = JSON.parse(input.toString()) as Record<string, unknown>;
      claim(iss === ISSUER && hd === 'example.com' && Number(exp) >= NOW, 'a token that does not hold is accepted');
      claim([aud].flat().includes('palisade'), 'a token for another audience is accepted');
      const {name, groups = []} = answer.user;
      claim(
        [name, ...groups].every(text => text.startsWith('oidc:') || text.startsWith('system:')),
        'a name has no prefix',
      );
      return answer;
    },
  }),
  target({
    name: 'oidc-keys',
    form: 'json',
    refusals: [SyntaxError, Error],
    seeds: [
      '{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},{"kty":"RSA","n":"AQAB","e":"AQAB","alg":"ES256","use":"sig","key_ops":["verify"]}]}',
      '{"keys":[{"kty":"oct","k":"AA"},null,5]}',
      '{"keys":{}}',
    ],
    decode: async input => {
      const set = parseKeySet(JSON.parse(input.toString()));
      const isOurs = await set.isSignatureOf(signed(Buffer.from(JSON.stringify({alg: 'ES256', ...CLAIMS}))), ['ES256']);
      claim(!isOurs, 'a signature of another key is accepted');
      return set.size;
    },
  }),
  target({
    name: 'oidc-discovery',
    form: 'json',
    refusals: [SyntaxError],
    seeds: [
      JSON.stringify([DISCOVERY, {keys: [{kty: 'EC', crv: 'P-256', x: 'a', y: 'b'}]}]),
      JSON.stringify([{...DISCOVERY, jwks_uri: 'http://issuer.example.com/keys'}, {}]),
      JSON.stringify([{issuer: {}, jwks_uri: []}, null]),
    ],
    decode: async input => {
      const answers = [...listIn(input)];
      const time = new ManualTime();
      const counts = {succeeded: 0, failed: 0};
      const urls: string[] = [];
      const issuer = new IssuerKeys({
        ...{issuerUrl: ISSUER, clock: time, timers: time, log: silent, counts},
        fetchJson: async url => {
          urls.push(url);
          return answers.shift();
        },
      });
      const isFetched = await issuer.fetch();
      issuer.stop();
      claim(
        urls.every(url => url.startsWith('https:')),
        `fetched ${urls.join(', ')}`,
      );
      return {isFetched, size: issuer.current?.size};
    },
  }),
  target({
    name: 'audit-words',
    form: 'json',
    refusals: [SyntaxError],
    seeds: [
      '{"user":"u","since":"1h","until":"2026-01-02T03:04:05Z","limit":"10","stages":"all","code":"403","decision":"allow"}',
      '{"follow":"1","since":"99999999999999999999d","resource":"pods.x/log"}',
      '{"limit":"1e3","since":"2026-01-01T99:00","nope":""}',
    ],
    words: ['"since":', '"1d"', '"2026-13-01"', '"0x10"', '" 5 "'],
    decode: input => {
      const given = Object.entries(Object(JSON.parse(input.toString())) as object).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      );
      const {query, faults} = parseAuditWords(Object.fromEntries(given), NOW_MS, name => `--${name}`);
      const times = [query.sinceMs, query.untilMs].filter(ms => ms !== undefined);
      claim(faults.length > 0 || times.every(Number.isFinite), 'a time that is no number is accepted');
      return {query, faults, unknown: unknownAuditWords(given.map(([name]) => name))};
    },
  }),
  target({
    name: 'audit-file',
    form: 'text',
    bytesMax: 300_000, // more than one piece that is read at a time
    seeds: [`${EVENT}\n${EVENT}\n`, `${EVENT.slice(0, 50)}\n${EVENT}`, `\n\n{"kind":"Event"}\r\n5\n${EVENT}\n`],
    words: ['\n', '\r\n', EVENT, '\0'],
    decode: input =>
      inFolder(async folder => {
        const file = join(folder, 'audit.log');
        await writeFile(file, input);
        const read = await collected(readAudit(file, {follow: false, allStages: true}));
        const whole = input.subarray(0, input.lastIndexOf(0x0a) + 1);
        const lines = whole.toString().split('\n').map(parseAuditLine);
        claim(
          JSON.stringify(read) === JSON.stringify(lines.filter(Boolean)),
          'the file has other events than its lines',
        );
        return read.length;
      }),
  }),
];
