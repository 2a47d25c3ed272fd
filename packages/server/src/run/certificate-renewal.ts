// SPDX-License-Identifier: Apache-2.0
/** Looks at the server certificate now and then, and hands a renewed one to who uses it. */
import {CHECK_MS, type ServerCertificate} from './certificates.ts';
import type {Logger} from './logger.ts';

type Timers = {after(delayMs: number, action: () => void): {cancel(): void}};

export type RenewalParts = {
  /** The certificate in use. */
  readonly current: ServerCertificate;
  /** The certificate to use from now on; the same text while it need not be renewed. */
  readonly load: () => Promise<ServerCertificate>;
  /** Takes a renewed one into use. */
  readonly use: (renewed: ServerCertificate) => Promise<void> | void;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'info' | 'error'>;
};

/** Returns how to stop it. A failure is logged, and tried again at the next look: there are 30 days for it. */
export const startCertificateRenewal = ({current, load, use, timers, log}: RenewalParts): (() => Promise<void>) => {
  let inUse = current;
  let running: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const found = await load();
    if (found.cert === inUse.cert) return;
    await use(found);
    inUse = found;
    log.info({}, 'new connections get the renewed certificate');
  };
  const tick = (): void => {
    running = look().catch(error => log.error({err: error}, 'the certificate could not be renewed; it is tried again'));
    timer = timers.after(CHECK_MS, tick);
  };
  let timer = timers.after(CHECK_MS, tick);
  return async () => {
    timer.cancel();
    await running;
  };
};
