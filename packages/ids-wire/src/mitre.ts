// SPDX-License-Identifier: Apache-2.0

/** A tactic or a technique of MITRE ATT&CK: `TA0001`, `T1190`, `T1059.001`. `name` is '' where the rule gives none. */
export type MitreReference = {readonly id: string; readonly name: string};
