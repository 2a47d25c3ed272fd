// SPDX-License-Identifier: Apache-2.0
import {deviceOwner, findIp, ownDevices, removeDevice} from '../capture/kernel/ip-link.ts';
import type {Log} from '../ports.ts';
import {messageOf} from '../sensor-error.ts';
import {missingCapabilities} from '../suricata/launch.ts';

/**
 * VXLAN devices that a crashed server on this data folder left, whatever driver this one uses. Those of other folders are not touched.
 * No process may use them any longer. Never rejects: an endpoint that needs the VNI says so.
 */
export const removeLeftDevices = async (dataDir: string, log: Log): Promise<void> => {
  if (findIp() === undefined || (await missingCapabilities(['net_admin'], 'CapEff')).length > 0) return;
  try {
    for (const device of await ownDevices(await deviceOwner(dataDir))) {
      await removeDevice(device);
      log.warn({device}, 'capture device of an earlier server removed');
    }
  } catch (error) {
    log.warn({error: messageOf(error)}, 'capture devices of an earlier server not removable');
  }
};
