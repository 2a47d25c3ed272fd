// SPDX-License-Identifier: Apache-2.0
/** Values that are compared by what they mean, and values that a field can never hold. */
import {describe, expect, test} from 'vitest';
import {canonicalIp} from '../ip-address.ts';
import {ENDPOINT_LIST, LOCATION_LIST, OPERATION_LIST, THREAT_LIST, TRAFFIC_LIST} from '../list-schemas.ts';
import {parseOrderBy} from '../order-by.ts';
import type {ThreatRecord} from '../records.ts';
import {compileFilter} from './compile.ts';
import {FilterError} from './filter-error.ts';

const ADDRESSES: Readonly<Record<string, string>> = {
  a: '192.0.2.1',
  b: '192.0.2.130',
  c: '2001:db8::1',
  d: '2001:db8:0:1::2',
  e: '::ffff:192.0.2.1',
  f: 'fe80::1',
};
const TEXTS = [
  'threat_id',
  'name',
  'type',
  'category',
  'destination_ip_address',
  'application',
  'uri_or_filename',
  'details',
];
const recordOf = (address: string): ThreatRecord =>
  ({...Object.fromEntries(TEXTS.map(name => [name, ''])), source_ip_address: address}) as ThreatRecord;
const matching = (filter: string): string => {
  const matches = compileFilter(filter, THREAT_LIST);
  return Object.keys(ADDRESSES)
    .filter(id => matches(recordOf(ADDRESSES[id] ?? '')))
    .join('');
};

