// SPDX-License-Identifier: Apache-2.0
/** Fields of EVE in words. */

/** Parts of a path that their own letters do not explain. */
const WORDS: Readonly<Record<string, string>> = {
  pkts_toserver: 'packets to server',
  pkts_toclient: 'packets to client',
  bytes_toserver: 'bytes to server',
  bytes_toclient: 'bytes to client',
  src_ip: 'source address',
  dest_ip: 'destination address',
  src_port: 'source port',
  dest_port: 'destination port',
  hostname: 'host',
  http_method: 'method',
  http_user_agent: 'user agent',
  http_content_type: 'content type',
  http_refer: 'referrer',
  http_port: 'port',
  queries: 'query',
  answers: 'answer',
  authorities: 'authority',
  additionals: 'additional',
  rrname: 'name',
  rrtype: 'type',
  rdata: 'data',
  rcode: 'response code',
  tx_id: 'transaction ID',
  id: 'ID',
  issuerdn: 'issuer',
  notbefore: 'valid from',
  notafter: 'valid until',
  rcpt_to: 'recipient',
  filename: 'file name',
};
/** Abbreviations, by their letters before the first digit. */
const CAPITALS = new Set(['url', 'uri', 'sni', 'ttl', 'ip', 'md', 'sha', 'ja', 'ja3s', 'hassh', 'helo', 'mac', 'dns']);
const HEADERS = /^(request|response)_headers$/;

const wordsOf = (part: string): string =>
  WORDS[part] ??
  part
    .split('_')
    .map(word => (CAPITALS.has(word) || CAPITALS.has(word.replace(/\d+$/, '')) ? word.toUpperCase() : word))
    .join(' ');

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/**
 * `pkts_toserver` → `Packets to server`; `queries.0.rrname` → `Query: name`, of the second one `Query 2: name`.
 * Names of HTTP headers remain as they are. Each path has a label of its own.
 */
export function fieldLabel(path: string): string {
  const labels: string[] = [];
  let isHeader = false;
  for (const part of path.split('.')) {
    const last = labels.at(-1);
    if (/^\d+$/.test(part)) {
      if (last === undefined) labels.push(String(Number(part) + 1));
      else if (part !== '0') labels[labels.length - 1] = `${last} ${Number(part) + 1}`;
    } else {
      labels.push(isHeader ? part : wordsOf(part));
      isHeader = HEADERS.test(part);
    }
  }
  return capital(labels.join(': '));
}
