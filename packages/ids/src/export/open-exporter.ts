// SPDX-License-Identifier: Apache-2.0
import {ExportError, type Exporter, type ExporterOptions} from './exporter.ts';
import {EXPORTERS} from './registry.ts';

/** Connects to nothing yet. Throws ExportError for what cannot work at all, such as a key that is too short. */
export const openExporter = (options: ExporterOptions): Promise<Exporter> => {
  const {scheme} = options.settings;
  const kind = EXPORTERS[scheme];
  if (kind === undefined) throw new ExportError('unavailable', `no exporter for ${scheme}`);
  return kind.open(options);
};
