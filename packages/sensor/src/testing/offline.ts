// SPDX-License-Identifier: Apache-2.0
/** One run of Suricata over a capture file with the product's own configuration, for tests of rules. */
import {execFile} from 'node:child_process';
import {copyFile, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {promisify} from 'node:util';
import {decodeEveLine, type EveAlert} from '../eve/eve-record.ts';
import {CONFIG_FILE, EVE_FILE, renderConfig} from '../suricata/config.ts';
import {NO_EXTRAS, writeEngineFiles} from '../suricata/engine-files.ts';
import {DEFAULT_HOME_NET} from '../suricata/home-net.ts';

const run = promisify(execFile);

/** Alerts in the order Suricata wrote them. Throws with Suricata's words when a rule is refused. */
export const inspectOffline = async (ruleFiles: readonly string[], capture: Buffer): Promise<EveAlert[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'palisade-offline-'));
  try {
    const names = ruleFiles.map((file, index) => `${index}-${basename(file)}`);
    for (const [index, file] of ruleFiles.entries()) await copyFile(file, join(folder, names[index] ?? ''));
    await writeEngineFiles(
      folder,
      renderConfig({
        ruleFiles: names,
        patternMatcher: 'ac-ks',
        homeNet: DEFAULT_HOME_NET.join(','),
        decodeVxlan: true,
      }),
      NO_EXTRAS,
    );
    await writeFile(join(folder, 'in.pcap'), capture);
    await run(
      'suricata',
      ['-c', CONFIG_FILE, '-l', '.', '-r', 'in.pcap', '--runmode', 'single', '--init-errors-fatal'],
      {cwd: folder},
    );
    const eve = await readFile(join(folder, EVE_FILE), 'utf8');
    return eve.split('\n').flatMap(line => {
      const decoded = decodeEveLine(line);
      return decoded.type === 'alert' ? [decoded.alert] : [];
    });
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
};
