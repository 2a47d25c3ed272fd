// SPDX-License-Identifier: Apache-2.0
import type {OpenRights} from '@palisade/apiserver';
import {Counter, Gauge, type Registry} from 'prom-client';

export type ShownRights = Pick<OpenRights, 'count' | 'streams' | 'ended'>;

export const showRights = (rights: ShownRights, registers: Registry[]): void => {
  new Gauge({
    name: 'palisade_stream_rights',
    help: 'Different access rights that open watches and record streams depend on.',
    registers,
    collect() {
      this.set(rights.count);
    },
  });
  new Counter({
    name: 'palisade_streams_ended_total',
    help: 'Watches and record streams ended because access was withdrawn, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(rights.ended)) this.inc({reason}, count);
    },
  });
};
