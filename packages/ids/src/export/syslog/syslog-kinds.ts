// SPDX-License-Identifier: Apache-2.0
/** syslog+udp, syslog+tcp, syslog+tls: what their URLs may say. */
import type {ExporterKind, ExporterOption} from '../exporter-kind.ts';
import {BYTES_DEFAULT, BYTES_LEAST, BYTES_MOST, type SyslogTransport} from './defaults.ts';
import {FACILITIES} from './message.ts';

/** `close`: the receiver has closed the connection after the last message; `write`: the messages are on their way. */
export const CONFIRM = ['close', 'write'] as const;

const optionsOf = (transport: SyslogTransport): Readonly<Record<string, ExporterOption>> => ({
  facility: {
    check: text => (Object.hasOwn(FACILITIES, text) ? undefined : `one of ${Object.keys(FACILITIES).join(', ')}`),
    doc: 'facility of the messages (default local0)',
  },
  enterprise: {
    check: text => (/^[1-9]\d{0,9}$/.test(text) ? undefined : 'a private enterprise number of IANA, such as 32473'),
    doc: 'private enterprise number in the name of the structured data (default 32473)',
  },
  maxBytes: {
    check: text =>
      /^\d+$/.test(text) && Number(text) >= BYTES_LEAST && Number(text) <= BYTES_MOST[transport]
        ? undefined
        : `a number of bytes from ${BYTES_LEAST} to ${BYTES_MOST[transport]}`,
    doc: `longest message in bytes (default ${BYTES_DEFAULT[transport]})`,
  },
  ...(transport === 'udp'
    ? {}
    : {
        confirm: {
          check: (text: string) =>
            (CONFIRM as readonly string[]).includes(text) ? undefined : `one of ${CONFIRM.join(', ')}`,
          doc: 'when messages count as received (default close)',
        },
      }),
  ...(transport === 'tls'
    ? {
        serverName: {
          check: (text: string) => (/^[A-Za-z0-9.-]{1,253}$/.test(text) ? undefined : 'a host name'),
          doc: 'name in the certificate of the receiver (default: the host of the URL)',
        },
      }
    : {}),
});

const checkUrl = (url: URL, form: string): string | undefined => {
  if (url.hostname === '') return `has no host; write ${form}`;
  if (url.username !== '' || url.password !== '') return 'must have no user or password; syslog has no log-in';
  if (url.pathname !== '' && url.pathname !== '/') return `must have no path; write ${form}`;
  return url.hash === '' ? undefined : 'must have no fragment; remove the part from #';
};

const kindOf = (transport: SyslogTransport): ExporterKind => {
  const form = `syslog+${transport}://HOST:PORT`;
  return {
    form,
    check: url => checkUrl(url, form),
    options: optionsOf(transport),
    files: transport === 'tls' ? ['caFile', 'certFile', 'keyFile'] : [],
    takesHeaders: false,
    keepsQuery: false,
    defaultFormat: 'palisade',
    open: async options => (await import('./syslog.ts')).openSyslog(transport, options),
  };
};

export const SYSLOG_KINDS: Readonly<Record<string, ExporterKind>> = {
  'syslog+udp': kindOf('udp'),
  'syslog+tcp': kindOf('tcp'),
  'syslog+tls': kindOf('tls'),
};
