// SPDX-License-Identifier: Apache-2.0
/** Checks the server certificate periodically and on request, and passes a new one to the listeners. */
import type {Timers} from '@palisade/apiserver';
import type {Logger} from '../process/logger.ts';
import {CHECK_MS, type ServingCertificate} from './certificates.ts';

export type RenewalParts = {
  /** The certificate in use. */
  readonly current: ServingCertificate;
  /** The certificate to use from now on; the same text while there is no newer. Rejects where it cannot be used. */
  readonly load: () => Promise<ServingCertificate>;
  /** Takes a new one into use. */
  readonly use: (renewed: ServingCertificate) => Promise<void> | void;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Logger, 'info' | 'error'>;
};

export type Renewal = {
  /** Looks now; resolves when that is done, to whether the certificate that `load` names is in use, and never rejects. */
  look(): Promise<boolean>;
  stop(): Promise<void>;
};

/** A failure is logged, leaves the certificate in use, and is tried again at the next look: for our own there are 30 days for it. */
export const startCertificateRenewal = ({current, load, use, timers, log}: RenewalParts): Renewal => {
  let inUse = current;
  let running: Promise<boolean> = Promise.resolve(true);
  const replace = async (): Promise<boolean> => {
    const found = await load();
    if (JSON.stringify(found) === JSON.stringify(inUse)) return true;
    await use(found);
    inUse = found;
    log.info({}, 'certificate replaced, new connections use it');
    return true;
  };
  const look = (): Promise<boolean> => {
    running = running.then(replace).catch(error => {
      log.error({err: error}, 'certificate renewal failed, the current certificate stays in use, retrying');
      return false;
    });
    return running;
  };
  const tick = (): void => {
    void look(); // `stop` waits for it
    timer = timers.after(CHECK_MS, tick);
  };
  let timer = timers.after(CHECK_MS, tick);
  return {
    look,
    stop: async () => {
      timer.cancel();
      await running;
    },
  };
};
