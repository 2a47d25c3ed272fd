// SPDX-License-Identifier: Apache-2.0
/** otlp+http, otlp+https: what their URLs may say. */
import type {ExporterKind} from '../exporter-kind.ts';

export const COMPRESSIONS = ['gzip', 'none'] as const;

const checkUrl = (url: URL, form: string): string | undefined => {
  if (url.hostname === '') return `has no host; write ${form}`;
  if (url.username !== '' || url.password !== '')
    return 'must have no user or password; put "Authorization: …" into a headersFile';
  return url.hash === '' ? undefined : 'must have no fragment; remove the part from #';
};

const kindOf = (scheme: 'http' | 'https'): ExporterKind => {
  const form = `otlp+${scheme}://HOST:4318`;
  return {
    form,
    check: url => checkUrl(url, form),
    options: {
      compression: {
        check: text => ((COMPRESSIONS as readonly string[]).includes(text) ? undefined : 'gzip or none'),
        doc: 'compression of the requests (default gzip)',
      },
    },
    files: ['headersFile', ...(scheme === 'https' ? (['caFile', 'certFile', 'keyFile'] as const) : [])],
    takesHeaders: true,
    keepsQuery: true,
    defaultFormat: 'palisade',
    open: async options => (await import('./otlp.ts')).openOtlp(options),
  };
};

export const OTLP_KINDS: Readonly<Record<string, ExporterKind>> = {
  'otlp+http': kindOf('http'),
  'otlp+https': kindOf('https'),
};
