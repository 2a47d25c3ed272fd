// SPDX-License-Identifier: Apache-2.0
/** One check. Where Kubernetes has the same field, its words. Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go validateProbe. */
import {
  childPath,
  dns1123SubdomainFaults,
  type FieldError,
  forbidden,
  indexPath,
  invalid,
  namedText,
  notSupported,
  parseIpSloppy,
  portNumberFaults,
  required,
} from '@palisade/kube-wire';
import {rangeFaults} from '../number-ranges.ts';
import {CertificateError, certificateKey} from '../secrets/tls/certificate.ts';
import {pemBlocks} from '../secrets/tls/pem.ts';
import {HANDLERS, rangeOf, usesTls} from './method.ts';
import type {CheckedPort, CheckHeader, CheckTlsConfig, EndpointCheck, HttpGetCheck} from './types.ts';

/** A timer cannot wait for much longer than a day. */
const NUMBERS = {
  periodSeconds: [1, 3_600],
  timeoutSeconds: [1, 300],
  successThreshold: [1, 1_000],
  failureThreshold: [1, 1_000],
  initialDelaySeconds: [0, 86_400],
  jitterPercent: [0, 50],
} as const satisfies Partial<Record<keyof EndpointCheck, readonly [number, number]>>;

const SCHEMES = {httpGet: ['HTTP', 'HTTPS'], webSocket: ['WS', 'WSS']} as const;
export const PATH_BYTES_MAX = 2_048;
/** Decoded: what signs the certificates of a group is a few of them. */
export const CA_BYTES_MAX = 65_536;

export const validateCheck = (port: CheckedPort, check: EndpointCheck, path: string): FieldError[] => {
  const errors: FieldError[] = [];
  if (port.protocol !== undefined && port.protocol !== 'TCP')
    errors.push(forbidden(path, `may only be set for the protocol TCP, not for ${port.protocol}`));
  const [, ...more] = HANDLERS.filter(each => check[each] !== undefined);
  for (const each of more) errors.push(forbidden(childPath(path, each), 'may not specify more than 1 handler type'));
  for (const each of ['httpGet', 'webSocket'] as const) {
    const request = check[each];
    if (request !== undefined) errors.push(...validateRequest(request, SCHEMES[each], childPath(path, each)));
  }
  if (check.tlsConfig !== undefined)
    errors.push(...validateTls(check.tlsConfig, usesTls(port, check), childPath(path, 'tlsConfig')));
  if (check.port !== undefined) {
    for (const fault of portNumberFaults(check.port)) errors.push(invalid(childPath(path, 'port'), check.port, fault));
  }
  return [...errors, ...rangeFaults(check, NUMBERS, path)];
};

const validateRequest = (
  {path = '', scheme = '', host, httpHeaders = [], expectedStatuses = []}: HttpGetCheck,
  schemes: readonly string[],
  at: string,
): FieldError[] => {
  const errors = pathFaults(path).map(fault => invalid(childPath(at, 'path'), path, fault));
  if (scheme !== '' && !schemes.includes(scheme))
    errors.push(notSupported(childPath(at, 'scheme'), namedText(scheme), schemes));
  if (host !== undefined && host !== '' && !isHost(host))
    errors.push(
      invalid(
        childPath(at, 'host'),
        host,
        'must be a DNS name or an IP address (IPv6 in brackets), with or without a port',
      ),
    );
  for (const [index, header] of httpHeaders.entries())
    errors.push(...validateHeader(header, indexPath(childPath(at, 'httpHeaders'), index)));
  for (const [index, text] of expectedStatuses.entries()) {
    if (!isStatusRange(text))
      errors.push(
        invalid(
          indexPath(childPath(at, 'expectedStatuses'), index),
          text,
          'must be a status code from 100 to 599 or a range of them (e.g. `200` or `200-299`)',
        ),
      );
  }
  return errors;
};

const pathFaults = (path: string): string[] => {
  if (path === '') return [];
  const faults: string[] = [];
  if (!path.startsWith('/')) faults.push('must begin with /');
  if (!/^[\x21-\x7e]*$/.test(path)) faults.push('must have printable ASCII characters only; percent-encode all others');
  if (path.includes('#')) faults.push('must not have a fragment (#)');
  if (path.length > PATH_BYTES_MAX) faults.push(`must be no more than ${PATH_BYTES_MAX} bytes`);
  return faults;
};

