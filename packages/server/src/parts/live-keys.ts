// SPDX-License-Identifier: Apache-2.0
/** Keys of the configuration whose new value a running server takes (SIGHUP), by the part that takes it. All others need a restart. */
export const LIVE_KEYS = {
  rules: ['rules', 'enableSid', 'disableSid', 'thresholdFile', 'ruleSets', 'ruleBindings', 'endpoints'],
  certificate: ['tlsCert', 'tlsKey'],
  tokens: ['tokenAuthFile'],
  oidc: [
    ...['oidcIssuerUrl', 'oidcClientId', 'oidcUsernameClaim', 'oidcUsernamePrefix', 'oidcGroupsClaim'],
    ...['oidcGroupsPrefix', 'oidcRequiredClaim', 'oidcSigningAlgs', 'oidcCaFile', 'oidcClientSecretFile', 'oidcScopes'],
  ],
  log: ['logLevel'],
  audit: ['auditPolicyFile'],
  quota: ['quotaEndpoints'],
  history: ['history'],
  exporters: ['export', 'exporters'],
  trafficSample: ['trafficSample'],
  records: ['threatsBytes', 'threatsAge', 'trafficBytes', 'trafficAge', 'evidenceBytes', 'evidenceAge'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type LivePart = keyof typeof LIVE_KEYS;

const ALL: ReadonlySet<string> = new Set(Object.values(LIVE_KEYS).flat());

/** `key`: a key of the file, or a path such as `limits.diskFloor`. */
export const isLiveKey = (key: string): boolean => ALL.has(key);
