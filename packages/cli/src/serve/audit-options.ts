// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

/** Flags of `palisade serve` about the audit log; names as kube-apiserver has them. */
export const auditOptions = {
  'audit-log-path': {
    type: 'string',
    value: 'FILE|-|off',
    doc: 'write audit events here; - is stdout (default audit/audit.log in --data)',
  },
  'audit-policy-file': {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'use this audit.k8s.io/v1 Policy, not the bundled one',
  },
  'audit-log-mode': {
    type: 'string',
    value: 'MODE',
    oneOf: ['batch', 'blocking', 'blocking-strict'],
    doc: 'whether requests wait for their audit event (default batch)',
  },
  'audit-log-maxsize': {
    type: 'string',
    value: 'MB',
    inFile: 'number',
    doc: 'rotate the audit log before it is larger (default 100)',
  },
  'audit-log-maxbackup': {
    type: 'string',
    value: 'N',
    inFile: 'number',
    doc: 'keep at most N rotated audit logs, 0 for all (default 10)',
  },
  'audit-log-maxage': {
    type: 'string',
    value: 'DAYS',
    inFile: 'number',
    doc: 'delete rotated audit logs after DAYS, 0 for never (default 0)',
  },
} as const satisfies OptionTable;
