// SPDX-License-Identifier: Apache-2.0
/** A threat record for tests: one HTTP request from 192.0.2.1 to 192.0.2.2, without details. */
import {formatMicros, parseMicros, type ThreatRecord} from '@palisade/ids-wire';

/** What tests tell records apart by has no default; the rest may be given, too. */
type Given = Pick<ThreatRecord, 'threat_id' | 'name' | 'alert_severity' | 'alert_time' | 'source_port' | 'endpoint'>;

export const threatRecord = (given: Given & Partial<ThreatRecord>): ThreatRecord => ({
  type: 'vulnerability',
  category: 'code-execution',
  network: 'net',
  source_ip_address: '192.0.2.1',
  destination_ip_address: '192.0.2.2',
  destination_port: '80',
  ip_protocol: 'tcp',
  application: 'http',
  direction: 'client-to-server',
  session_id: '7',
  repeat_count: '1',
  uri_or_filename: '/',
  details: '',
  rule_revision: '1',
  rule_priority: '1',
  event_time: formatMicros(parseMicros(given.alert_time) ?? 0),
  ...given,
});
