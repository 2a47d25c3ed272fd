// SPDX-License-Identifier: Apache-2.0
/** What belongs to the ports: TLS handshakes, and how long the certificates are valid. */
import {Counter, Gauge, type Registry} from 'prom-client';

const MS_PER_S = 1_000;

/** Counts from the start; the ports open later. */
export class Handshakes {
  failed = 0;
}

export const showHandshakes = (handshakes: Handshakes, registers: Registry[]): void => {
  new Counter({
    name: 'apiserver_tls_handshake_errors_total',
    help: "Number of requests dropped with 'TLS handshake error from' error",
    registers,
    collect() {
      this.reset();
      this.inc(handshakes.failed);
    },
  });
};

/** Ends of certificates by use, in milliseconds since 1970. */
export type ShownCertificates = () => Readonly<Record<string, number>>;

export const showCertificates = (ends: ShownCertificates, registers: Registry[]): void => {
  new Gauge({
    name: 'palisade_certificate_expiry_timestamp_seconds',
    help: 'Time when a certificate of the server expires, since 1970.',
    labelNames: ['certificate'],
    registers,
    collect() {
      for (const [certificate, endMs] of Object.entries(ends())) this.set({certificate}, endMs / MS_PER_S);
    },
  });
};
