// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {renderConfig} from './config.ts';
import {DEFAULT_HOME_NET, homeGroups, parseHomeNet} from './home-net.ts';

const given = (text: string) => parseHomeNet(text.split(','));

describe('F-10 HOME_NET', () => {
  test('F-10 by default private, shared, unique local and link-local networks are home, and all others of both families external', () => {
    expect(parseHomeNet(DEFAULT_HOME_NET)).toEqual({words: DEFAULT_HOME_NET, faults: []});
    expect(homeGroups(DEFAULT_HOME_NET)).toEqual({
      home: '[10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7,fe80::/10]',
      external: '[!$HOME_NET]',
    });
  });

  test.each([
    ['203.0.113.0/24', '[203.0.113.0/24]', '[!$HOME_NET,::/0]'],
    ['2001:DB8:0::/32', '[2001:db8::/32]', '[!$HOME_NET,0.0.0.0/0]'],
    [' 203.0.113.9 , 2001:db8::1', '[203.0.113.9/32,2001:db8::1/128]', '[!$HOME_NET]'],
    ['10.0.0.0/8,!10.1.0.0/16,10.0.0.0/8', '[10.0.0.0/8,!10.1.0.0/16]', '[!$HOME_NET,::/0]'],
    ['0.0.0.0/0,!198.51.100.0/24', '[0.0.0.0/0,!198.51.100.0/24]', '[!$HOME_NET,::/0]'],
    ['any', 'any', 'any'],
  ])('F-10 --home-net %s', (text, home, external) => {
    const {words, faults} = given(text);
    expect([faults, homeGroups(words)]).toEqual([[], {home, external}]);
  });

  const FORM = 'must be a network such as 10.0.0.0/8 or fd00::/8, or an address, with ! in front to exclude it';
  test.each([
    [
      '10.0.0.0/33,fc00::/129,10.0.0.1-10.0.0.9',
      [`10.0.0.0/33: ${FORM}`, `fc00::/129: ${FORM}`, `10.0.0.1-10.0.0.9: ${FORM}`],
    ],
    ['010.0.0.0/8,$HOME_NET,[10.0.0.0/8', [`010.0.0.0/8: ${FORM}`, `$HOME_NET: ${FORM}`, `[10.0.0.0/8: ${FORM}`]],
    [
      '10.0.0.0/08,::ffff:10.0.0.0/104,!!10.0.0.0/8',
      [`10.0.0.0/08: ${FORM}`, `::ffff:10.0.0.0/104: ${FORM}`, `!!10.0.0.0/8: ${FORM}`],
    ],
    [
      '10.1.0.0/8,!fd00::1/64',
      ['10.1.0.0/8: has host bits set: write 10.0.0.0/8', '!fd00::1/64: has host bits set: write !fd00::/64'],
    ],
    ['!10.0.0.0/8,!fd00::/8', ['only excludes networks: list at least one network too']],
    ['10.0.0.0/8,!192.168.0.0/16', ['!192.168.0.0/16: excludes nothing: it is not inside a listed network']],
    ['10.0.0.0/8,!fd00::/8', ['!fd00::/8: excludes nothing: it is not inside a listed network']],
    ['10.0.0.0/8,fd00::/8,!10.0.0.0/9,!10.128.0.0/9', ['no IPv4 address is left: all listed networks are excluded']],
    [
      '0.0.0.0/1,128.0.0.0/1,::/0,!192.0.2.0/24,192.0.2.0/24',
      ['all IPv6 addresses are listed, so no address would be external: exclude some, or use "any" alone'],
    ],
    ['0.0.0.0/0', ['all IPv4 addresses are listed, so no address would be external: exclude some, or use "any" alone']],
    ['any,10.0.0.0/8', ['any: cannot be combined with networks']],
    [' ', ['lists no network']],
  ])('F-10 --home-net %s is refused, with every fault', (text, faults) => {
    expect(given(text).faults).toEqual(faults);
  });

  test('F-10 every other address group follows', () => {
    const config = renderConfig({
      ruleFiles: [],
      patternMatcher: 'ac-ks',
      homeNet: '203.0.113.0/24',
      decodeVxlan: false,
    });
    const [, groups = ''] = /address-groups:\n((?: {4}.*\n)+)/.exec(config) ?? [];
    const values = Object.fromEntries(
      groups
        .trimEnd()
        .split('\n')
        .map(line => line.trim().split(': ')),
    );
    expect(values).toMatchObject({HOME_NET: '"[203.0.113.0/24]"', EXTERNAL_NET: '"[!$HOME_NET,::/0]"'});
    const {HOME_NET: _, EXTERNAL_NET: __, AIM_SERVERS, ...own} = values;
    expect([AIM_SERVERS, Object.keys(own).length, new Set(Object.values(own))]).toEqual([
      '"$EXTERNAL_NET"',
      12,
      new Set(['"$HOME_NET"']),
    ]);
  });
});