/** As it is sent in a Host header (RFC 9110, section 7.2). */
const isHost = (host: string): boolean => {
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(host) ?? [];
  if (port !== undefined && portNumberFaults(Number(port)).length > 0) return false;
  if (bracketed !== undefined) return bracketed.includes(':') && parseIpSloppy(bracketed) !== undefined;
  return dns1123SubdomainFaults(plain.toLowerCase()).length === 0;
};

const HEADER_NAME = /^[-A-Za-z0-9]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that belong to the connection. A check sets them itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'sec-websocket-accept',
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-version',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const validateHeader = ({name = '', value = ''}: CheckHeader, path: string): FieldError[] => {
  const at = childPath(path, 'name');
  const lower = name.toLowerCase();
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(at));
  else if (!HEADER_NAME.test(name))
    errors.push(
      invalid(
        at,
        name,
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      ),
    );
  else if (lower === 'host') errors.push(invalid(at, name, 'set `host` instead of this header'));
  else if (OWN_HEADERS.has(lower)) errors.push(invalid(at, name, 'is set by the check itself; remove it'));
  if (!HEADER_VALUE.test(value))
    errors.push(invalid(childPath(path, 'value'), value, 'must not have control characters, nor any beyond Latin-1'));
  return errors;
};

const isStatusRange = (text: string): boolean => {
  if (!/^\d{3}(-\d{3})?$/.test(text)) return false;
  const [from, to] = rangeOf(text);
  return from >= 100 && to <= 599 && from <= to;
};

const validateTls = ({serverName = '', caBundle = ''}: CheckTlsConfig, isTls: boolean, path: string): FieldError[] => {
  const errors: FieldError[] = [];
  if (!isTls)
    errors.push(
      forbidden(path, 'may only be set for a check over TLS: tls, scheme HTTPS or WSS, or grpc with `tls: true`'),
    );
  if (serverName !== '') {
    const at = childPath(path, 'serverName');
    const faults =
      parseIpSloppy(serverName) === undefined
        ? dns1123SubdomainFaults(serverName)
        : ['must be a DNS name, not an IP address'];
    for (const fault of faults) errors.push(invalid(at, serverName, fault));
  }
  const fault = caBundle === '' ? undefined : bundleFault(caBundle);
  if (fault !== undefined) errors.push(invalid(childPath(path, 'caBundle'), '<certificates>', fault));
  return errors;
};

const bundleFault = (base64: string): string | undefined => {
  const size = Buffer.byteLength(base64, 'base64');
  if (size > CA_BYTES_MAX) return `must be no more than ${CA_BYTES_MAX} bytes, but has ${size}`;
  const blocks = [...pemBlocks(Buffer.from(base64, 'base64'))];
  if (blocks.length === 0) return 'must be certificates in PEM (-----BEGIN CERTIFICATE-----)';
  for (const [index, {type, bytes}] of blocks.entries()) {
    if (type !== 'CERTIFICATE') return `must have certificates only, but block ${index + 1} is: ${type}`;
    try {
      certificateKey(bytes);
    } catch (error) {
      if (error instanceof CertificateError) return `certificate ${index + 1} cannot be read: ${error.message}`;
      throw error;
    }
  }
  return undefined;
};

/**
 * A timeout beyond the period is allowed, as kubelet allows it: checks of one member never overlap, so a slow one delays the next.
 */
export const checkWarnings = (check: EndpointCheck, path: string): string[] => {
  const {timeoutSeconds = 1, periodSeconds = 10, tlsConfig} = check;
  const warnings: string[] = [];
  if (timeoutSeconds > periodSeconds)
    warnings.push(
      `${childPath(path, 'timeoutSeconds')}: ${timeoutSeconds} is longer than periodSeconds (${periodSeconds}); a slow check delays the next one`,
    );
  if (tlsConfig?.insecureSkipVerify === true && (tlsConfig.caBundle ?? '') !== '')
    warnings.push(`${childPath(path, 'tlsConfig.caBundle')}: has no effect with insecureSkipVerify`);
  return warnings;
};
