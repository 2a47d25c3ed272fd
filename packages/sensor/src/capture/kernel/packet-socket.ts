// SPDX-License-Identifier: Apache-2.0
/**
 * Whether Suricata may open a packet socket here. A capability alone does not say so: the network may belong to another user namespace, as
 * for a container without root in the network of the host, or a filter of system calls may forbid it.
 */
import {chmod, chown, mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {messageOf} from '../../sensor-error.ts';
import {findSuricata} from '../../suricata/binary.ts';
import {CONFIG_FILE} from '../../suricata/config.ts';
import {type RunAs, SuricataProcess} from '../../suricata/process.ts';
import type {CaptureWish} from '../capture.ts';
import {AF_PACKET_ARGS, afPacketConfig} from './af-packet-config.ts';

const FOLDER = 'packet-socket';
/** It starts in a fraction of a second, without a rule. */
const START_TIMEOUT_MS = 30_000;
const CONFIG = `%YAML 1.1
---
logging: {outputs: [{console: {enabled: yes, type: json}}]}
outputs: []
rule-files: []
${afPacketConfig([{name: 'lo', filter: 'udp dst port 0'}], 0)}`;

const makeFolder = async (folder: string, owner: RunAs | undefined): Promise<void> => {
  await rm(folder, {recursive: true, force: true});
  await mkdir(folder, {mode: 0o700});
  await writeFile(join(folder, CONFIG_FILE), CONFIG);
  await chmod(join(folder, CONFIG_FILE), 0o644);
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
};

/** Found out by letting Suricata try, at the loopback. Undefined: it may, or it cannot try: it is missing, or the disk is full. */
export const whyNoPacketSocket = async (wish: CaptureWish): Promise<string | undefined> => {
  const {launcher, dataDir, timers} = wish;
  const suricata = await findSuricata(wish.suricata).catch(() => undefined);
  if (suricata === undefined) return undefined; // which the host says
  const folder = join(dataDir, FOLDER);
  try {
    const isMade = await makeFolder(folder, launcher.runAs).then(
      () => true,
      () => false,
    );
    if (!isMade) return undefined; // an endpoint that cannot start says why
    const args = ['-c', CONFIG_FILE, '-l', '.', ...AF_PACKET_ARGS];
    const what = {path: suricata.path, args, folder, launcher, capabilities: ['net_raw'] as const};
    const engine = new SuricataProcess({...what, timers, onLog: () => {}});
    try {
      await engine.started(START_TIMEOUT_MS, new AbortController().signal);
      return undefined;
    } catch (error) {
      return `packets of this network cannot be read (${messageOf(error)}): start the server as root of the host, or in a network of its own`;
    } finally {
      engine.kill();
      await engine.exited;
    }
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
};