describe('addresses', () => {
  test.each([
    ['the text itself', 'source_ip_address="2001:db8::1"', 'c'],
    ['written in full', 'source_ip_address="2001:0db8:0000:0000:0000:0000:0000:0001"', 'c'],
    ['in upper case', 'sourceIpAddress="2001:DB8::1"', 'c'],
    ['another run of zeros cut short', 'source_ip_address="2001:db8:0:1:0:0:0:2"', 'd'],
    ['without quotes', 'source_ip_address=2001:db8::1', 'c'],
    [': is =', 'source_ip_address:2001:DB8::1', 'c'],
    ['an IPv4-mapped address is the IPv4 address', 'source_ip_address="192.0.2.1"', 'ae'],
    ['and the other way round', 'source_ip_address="::FFFF:c000:201"', 'ae'],
    ['inequality', 'source_ip_address!="2001:0db8::0001"', 'abdef'],
    ['NOT', 'NOT source_ip_address="2001:0db8::0001"', 'abdef'],
    ['an IPv4 block', 'source_ip_address="192.0.2.0/25"', 'ae'],
    ['bits behind the prefix do not count', 'source_ip_address="192.0.2.99/24"', 'abe'],
    ['a block of one address', 'source_ip_address="192.0.2.130/32"', 'b'],
    ['every IPv4 address', 'source_ip_address="0.0.0.0/0"', 'abe'],
    ['every IPv6 address, but no IPv4-mapped one', 'source_ip_address="::/0"', 'cdf'],
    ['an IPv6 block', 'source_ip_address=2001:db8::/32', 'cd'],
    ['an IPv6 block whose prefix ends within a group', 'source_ip_address="FE80::/10"', 'f'],
    ['a block with :', 'source_ip_address:2001:db8::/64', 'c'],
    ['inequality with a block', 'source_ip_address!="2001:db8::/32"', 'abef'],
    ['a block of IPv4-mapped addresses', 'source_ip_address="::ffff:192.0.2.0/121"', 'ae'],
    ['a choice of blocks', 'source_ip_address=(192.0.2.128/25 OR fe80::/10)', 'bf'],
    ['a wildcard', 'source_ip_address="192.0.2.*"', 'ab'],
    ['a wildcard in upper case', 'source_ip_address="2001:DB8:*"', 'cd'],
    ['presence', 'source_ip_address=*', 'abcdef'],
    ['a value that stands alone, written in full', '"2001:0DB8:0:0:0:0:0:1"', 'c'],
  ])('F-14 %s: %s', (_rule, filter, want) => {
    expect(matching(filter)).toBe(want);
  });

  test('F-14 an endpoint without an address is found by its empty text; a record always has addresses', () => {
    const matches = (filter: string) =>
      ['10.0.0.1', undefined].map(endpointIp => compileFilter(filter, ENDPOINT_LIST)({endpointIp} as never));
    expect([matches('endpointIp=""'), matches('endpointIp!=""')]).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(() => compileFilter('source_ip_address=""', THREAT_LIST)).toThrow('neither an address nor a CIDR block');
  });

  test('F-14 an order by address is by value, IPv4 before IPv6', () => {
    const order = parseOrderBy<ThreatRecord>('source_ip_address', THREAT_LIST);
    const texts = ['2001:db8::10', '9.0.0.1', '2001:db8::9', '10.0.0.1', 'fe80::1', '::1', '100.0.0.1'];
    const sorted = texts.toSorted((a, b) => order.compare(order.keyOf(recordOf(a)), order.keyOf(recordOf(b))));
    expect(sorted).toEqual(['9.0.0.1', '10.0.0.1', '100.0.0.1', '::1', '2001:db8::9', '2001:db8::10', 'fe80::1']);
  });

  test.each([
    ['2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['fe80:0000:0000:0000:0000:0000:0000:0000', 'fe80::'],
    ['2001:0db8:0000:0001:0001:0001:0001:0001', '2001:db8:0:1:1:1:1:1'],
    ['0000:0000:0000:0000:0000:ffff:c000:0201', '::ffff:192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['', ''],
  ])('F-14 the text of %s is %s', (text, want) => {
    expect(canonicalIp(text)).toBe(want);
  });
});

describe('values that can never match', () => {
  test.each([
    ['source_ip_address=shop.example', 'neither an address nor a CIDR block'],
    ['source_ip_address=192.0.2', 'neither an address nor a CIDR block'],
    ['source_ip_address=192.0.2.256', 'neither an address nor a CIDR block'],
    ['source_ip_address!=010.0.0.1', 'neither an address nor a CIDR block'],
    ['source_ip_address="fe80::1%eth0"', 'neither an address nor a CIDR block'],
    ['source_ip_address=10.0.0.0/33', 'neither an address nor a CIDR block'],
    ['source_ip_address="2001:db8::/129"', 'neither an address nor a CIDR block'],
    ['source_ip_address=10.0.0.0/', 'neither an address nor a CIDR block'],
    ['source_ip_address=10.0.0.0/255.0.0.0', 'neither an address nor a CIDR block'],
    ['source_ip_address="host*"', 'neither an address nor a CIDR block'],
    ['source_ip_address="192.0.300.*"', 'neither an address nor a CIDR block'],
    ['destination_ip_address<10.0.0.1', 'no order'],
    ['source_port=http', 'not a number'],
    ['source_port=70000', 'from 0 to 65535: it can never be =70000'],
    ['source_port=-1', 'from 0 to 65535'],
    ['source_port>65535', 'can never be >65535'],
    ['source_port!=80.5', 'whole number'],
    ['repeat_count<0', 'can never be <0'],
    ['alert_severity=SEVERE', 'not a value'],
    ['alert_severity="X*"', 'not a value'],
    ['alert_time>yesterday', 'RFC 3339'],
    ['direction=inbound', 'client-to-server, server-to-client'],
    ['ip_protocol=TCP', 'lower case'],
    ['application=HTTP', 'lower case'],
    ['session_id=abc', 'whole number'],
    ['threat_id=2019401', 'gid:sid'],
    ['cves:2014-6271', 'CVE-YEAR-NUMBER'],
    ['endpoint=guard', 'full name'],
    ['endpoint=projects/p/locations/-/endpoints/guard', 'full name'],
  ])('F-14 %s is refused with its field and value', (filter, message) => {
    const [, field = '', value = ''] = /^(\w+)(?:[!<>=:]+)"?([^"]*)"?$/.exec(filter) ?? [];
    const refused = (): unknown => compileFilter(filter, THREAT_LIST);
    expect(refused).toThrow(FilterError);
    for (const part of [message, `"${field}"`, value]) expect(refused).toThrow(part);
  });

  test('F-14 the other lists refuse such values, too', () => {
    expect(() => compileFilter('endpointIp=10.0.0.0/40', ENDPOINT_LIST)).toThrow(FilterError);
    expect(() => compileFilter('name=guard', ENDPOINT_LIST)).toThrow('projects/p/locations/local/endpoints/ID');
    expect(() => compileFilter('total_bytes=1.5', TRAFFIC_LIST)).toThrow(FilterError);
    expect(() => compileFilter('metadata.verb=patch', OPERATION_LIST)).toThrow('create, update, delete');
    expect(() => compileFilter('metadata.target=guard', OPERATION_LIST)).toThrow(FilterError);
    expect(() => compileFilter('error.code=17', OPERATION_LIST)).toThrow(FilterError);
    expect(() => compileFilter('name=local', LOCATION_LIST)).toThrow('projects/p/locations/local');
  });

  test.each([
    'source_port<65536',
    'source_port>=0',
    'direction="client*"',
    'endpoint="projects/p/*"',
    'threat_id="1:*"',
    'application:TLS',
    'network=anything',
  ])('F-14 %s is no fault', filter => {
    expect(() => compileFilter(filter, THREAT_LIST)).not.toThrow();
  });
});
