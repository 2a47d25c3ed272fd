// SPDX-License-Identifier: Apache-2.0
/**
 * What an event of Suricata has of the protocol, in fields of ECS. EVE fields used: http, dns, tls, email, smtp, files, fileinfo.
 * Ref: Suricata 7.0 "EVE JSON Format"; Elastic Common Schema 8.17.0.
 */
import {type Document, listOf, numberOf, objectOf, textOf} from './values.ts';

/** `related` may be among them. Empty for a text that is no JSON object. */
export const eventFields = (text: string): Document => {
  const event = parsed(text);
  const http = objectOf(event['http']);
  const dns = dnsOf(objectOf(event['dns']));
  const tls = tlsOf(objectOf(event['tls']));
  const files = filesOf(event);
  const url = urlOf(http);
  return {
    ...(Object.keys(http).length === 0
      ? {}
      : {http: httpOf(http), user_agent: {original: textOf(http['http_user_agent'])}}),
    ...(url === undefined ? {} : {url}),
    ...(dns === undefined ? {} : {dns}),
    ...(tls === undefined ? {} : {tls}),
    ...emailOf(objectOf(event['email'])),
    ...(files[0] === undefined ? {} : {file: files[0]}),
    related: {
      hosts: listOf([
        textOf(http['hostname']),
        textOf(objectOf(objectOf(tls)['client'])['server_name']),
        textOf(objectOf(objectOf(dns)['question'])['name']),
      ]),
      hash: listOf(files.flatMap(({hash}) => Object.values(objectOf(hash)).map(textOf))),
    },
  };
};

const parsed = (text: string): Document => {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
};

const httpOf = (http: Document): Document => ({
  version: textOf(http['protocol'])?.replace(/^HTTP\//, ''),
  request: {method: textOf(http['http_method']), referrer: textOf(http['http_refer'])},
  response: {
    status_code: numberOf(http['status']),
    mime_type: textOf(http['http_content_type']),
    body: {bytes: numberOf(http['length'])},
  },
});

const urlOf = (http: Document): Document | undefined => {
  const original = textOf(http['url']);
  const domain = textOf(http['hostname']);
  if (original === undefined && domain === undefined) return undefined;
  const [, path = '', query] = /^([^?#]*)(?:\?([^#]*))?/.exec(original ?? '') ?? [];
  return {original, domain, port: numberOf(http['http_port']), path: path.startsWith('/') ? path : undefined, query};
};

const first = (value: unknown): Document => objectOf(Array.isArray(value) ? value[0] : value);

/** Of an alert: `{query: [{rrname, rrtype, id}], answer: {rcode, answers: […]}}`. */
const dnsOf = (dns: Document): Document | undefined => {
  if (Object.keys(dns).length === 0) return undefined;
  const query = first(dns['query'] ?? dns['queries']);
  const answer = first(dns['answer']);
  const asked = Object.keys(query).length > 0 ? query : answer;
  const answers = Array.isArray(answer['answers']) ? answer['answers'].map(objectOf) : [];
  return {
    type: Object.keys(answer).length > 0 ? 'answer' : 'query',
    id: numberOf(asked['id'])?.toString(),
    response_code: textOf(answer['rcode']),
    question: {name: textOf(asked['rrname']), type: textOf(asked['rrtype'])},
    answers: answers.map(each => ({
      name: textOf(each['rrname']),
      type: textOf(each['rrtype']),
      ttl: numberOf(each['ttl']),
      data: textOf(each['rdata']),
    })),
    resolved_ip: listOf(
      answers.filter(({rrtype}) => rrtype === 'A' || rrtype === 'AAAA').map(each => textOf(each['rdata'])),
    ),
  };
};

const tlsOf = (tls: Document): Document | undefined => {
  if (Object.keys(tls).length === 0) return undefined;
  const [, protocol, version] = /^(TLS|SSL)v?\s*([\d.]+)/i.exec(textOf(tls['version']) ?? '') ?? [];
  return {
    version,
    version_protocol: protocol?.toLowerCase(),
    client: {server_name: textOf(tls['sni']), ja3: textOf(objectOf(tls['ja3'])['hash'])},
    server: {
      ja3s: textOf(objectOf(tls['ja3s'])['hash']),
      subject: textOf(tls['subject']),
      issuer: textOf(tls['issuerdn']),
      hash: {sha1: textOf(tls['fingerprint'])?.replaceAll(':', '').toUpperCase()},
      not_before: dateOf(tls['notbefore']),
      not_after: dateOf(tls['notafter']),
    },
  };
};

/** Suricata gives no zone: it is UTC. */
const dateOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text) ? `${text}Z` : text;
};

const texts = (value: unknown): readonly string[] => listOf((Array.isArray(value) ? value : [value]).map(textOf));

const emailOf = (email: Document): Document =>
  Object.keys(email).length === 0
    ? {}
    : {
        email: {
          from: {address: texts(email['from'])},
          to: {address: texts(email['to'])},
          cc: {address: texts(email['cc'])},
          subject: textOf(email['subject']),
          message_id: textOf(email['message_id']),
        },
      };

const filesOf = (event: Document): readonly Document[] => {
  const {files, fileinfo} = event;
  const all = [...(Array.isArray(files) ? files : []), ...(fileinfo === undefined ? [] : [fileinfo])].map(objectOf);
  return all.map(file => ({
    name: textOf(file['filename'])?.split('/').at(-1),
    path: textOf(file['filename']),
    size: numberOf(file['size']),
    mime_type: textOf(file['mimetype']),
    hash: {md5: textOf(file['md5']), sha1: textOf(file['sha1']), sha256: textOf(file['sha256'])},
  }));
};
