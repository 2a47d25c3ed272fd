// SPDX-License-Identifier: Apache-2.0
/** What became of audit events, under the names of kube-apiserver. Ref: kubernetes v1.36 apiserver/pkg/audit/metrics.go. */
import {Counter, Gauge, type Registry} from 'prom-client';
import type {AuditLog} from '../audit/audit-log.ts';

export type ShownAudit = Pick<AuditLog, 'counts' | 'isWritable'>;

export const showAudit = (log: ShownAudit, registers: Registry[]): void => {
  const {counts} = log;
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      ...{name, help, registers},
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  counter(
    'apiserver_audit_event_total',
    'Counter of audit events generated and sent to the audit backend.',
    () => counts.events,
  );
  new Counter({
    name: 'apiserver_audit_error_total',
    help: 'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
    labelNames: ['plugin'],
    registers,
    collect() {
      this.reset();
      this.inc({plugin: 'log'}, counts.errors);
    },
  });
  counter(
    'apiserver_audit_requests_rejected_total',
    'Counter of apiserver requests rejected due to an error in audit logging backend.',
    () => counts.rejected,
  );
  new Gauge({
    name: 'palisade_audit_log_writable',
    help: '1 if the last write to the audit log succeeded, otherwise 0.',
    registers,
    collect() {
      this.set(log.isWritable ? 1 : 0);
    },
  });
};
