// SPDX-License-Identifier: Apache-2.0
/** Finds the Suricata program and its version, once per server. */
import {execFile} from 'node:child_process';
import {SensorError, systemCode} from '../sensor-error.ts';

export type SuricataBinary = {
  readonly path: string;
  /** `7.0.10`. */
  readonly version: string;
  readonly major: number;
  /** Built with support of Landlock. */
  readonly landlock: boolean;
};

export const SURICATA_MAJOR_MIN = 7;
/** Where distributions put it; an ordinary user's PATH often lacks the sbin folders. */
const PLACES = [
  'suricata',
  '/usr/bin/suricata',
  '/usr/sbin/suricata',
  '/usr/local/bin/suricata',
  '/usr/local/sbin/suricata',
];
const HOW_TO_INSTALL = 'install the package "suricata" (Debian 12: from bookworm-backports) and start again';
const VERSION_TIMEOUT_MS = 10_000;

/** Resolves to stdout of `suricata -V`; undefined when there is no such program. */
const askVersion = (path: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    execFile(path, ['-V'], {timeout: VERSION_TIMEOUT_MS}, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'EACCES') return resolve(undefined);
      reject(
        new SensorError('engine-missing', `"${path} -V" failed: ${(stderr || error.message).trim()}`, {cause: error}),
      );
    });
  });

/** What `suricata --build-info` says; a program that does not answer it has none. */
const hasLandlock = (path: string): Promise<boolean> =>
  new Promise(resolve => {
    execFile(path, ['--build-info'], {timeout: VERSION_TIMEOUT_MS}, (error, stdout) =>
      resolve(error === null && /^\s*Landlock support:\s*yes$/m.test(stdout)),
    );
  });

/** The program on PATH, as an absolute path: Suricata itself is run without our environment. */
const onPath = (): Promise<string[]> =>
  new Promise(resolve => {
    execFile('/bin/sh', ['-c', 'command -v suricata'], {timeout: VERSION_TIMEOUT_MS}, (error, stdout) => {
      const path = stdout.trim();
      resolve(error === null && path.startsWith('/') ? [path] : []); // not there: exit code 127
    });
  });

/** `7.0.10` out of "This is Suricata version 7.0.10 RELEASE". */
export const parseVersion = (text: string): string | undefined =>
  /\bSuricata version (\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1];

/** Throws SensorError `engine-missing` or `engine-too-old`. `path`: exactly this program; otherwise PATH and the usual places. */
export const findSuricata = async (path?: string): Promise<SuricataBinary> => {
  const places = path === undefined ? [...(await onPath()), ...PLACES] : [path];
  for (const place of places) {
    const answer = await askVersion(place);
    if (answer === undefined) continue;
    const version = parseVersion(answer);
    if (version === undefined)
      throw new SensorError('engine-missing', `"${place} -V" printed no version: ${answer.trim().slice(0, 200)}`);
    const major = Number(version.split('.')[0]);
    if (major < SURICATA_MAJOR_MIN)
      throw new SensorError(
        'engine-too-old',
        `Suricata ${version} (${place}) is too old: ${SURICATA_MAJOR_MIN}.0 or newer is needed; ${HOW_TO_INSTALL}`,
      );
    return {path: place, version, major, landlock: await hasLandlock(place)};
  }
  const where = path === undefined ? 'on PATH or in the usual folders' : `at ${path}`;
  throw new SensorError('engine-missing', `Suricata is not installed (no program ${where}): ${HOW_TO_INSTALL}`);
};
