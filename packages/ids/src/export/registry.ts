// SPDX-License-Identifier: Apache-2.0
/** The exporters by the scheme of their URL. Data: what checks settings loads none of them; each is loaded when it is opened. */
import type {ExporterKind} from './exporter-kind.ts';

export const EXPORTERS: Readonly<Record<string, ExporterKind>> = {};
