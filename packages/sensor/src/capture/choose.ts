// SPDX-License-Identifier: Apache-2.0
import type {CaptureDriver} from '../ports.ts';
import {SensorError} from '../sensor-error.ts';
import type {CaptureFactory, CaptureWish} from './capture.ts';
import {afpacketCapture} from './kernel/afpacket.ts';
import {afpacketBpfCapture} from './kernel/afpacket-bpf.ts';
import {relayCapture} from './relay.ts';

/** Best first; the last can always be used. */
export const DRIVERS = [afpacketCapture, afpacketBpfCapture, relayCapture] as const satisfies readonly CaptureFactory[];

export type Choice = {
  readonly capture: CaptureFactory;
  /** Why each better driver is not used. */
  readonly passedBy: readonly {readonly driver: CaptureDriver; readonly why: string}[];
};

/** `auto`: the best one that works here. Throws SensorError `driver-unavailable` when the one that was asked for does not. */
export const chooseCapture = async (asked: CaptureDriver | 'auto', wish: CaptureWish): Promise<Choice> => {
  const passedBy: Choice['passedBy'][number][] = [];
  for (const capture of DRIVERS) {
    if (asked !== 'auto' && capture.driver !== asked) continue;
    const why = await capture.unusable(wish);
    if (why === undefined) return {capture, passedBy};
    passedBy.push({driver: capture.driver, why});
  }
  const why = passedBy[0]?.why ?? 'there is no such driver';
  throw new SensorError('driver-unavailable', `The capture driver "${asked}" cannot be used here: ${why}; or use auto`);
};
