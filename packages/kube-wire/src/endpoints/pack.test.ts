// SPDX-License-Identifier: Apache-2.0
import {describe, expect, it} from 'vitest';
import {endpointsOnNode, expandSubsets} from './expand.ts';
import {packSubsets} from './pack.ts';

const a = {ip: '10.0.0.1'};
const b = {ip: '10.0.0.2'};
const http = {name: 'http', port: 80, protocol: 'TCP'};
const dns = {name: 'dns', port: 53, protocol: 'UDP'};

describe('expand', () => {
  it('E-004 gives every address at every port of its subset', () => {
    expect(expandSubsets([{addresses: [a, b], ports: [http, dns]}])).toEqual([
      {ip: '10.0.0.1', port: 53, portName: 'dns', protocol: 'UDP', ready: true},
      {ip: '10.0.0.2', port: 53, portName: 'dns', protocol: 'UDP', ready: true},
      {ip: '10.0.0.1', port: 80, portName: 'http', protocol: 'TCP', ready: true},
      {ip: '10.0.0.2', port: 80, portName: 'http', protocol: 'TCP', ready: true},
    ]);
  });

  it('E-003 is the union over all subsets, without duplicates', () => {
    const three = [
      {addresses: [a], ports: [http]},
      {addresses: [b, a], ports: [http]},
      {addresses: [b], ports: [dns]},
    ];
    expect(expandSubsets(three).map(({ip, port}) => `${ip}:${port}`)).toEqual([
      '10.0.0.2:53',
      '10.0.0.1:80',
      '10.0.0.2:80',
    ]);
    expect(expandSubsets(undefined)).toEqual([]);
  });

  it('E-041 tells the ready from the others', () => {
    const subsets = [{addresses: [a], notReadyAddresses: [b], ports: [http]}];
    expect(expandSubsets(subsets, {ready: true}).map(({ip}) => ip)).toEqual(['10.0.0.1']);
    expect(expandSubsets(subsets, {ready: false}).map(({ip}) => ip)).toEqual(['10.0.0.2']);
  });

  it('E-047 keeps addresses without a port, beside the same address with one', () => {
    expect(expandSubsets([{addresses: [a]}, {addresses: [a], ports: [http]}])).toEqual([
      {ip: '10.0.0.1', ready: true},
      {ip: '10.0.0.1', port: 80, portName: 'http', protocol: 'TCP', ready: true},
    ]);
  });

  it('E-049 keeps addresses of one IP that belong to different objects', () => {
    const one = {ip: '10.0.0.1', targetRef: {uid: 'u1'}};
    const two = {ip: '10.0.0.1', targetRef: {uid: 'u2'}};
    expect(expandSubsets([{addresses: [one, two], ports: [http]}])).toHaveLength(2);
  });

  it('E-070 finds the endpoints of a node', () => {
    const here = {...a, nodeName: 'n1'};
    const there = {...b, nodeName: 'n2'};
    const subsets = [
      {addresses: [here], notReadyAddresses: [there], ports: [http]},
      {notReadyAddresses: [here], ports: [dns]},
    ];
    expect(endpointsOnNode(subsets, 'n1').map(({ip, port, ready}) => [ip, port, ready])).toEqual([
      ['10.0.0.1', 53, false],
      ['10.0.0.1', 80, true],
    ]);
    expect(endpointsOnNode(subsets, 'n3')).toEqual([]);
  });
});

describe('pack', () => {
  it('E-005 puts addresses together that share their ports, and ports that share their addresses', () => {
    const flat = [
      {addresses: [b], ports: [http]},
      {addresses: [a], ports: [dns]},
      {addresses: [a], ports: [http]},
      {addresses: [b], ports: [dns]},
    ];
    expect(packSubsets(flat)).toEqual([{addresses: [a, b], ports: [dns, http]}]);
  });

  it('E-006 shows an address in one subset for the ports where it is ready and in another for the others', () => {
    const half = [
      {addresses: [a], ports: [http]},
      {notReadyAddresses: [a], ports: [dns]},
    ];
    expect(packSubsets(half)).toEqual(half);
    expect(
      packSubsets([
        {addresses: [a, b], ports: [http, dns]},
        {notReadyAddresses: [a], ports: [dns]},
      ]),
    ).toEqual([
      {addresses: [a, b], ports: [http]},
      {addresses: [b], notReadyAddresses: [a], ports: [dns]},
    ]);
  });

  it('E-050 keeps the first fields of a repeated address, and not ready beats ready', () => {
    const first = {ip: '10.0.0.1', nodeName: 'first'};
    const again = {ip: '10.0.0.1', nodeName: 'again'};
    expect(
      packSubsets([
        {addresses: [first], ports: [http]},
        {notReadyAddresses: [again], ports: [http]},
      ]),
    ).toEqual([{notReadyAddresses: [first], ports: [http]}]);
  });

  it('E-050 takes the same IP with another uid for another address', () => {
    const one = {ip: '10.0.0.1', targetRef: {uid: 'u1'}};
    const two = {ip: '10.0.0.1', targetRef: {uid: 'u2'}};
    expect(packSubsets([{addresses: [two, one, a], ports: [http]}])).toEqual([
      {addresses: [a, one, two], ports: [http]},
    ]);
  });

  it('E-051 orders by IP and uid, ports by name, number and protocol', () => {
    const ports = [
      {name: 'b', port: 1},
      {name: 'a', port: 2},
      {name: 'a', port: 1, protocol: 'UDP'},
      {name: 'a', port: 1},
    ];
    expect(packSubsets([{addresses: [b, a], ports}])).toEqual([
      {addresses: [a, b], ports: [ports[3], ports[2], ports[1], ports[0]]},
    ]);
  });

  it('E-047 leaves subsets without ports apart', () => {
    const subsets = [{addresses: [a]}, {addresses: [a], ports: [http]}, {addresses: [b]}];
    expect(packSubsets(subsets)).toEqual([{addresses: [a], ports: [http]}, {addresses: [a, b]}]);
  });

  it('drops subsets that stand for nothing', () => {
    expect(packSubsets([{ports: [http]}, {}])).toEqual([]);
  });

  it('E-051 packs 100,000 addresses into one subset', () => {
    const subsets = Array.from({length: 100_000}, (_, i) => ({
      addresses: [{ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`}],
      ports: [http, dns],
    }));
    const packed = packSubsets(subsets);
    expect(packed).toHaveLength(1);
    expect(packed[0]?.addresses).toHaveLength(100_000);
  });
});
