// SPDX-License-Identifier: Apache-2.0
/** Records to a syslog receiver. What counts as received is in tcp.ts and udp.ts. */
import {createSecureContext} from 'node:tls';
import {messageOf as wordsOf} from '../../system.ts';
import {ExportError, type Exporter, type ExporterOptions, written} from '../exporter.ts';
import {needsEvent, shapeOf} from '../shapes/shape.ts';
import {BYTES_DEFAULT, DEFAULT_PORTS, type SyslogTransport} from './defaults.ts';
import {ENTERPRISE_DEFAULT, FACILITIES, FACILITY_DEFAULT, messageOf} from './message.ts';
import {openTcp} from './tcp.ts';
import type {Transport} from './transport.ts';
import {openUdp} from './udp.ts';

/** Throws ExportError for certificates that cannot be used. */
const transportOf = (transport: SyslogTransport, {settings, files, clock, timers}: ExporterOptions): Transport => {
  const url = new URL(settings.url);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? DEFAULT_PORTS[transport] : Number(url.port);
  if (transport === 'udp') return openUdp(host, port, timers);
  const {ca, cert, key} = files;
  const confirm = settings.options['confirm'] === 'write' ? 'write' : 'close';
  if (transport === 'tcp') return openTcp({host, port, tls: undefined, confirm, clock, timers});
  try {
    createSecureContext({ca, cert, key});
  } catch (error) {
    throw new ExportError('unavailable', `certificate or key cannot be used: ${wordsOf(error)}`, {cause: error});
  }
  const serverName = settings.options['serverName'];
  return openTcp({host, port, tls: {ca, cert, key, serverName}, confirm, clock, timers});
};

export const openSyslog = (transport: SyslogTransport, options: ExporterOptions): Exporter => {
  const {settings, observer} = options;
  const {send, close} = transportOf(transport, options);
  const messageOptions = {
    facility: FACILITIES[settings.options['facility'] ?? FACILITY_DEFAULT] ?? 0,
    enterprise: settings.options['enterprise'] ?? ENTERPRISE_DEFAULT,
    bytesMax: Number(settings.options['maxBytes'] ?? BYTES_DEFAULT[transport]),
    observer,
    toShape: shapeOf(settings.format, observer),
  };
  let truncated = 0;
  return {
    needsEvent: needsEvent(settings.format),
    truncated: () => truncated,
    send: async (items, signal) => {
      const messages = written(() => items.map(item => messageOf(item, messageOptions)));
      await send(
        messages.map(({bytes}) => bytes),
        signal,
      );
      truncated += messages.filter(message => message.truncated).length;
    },
    close,
  };
};
