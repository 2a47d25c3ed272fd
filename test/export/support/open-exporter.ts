// SPDX-License-Identifier: Apache-2.0
import type {Exporter, ExporterOptions} from '../../../packages/ids/src/export/exporter.ts';
import {EXPORTERS} from '../../../packages/ids/src/export/registry.ts';
import type {ExportSettings} from '../../../packages/ids/src/export/settings.ts';
import {systemClock, systemRandom, systemTimers} from '../../../packages/server/src/process/system.ts';

const ignore = (): void => undefined;
export const SILENT = {debug: ignore, info: ignore, warn: ignore, error: ignore};

export const settingsOf = (url: string, given: Partial<ExportSettings> = {}): ExportSettings => ({
  name: 'x',
  url,
  receiver: url,
  scheme: new URL(url).protocol.slice(0, -1),
  format: 'palisade',
  kinds: ['threats', 'traffic'],
  filter: '',
  endpoints: [],
  updates: false,
  from: 'start',
  headers: {},
  options: {},
  ...given,
});

export const openExporter = (
  settings: ExportSettings,
  files: Partial<ExporterOptions['files']> = {},
  clock = systemClock,
): Promise<Exporter> => {
  const kind = EXPORTERS[settings.scheme];
  if (kind === undefined) throw new Error(`no exporter for ${settings.scheme}`);
  return kind.open({
    settings,
    files: {headers: {}, ...files},
    observer: {hostname: 'ids-1', version: '0.1.0', pid: 1},
    clock,
    timers: systemTimers,
    random: systemRandom,
    log: SILENT,
  });
};
