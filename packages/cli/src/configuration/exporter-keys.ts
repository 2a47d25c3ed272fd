// SPDX-License-Identifier: Apache-2.0
/** `exporters`: receivers of records. `palisade serve` checks what goes beyond types (packages/server/src/parts/export-config.ts). */
import {EXPORT_KINDS, EXPORT_STARTS} from '@palisade/server/export-config';
import type {Shape} from './shape.ts';

const file = (doc: string) => ({kind: 'text', isPath: true, form: 'a path', doc}) as const satisfies Shape;

export const exporters = {
  kind: 'list',
  form: 'a list of exporters, such as [{url: "syslog+tcp://logs.example:514"}]',
  doc: 'receivers of records; --export adds others',
  of: {
    kind: 'object',
    form: 'a mapping with "url"',
    fields: {
      url: {
        kind: 'text',
        required: true,
        form: 'a URL, such as "syslog+tcp://logs.example:514"',
        doc: 'where records go: syslog+udp, syslog+tcp, syslog+tls, http, https, otlp+http, otlp+https or eve',
      },
      name: {
        kind: 'text',
        form: 'a text, such as siem',
        doc: 'name in health and metrics; the position is kept by it (default: the receiver)',
      },
      format: {
        kind: 'text',
        oneOf: ['palisade', 'ecs'],
        form: 'palisade or ecs',
        doc: 'fields of the API, or Elastic Common Schema (default palisade)',
      },
      kinds: {
        kind: 'list',
        of: {kind: 'text', oneOf: EXPORT_KINDS, form: 'threats or traffic'},
        form: 'a list, such as [threats, traffic]',
        doc: 'kinds of records (default [threats])',
      },
      filter: {
        kind: 'text',
        form: 'a filter in quotes, such as "alert_severity>=HIGH"',
        doc: 'only records that match this AIP-160 filter',
      },
      endpoints: {
        kind: 'list',
        of: {kind: 'text', form: 'the full name of an endpoint'},
        form: 'a list, such as [projects/-/locations/-/endpoints/web]',
        doc: 'only records of these endpoints; "-" and "*" are wildcards',
      },
      updates: {kind: 'flag', doc: 'send a record again when its repeat count or a decision about it changes'},
      from: {
        kind: 'text',
        oneOf: EXPORT_STARTS,
        form: 'now or start',
        doc: 'first record of a new exporter: the next one, or the oldest that is stored (default now)',
      },
      secretFile: file('file with the keys that sign webhooks, one a line'),
      headersFile: file('file with secret HTTP headers, one "Name: value" a line'),
      headers: {
        kind: 'map',
        of: {kind: 'text', orNumber: true, form: 'a text in quotes'},
        form: 'a mapping of names to values, such as {X-Tenant: "7"}',
        doc: 'HTTP headers',
      },
      caFile: file('CA certificates that the receiver must have one of (PEM)'),
      certFile: file('client certificate (PEM)'),
      keyFile: file('private key of the client certificate (PEM)'),
    },
  },
} as const satisfies Shape;
