// SPDX-License-Identifier: Apache-2.0
/** CoreDNS, unmodified, answers for Services whose addresses are registered as Endpoints. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {type Scratch, scratch} from '../support/palisade.ts';
import {COREDNS_RULES, DNS, startCoreDns, startCoreDnsOf, ZONE} from './support/coredns.ts';
import {KubeSide, START_MS} from './support/kube-side.ts';
import {endpoints, ready, service} from './support/manifests.ts';
import {Network, whyNoNetwork, whyNotWithin} from './support/network.ts';

const coredns = peerOrWhyNot('coredns');
const whyNot = coredns.whyNot || whyNoNetwork;
const whyNoDig = whyNotWithin('dig', '-v');
const skipReason = whyNot === '' ? '' : ` (skipped: ${whyNot})`;
const HTTP = [{name: 'http', port: 8080}];
const REFUSED = /forbidden|unauthorized|failed|error/i;
const HEADLESS = {clusterIP: 'None', ports: HTTP};

describe.skipIf(whyNot !== '')(`CoreDNS${skipReason}`, () => {
  let folder: Scratch;
  let network: Network;
  let kube: KubeSide;
  let log: () => string;

  beforeAll(async () => {
    folder = scratch();
    network = await Network.open();
    const flags = ['--service-cluster-ip-range', '10.96.0.0/16,fd00:96::/108'];
    kube = await KubeSide.start(network, folder.dir, ['coredns', 'too-few'], {flags});
    log = await startCoreDns(network, kube, folder.dir, coredns.path);
  }, START_MS);
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  const ask = (type: string, name: string): Promise<unknown> =>
    network.ask('resolve', {server: DNS, type, name: name.endsWith('arpa') ? name : `${name}.${ZONE}`});
  const answer = (type: string, name: string) => expect.poll(() => ask(type, name).then(sorted), {interval: 50});

  test('45-3 A and AAAA of a headless Service are the ready addresses of its Endpoints, and follow a change', async () => {
    await kube.apply(service('web', HEADLESS));
    await kube.apply(endpoints('web', ready('192.0.2.1', '192.0.2.2', '2001:db8::1'), HTTP, ready('192.0.2.9')));
    await answer('A', 'web.default.svc').toEqual(['192.0.2.1', '192.0.2.2']);
    await answer('AAAA', 'web.default.svc').toEqual(['2001:db8::1']);
    await kube.apply(endpoints('web', ready('192.0.2.2', '192.0.2.9'), HTTP, ready('192.0.2.1')));
    await answer('A', 'web.default.svc').toEqual(['192.0.2.2', '192.0.2.9']);
    await answer('AAAA', 'web.default.svc').toEqual('ENODATA');
  });

  test('45-3 an address with a hostname has a name; SRV names it, and one without hostname by its address', async () => {
    const addresses = [{ip: '192.0.2.11', hostname: 'db-0'}, {ip: '192.0.2.12'}];
    await kube.apply(service('db', {clusterIP: 'None', ports: [{name: 'sql', port: 5432}]}));
    await kube.apply(endpoints('db', addresses, [{name: 'sql', port: 5432}]));
    await answer('A', 'db-0.db.default.svc').toEqual(['192.0.2.11']);
    await answer('A', '192-0-2-12.db.default.svc').toEqual(['192.0.2.12']);
    const target = (host: string) => ({
      name: `${host}.db.default.svc.${ZONE}`,
      port: 5432,
      priority: 0,
      weight: 50,
      type: 'SRV',
    });
    await answer('SRV', '_sql._tcp.db.default.svc').toEqual([target('192-0-2-12'), target('db-0')]);
    await answer('PTR', '11.2.0.192.in-addr.arpa').toEqual([`db-0.db.default.svc.${ZONE}`]);
  });

  test('45-3 a Service with a cluster IP has that one address, in both families, also before it has Endpoints', async () => {
    const clusterIPs = ['10.96.7.7', 'fd00:96::77'];
    const families = {ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack'};
    await kube.apply(service('front', {clusterIP: clusterIPs[0], clusterIPs, ...families, ports: HTTP}));
    await answer('A', 'front.default.svc').toEqual(['10.96.7.7']);
    await answer('AAAA', 'front.default.svc').toEqual(['fd00:96::77']);
    await answer('SRV', '_http._tcp.front.default.svc').toEqual([
      {name: `front.default.svc.${ZONE}`, port: 8080, priority: 0, weight: 50, type: 'SRV'},
    ]);
    await answer('PTR', '7.7.96.10.in-addr.arpa').toEqual([`front.default.svc.${ZONE}`]);
  });

  test('45-3 an ExternalName is a CNAME', async () => {
    await kube.apply(service('mail', {type: 'ExternalName', externalName: 'mx.example.net'}));
    await answer('CNAME', 'mail.default.svc').toEqual(['mx.example.net']);
  });

  test('45-3 nothing is answered for a headless Service without ready addresses, and for Endpoints without a Service', async () => {
    await kube.apply(endpoints('lonely', ready('192.0.2.31'), HTTP));
    await kube.apply(service('empty', HEADLESS));
    await kube.apply(endpoints('empty', [], HTTP, ready('192.0.2.32')));
    await kube.apply(service('last', HEADLESS));
    await kube.apply(endpoints('last', ready('192.0.2.33'), HTTP));
    await answer('A', 'last.default.svc').toEqual(['192.0.2.33']); // it has seen the others as well
    await answer('A', 'empty.default.svc').toEqual('ENOTFOUND');
    expect(await ask('A', 'lonely.default.svc')).toBe('ENOTFOUND');
    await kube.delete(service('last', {}));
    await answer('A', 'last.default.svc').toEqual('ENOTFOUND');
  });

  test.skipIf(whyNoDig !== '')(
    `45-3 dig sees a change of Endpoints${whyNoDig && ` (skipped: no dig, Debian: bind9-dnsutils)`}`,
    async () => {
      const dig = () =>
        network.run('dig', '@127.0.0.1', '+short', `dug.default.svc.${ZONE}`, 'A').trim().split('\n').toSorted();
      await kube.apply(service('dug', HEADLESS));
      await kube.apply(endpoints('dug', ready('192.0.2.41'), HTTP));
      await expect.poll(dig, {interval: 50}).toEqual(['192.0.2.41']);
      await kube.apply(endpoints('dug', ready('192.0.2.42', '192.0.2.43'), HTTP));
      await expect.poll(dig, {interval: 50}).toEqual(['192.0.2.42', '192.0.2.43']);
    },
  );

  test('45-3 the rights to list and watch namespaces, Services and EndpointSlices are all it needs', async () => {
    const short = await startCoreDnsOf('too-few', COREDNS_RULES.slice(0, 1), {
      network,
      kube,
      dir: folder.dir,
      program: coredns.path,
    });
    await expect.poll(short, {timeout: 60_000}).toMatch(REFUSED); // a missing right shows in the log
    expect(short()).toContain('endpointslices');
    expect(log()).toContain('CoreDNS-');
    expect(log()).not.toMatch(REFUSED);
  }, 90_000);
});

const sorted = (records: unknown): unknown =>
  Array.isArray(records) ? records.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : records;
