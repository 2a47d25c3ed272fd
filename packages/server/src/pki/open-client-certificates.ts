// SPDX-License-Identifier: Apache-2.0
import type {ServeConfig} from '../parts/config.ts';
import type {DataFolder} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock, systemTimers} from '../process/system.ts';
import {ClientCertificates} from './client-certificates.ts';

/** Undefined: no certificate can be shown, or everyone is let in. */
export const openClientCertificates = (
  {https, auth, compat, clientCaFile, clientCrlFile}: ServeConfig,
  {dir}: DataFolder,
  log: Logger,
): ClientCertificates | undefined =>
  https === undefined || auth === 'none'
    ? undefined
    : new ClientCertificates({
        dataDir: dir,
        caFile: clientCaFile,
        crlFile: clientCrlFile,
        compat,
        clock: systemClock,
        timers: systemTimers,
        log: log.child({part: 'client certificates'}),
      });
