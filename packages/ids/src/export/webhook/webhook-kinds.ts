// SPDX-License-Identifier: Apache-2.0
/** http and https: what the URL of a webhook may say. */
import type {ExporterKind} from '../exporter-kind.ts';

const checkUrl = (url: URL): string | undefined => {
  if (url.username !== '' || url.password !== '')
    return 'must have no user or password; put "Authorization: …" into a headersFile';
  return url.hash === '' ? undefined : 'must have no fragment; remove the part from #';
};

const kindOf = (scheme: 'http' | 'https'): ExporterKind => ({
  form: `${scheme}://HOST[:PORT]/PATH`,
  check: checkUrl,
  options: {},
  files: ['secretFile', 'headersFile', ...(scheme === 'https' ? (['caFile', 'certFile', 'keyFile'] as const) : [])],
  takesHeaders: true,
  keepsQuery: true,
  defaultFormat: 'palisade',
  open: async options => (await import('./webhook.ts')).openWebhook(options),
});

export const WEBHOOK_KINDS: Readonly<Record<string, ExporterKind>> = {http: kindOf('http'), https: kindOf('https')};
