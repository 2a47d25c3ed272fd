// SPDX-License-Identifier: Apache-2.0
/** Whether the keys of the OpenID Connect issuer can be fetched. */
import {Counter, Gauge, type Registry} from 'prom-client';

export type ShownOidc = {
  readonly counts: {readonly succeeded: number; readonly failed: number};
  readonly keys: number;
};

export const showOidc = (oidc: ShownOidc, registers: Registry[]): void => {
  new Counter({
    name: 'palisade_oidc_key_fetches_total',
    help: 'Fetches of the keys of the OpenID Connect issuer, by result.',
    labelNames: ['result'],
    registers,
    collect() {
      const {succeeded, failed} = oidc.counts;
      this.reset();
      this.inc({result: 'succeeded'}, succeeded);
      this.inc({result: 'failed'}, failed);
    },
  });
  new Gauge({
    name: 'palisade_oidc_keys',
    help: 'Keys of the OpenID Connect issuer; 0: its tokens are refused.',
    registers,
    collect() {
      this.set(oidc.keys);
    },
  });
};
