// SPDX-License-Identifier: Apache-2.0
/** The exporters by the scheme of their URL. Data: what checks settings loads none of them; each is loaded when it is opened. */
import {EVE_KINDS} from './eve/eve-kinds.ts';
import type {ExporterKind} from './exporter-kind.ts';
import {OTLP_KINDS} from './otlp/otlp-kinds.ts';
import {SYSLOG_KINDS} from './syslog/syslog-kinds.ts';
import {WEBHOOK_KINDS} from './webhook/webhook-kinds.ts';

export const EXPORTERS: Readonly<Record<string, ExporterKind>> = {
  ...SYSLOG_KINDS,
  ...WEBHOOK_KINDS,
  ...OTLP_KINDS,
  ...EVE_KINDS,
};
