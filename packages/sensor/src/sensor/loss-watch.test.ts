// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {SENSOR_LIMITS} from '../limits.ts';
import {UNKNOWN_MACHINE, waysOut} from '../loss/ways-out.ts';
import {type Drops, LossWatch} from './loss-watch.ts';

const SECONDS_A_LOOK = SENSOR_LIMITS.watchMs / 1000;

/** A watch with the limits of the product, and what happens to its packets, second by second. */
class Traffic {
  readonly watch = new LossWatch(SENSOR_LIMITS, waysOut('afpacket', UNKNOWN_MACHINE, SENSOR_LIMITS.socketBufferBytes));
  #received = 0;
  #undecoded = 0;
  #notInspectable = 0;
  #foreignVni = 0;
  #lastForeignVni: number | undefined;
  #refusedSender = 0;
  #lastRefusedSender: string | undefined;
  readonly #drops: {-readonly [K in keyof Drops]: number} = {
    kernel: 0,
    socket: 0,
    queue: 0,
    crash: 0,
    stop: 0,
    notCaptured: 0,
    engine: 0,
  };

  /** `offered` a second, of which `dropped` are lost. What the kernel drops was never received. */
  for(seconds: number, offered: number, dropped = 0, cause: keyof Drops = 'socket'): this {
    for (let second = SECONDS_A_LOOK; second <= seconds; second += SECONDS_A_LOOK) {
      this.#received += SECONDS_A_LOOK * (cause === 'socket' ? offered - dropped : offered);
      this.#drops[cause] += SECONDS_A_LOOK * dropped;
      this.look();
    }
    return this;
  }

  undecoded(packets: number): this {
    this.#undecoded += packets;
    return this;
  }

  notInspectable(packets: number): this {
    this.#notInspectable += packets;
    return this;
  }

  foreign(packets: number, vni: number): this {
    this.#foreignVni += packets;
    this.#lastForeignVni = vni;
    return this;
  }

  refused(packets: number, sender: string): this {
    this.#refusedSender += packets;
    this.#lastRefusedSender = sender;
    return this;
  }

  look(): void {
    this.watch.look({
      received: this.#received,
      drops: {...this.#drops},
      undecoded: this.#undecoded,
      notInspectable: this.#notInspectable,
      foreignVni: this.#foreignVni,
      lastForeignVni: this.#lastForeignVni,
      refusedSender: this.#refusedSender,
      lastRefusedSender: this.#lastRefusedSender,
    });
  }
}

describe('F-08 packets that nobody inspected', () => {
  test('F-08 38 % are a problem at the next look, with the figure and the way out, and none a minute after they end', () => {
    const traffic = new Traffic().for(2, 1000, 380);
    expect(traffic.watch.problem).toBe(
      'packets dropped: 38.0 % of the last 60 s (760 of 2000), most of them in the receive buffer of the kernel: raise net.core.rmem_max to 4194304 and restart the server, mirror less traffic, or give the server more processor time',
    );
    expect(traffic.watch.ratio).toBeCloseTo(0.38);
    traffic.for(58, 1000);
    expect(traffic.watch.problem).toContain('1.3 % of the last 60 s (760 of 60000)');
    traffic.for(2, 1000);
    expect([traffic.watch.problem, traffic.watch.ratio]).toEqual([undefined, 0]);
  });

  test.each([
    ['1 % of a minute is no problem', 60, 1000, 10, false],
    ['more than 1 % of a minute is one', 60, 1000, 11, true],
    ['a burst of 4 s in a minute without loss counts as its share of the minute', 4, 1000, 380, true],
    ['fewer than 5 packets are no problem, whatever their share', 2, 4, 2, false],
    ['one of 50 is no problem', 2, 25, 0.5, false],
    ['5 of 250 are one', 2, 125, 2.5, true],
  ])('F-08 %s', (_, seconds, offered, dropped, isProblem) => {
    const traffic = new Traffic().for(60, seconds < 60 && offered >= 1000 ? 1000 : 0).for(seconds, offered, dropped);
    expect(traffic.watch.problem !== undefined).toBe(isProblem);
  });

  test('F-08 a small loss is one in the third minute of it', () => {
    const traffic = new Traffic().for(120, 1000, 2);
    expect(traffic.watch.problem).toBeUndefined();
    expect(traffic.for(60, 1000, 2).watch.problem).toContain('0.2 % of the last 60 s (120 of 60000)');
    expect(traffic.for(60, 1000).watch.problem).toBeUndefined();
  });

  test('F-08 no packets at all, and all packets dropped', () => {
    expect([new Traffic().for(60, 0).watch.problem, new Traffic().watch.ratio]).toEqual([undefined, 0]);
    expect(new Traffic().for(60, 10, 10).watch.problem).toContain('100.0 % of the last 60 s (600 of 600)');
  });

  test.each([
    ['queue', 'waiting for Suricata: mirror less traffic, use fewer rules, or give Suricata more processor time'],
    ['crash', 'when Suricata crashed: see the server log for the cause'],
    [
      'notCaptured',
      'on an interface that Suricata does not read: name the interface that they arrive on with --capture-interface',
    ],
    [
      'engine',
      'in Suricata, which has no memory left for flows: mirror less traffic, or spread it over several endpoints',
    ],
  ] as const)(
    'F-08 dropped packets of the cause "%s" were received before, and have their own way out',
    (cause, words) => {
      const {watch} = new Traffic().for(60, 100, 10, cause);
      expect(watch.problem).toBe(`packets dropped: 10.0 % of the last 60 s (600 of 6000), most of them ${words}`);
    },
  );

  test('F-08 a Suricata that dies may cost packets that came before the window', () => {
    const traffic = new Traffic().for(60, 100).for(60, 0);
    traffic.for(2, 0, 20, 'crash');
    expect(traffic.watch.problem).toContain('100.0 % of the last 60 s (40 of 40)');
  });

  test('F-08 more than 10 % of packets that Suricata cannot decode are a problem of their own, and no loss', () => {
    const traffic = new Traffic().for(58, 100).undecoded(580);
    expect(traffic.for(2, 100).watch.undecoded).toBeUndefined();
    const {watch} = traffic.undecoded(100).for(2, 100);
    expect([watch.undecoded, watch.problem]).toEqual([
      'packets that Suricata cannot decode: 11.3 % of the last 60 s (680 of 6000); check that the mirror sends whole packets as Ethernet frames',
      undefined,
    ]);
  });
});

