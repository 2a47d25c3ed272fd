// SPDX-License-Identifier: Apache-2.0
import type {CaptureDriver} from '../ports.ts';
import {SensorError} from '../sensor-error.ts';
import type {CaptureFactory} from './capture.ts';
import {relayCapture} from './relay.ts';

/** The drivers this build has, best first. */
const DRIVERS: readonly CaptureFactory[] = [relayCapture];

/** `auto`: the best one that is permitted here. Throws SensorError `driver-unavailable`. */
export const chooseCapture = (asked: CaptureDriver | 'auto'): CaptureFactory => {
  const found = asked === 'auto' ? DRIVERS[0] : DRIVERS.find(factory => factory.driver === asked);
  if (found !== undefined) return found;
  const names = DRIVERS.map(factory => factory.driver).join(', ');
  throw new SensorError(
    'driver-unavailable',
    `The capture driver "${asked}" is not available in this version; use ${names} or auto`,
  );
};
