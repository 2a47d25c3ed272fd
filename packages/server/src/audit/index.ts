// SPDX-License-Identifier: Apache-2.0
/** For commands that read an audit log. */
export {parseAuditWords} from './audit-parameters.ts';
export {type AuditQuery, parseAuditLine} from './audit-query.ts';
export {AUDIT_FILE, AUDIT_FOLDER} from './file-names.ts';
export {readAudit} from './read-audit.ts';
