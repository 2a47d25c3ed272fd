// SPDX-License-Identifier: Apache-2.0
/** What an OTLP receiver answers, in protobuf or JSON. Ref: OTLP specification 1.10, OTLP/HTTP response. */
import {BinaryReader} from '@bufbuild/protobuf/wire';
import type {IExportLogsServiceResponse} from '@opentelemetry/otlp-transformer';
import type {Rejected} from '../exporter.ts';
import type {PostAnswer} from '../http-post.ts';

const WORDS_MAX = 300;
const isProtobuf = ({contentType}: PostAnswer): boolean => /^application\/(x-)?protobuf\b/.test(contentType);
const isJson = ({contentType}: PostAnswer): boolean => /^application\/json\b/.test(contentType);

/** One line for logs and health; '' for what is no text. */
const oneLine = (text: unknown): string =>
  (typeof text === 'string' ? text : '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, WORDS_MAX);

const jsonOf = (body: Buffer): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

/** `message` of google.rpc.Status, its field 2; '' where it has no message. */
const statusMessage = (body: Buffer): string => {
  try {
    const reader = new BinaryReader(body);
    while (reader.pos < reader.len) {
      const [field, wire] = reader.tag();
      if (field === 2) return reader.string();
      reader.skip(wire, field);
    }
  } catch {
    // not a Status: the number of the answer has to do
  }
  return '';
};

/** Why the receiver did not take a batch, as far as it says. */
export const whyRefused = (answer: PostAnswer): string => {
  if (isProtobuf(answer)) return oneLine(statusMessage(answer.body));
  if (isJson(answer)) return oneLine(jsonOf(answer.body)['message']);
  return /^text\/plain\b/.test(answer.contentType) ? oneLine(answer.body.toString('utf8')) : '';
};

/** An int64, which JSON has as a string. 0: the value is no number. */
const countOf = (value: unknown): number => {
  const count = typeof value === 'string' || typeof value === 'bigint' ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) ? count : 0;
};

/** An answer that cannot be read says nothing of records that were rejected. */
const decoded = (
  body: Buffer,
  decode: (body: Uint8Array) => IExportLogsServiceResponse,
): Readonly<Record<string, unknown>> => {
  try {
    return {...decode(body)};
  } catch {
    return {};
  }
};

/** Of a 2xx answer. Undefined: the receiver has all of them. */
export const partialSuccessOf = (
  answer: PostAnswer,
  decode: (body: Uint8Array) => IExportLogsServiceResponse,
): Rejected | undefined => {
  const said = isProtobuf(answer) ? decoded(answer.body, decode) : isJson(answer) ? jsonOf(answer.body) : {};
  const {rejectedLogRecords, errorMessage} = Object(said['partialSuccess']) as Readonly<Record<string, unknown>>;
  const count = countOf(rejectedLogRecords);
  return count > 0 ? {count, reason: oneLine(errorMessage)} : undefined;
};

/** A page for people: a login page or a web server, which keeps no logs. */
export const isPage = ({contentType}: PostAnswer): boolean => /^text\/html\b/.test(contentType);