test('43-1 frames that this driver cannot inspect are named with the way out, and a trouble from 10 % on', () => {
  const traffic = new Traffic().for(58, 100);
  expect(traffic.watch.notInspectable).toBeUndefined();
  const some = traffic.notInspectable(60).for(2, 100).watch.notInspectable;
  expect(some).toEqual({
    many: false,
    words:
      'packets that Suricata cannot inspect with this driver: 1.0 % of the last 60 s (60 of 6000) are frames in VXLAN that are neither IP nor VLAN, such as MPLS, PPPoE or NSH; to inspect them, start the server with --driver afpacket or relay',
  });
  expect(traffic.notInspectable(600).for(2, 100).watch.notInspectable?.many).toBe(true);
  expect(traffic.for(60, 100).watch.notInspectable).toBeUndefined();
});

describe('F-12 packets with a foreign VNI', () => {
  const WAY_OUT = 'set the mirror to VNI 7, or start the server with --accept-any-vni';

  test('F-12 when all of the last minute have one, that is a problem with its way out; when some, it is said', () => {
    const traffic = new Traffic().for(58, 0).foreign(4, 42).for(2, 0);
    expect([traffic.watch.allForeign(7), traffic.watch.someForeign(7)]).toEqual([undefined, undefined]);
    const {watch} = traffic.foreign(1, 43).for(2, 0);
    expect([watch.allForeign(7), watch.someForeign(7), watch.problem]).toEqual([
      `no packet has the VNI of this endpoint, 7: all 5 of the last 60 s have another VNI, the newest 43; ${WAY_OUT}`,
      undefined,
      undefined,
    ]);
    traffic.for(2, 100);
    expect([watch.allForeign(7), watch.someForeign(7), watch.problem]).toEqual([
      undefined,
      `packets with a foreign VNI are not inspected: 5 of the last 60 s, the newest with 43; ${WAY_OUT}`,
      undefined,
    ]);
    traffic.for(60, 100);
    expect([watch.allForeign(7), watch.someForeign(7)]).toEqual([undefined, undefined]);
  });
});

describe('43-1 packets of senders that --mirror-from does not name', () => {
  test('43-1 when all of the last minute are theirs, that is a problem that names the newest one and the flag', () => {
    const traffic = new Traffic().for(58, 0).refused(4, '192.0.2.1').for(2, 0);
    expect(traffic.watch.allRefused).toBeUndefined();
    const {watch} = traffic.refused(1, '192.0.2.2').for(2, 0);
    expect([watch.allRefused, watch.allForeign(7), watch.problem]).toEqual([
      'no packet comes from a network of --mirror-from: all 5 of the last 60 s have other senders, the newest 192.0.2.2; send the mirror from a listed address, or add this sender to --mirror-from',
      undefined,
      undefined,
    ]);
    expect(traffic.for(2, 1).watch.allRefused).toBeUndefined();
  });

  test('43-1 a listed sender with a foreign VNI is no refused one', () => {
    const {watch} = new Traffic().refused(100, '192.0.2.1').foreign(5, 42).for(2, 0);
    expect([watch.allRefused, watch.allForeign(7)]).toEqual([undefined, expect.stringContaining('all 5 of')]);
  });
});
