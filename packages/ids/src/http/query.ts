// SPDX-License-Identifier: Apache-2.0
/** Query parameters: system parameters of every method, and those of one method. Names in camelCase or snake_case. */
import {type EnumEncoding, type FieldViolation, parseSelection, type Selection, toSnakeCase} from '@palisade/ids-wire';
import {invalidArgument} from '../rpc-error.ts';

/** Ref: discovery document, `parameters`; and the `$` forms of google/api/system_parameter.proto. Never refused. */
const SYSTEM_PARAMETERS: ReadonlySet<string> = new Set([
  'alt',
  'prettyPrint',
  'fields',
  'key',
  'access_token',
  'oauth_token',
  'quotaUser',
  'callback',
  'xgafv',
  'uploadType',
  'upload_protocol',
  'trace',
  'userProject',
  'apiVersion',
  'pp',
  'ct',
  'req',
  'httpHeaders',
  'httpMethod',
  'unique',
  'outputDefaults',
]);

const systemName = (name: string): string | undefined => {
  const bare = name.replace(/^\$\.?/, '');
  if (SYSTEM_PARAMETERS.has(bare)) return bare;
  const camel = bare.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase());
  return SYSTEM_PARAMETERS.has(camel) ? camel : undefined;
};

export type Query = {
  /** The method's own parameters by camelCase name; '' is kept. The first of several. */
  readonly get: (name: string) => string | undefined;
  readonly enums: EnumEncoding;
  readonly pretty: boolean;
  /** Undefined: everything. */
  readonly selection: Selection | undefined;
};

/**
 * Throws INVALID_ARGUMENT that names every unknown parameter. `callback` is accepted and ignored: an answer that a foreign page can
 * run as a script would hand it the data.
 */
export const parseQuery = (search: string, known: readonly string[]): Query => {
  const names = new Map(known.flatMap(name => [[name, name] as const, [toSnakeCase(name), name] as const]));
  const own = new Map<string, string>();
  const system = new Map<string, string>();
  const violations: FieldViolation[] = [];
  for (const [key, value] of new URLSearchParams(search)) {
    const name = names.get(key);
    const shared = systemName(key);
    if (name !== undefined) own.set(name, own.get(name) ?? value);
    else if (shared !== undefined) system.set(shared, system.get(shared) ?? value);
    else
      violations.push({
        field: key,
        description: `Unknown name "${key}": Cannot bind query parameter. Field '${key}' could not be found in request message.`,
      });
  }
  const fields = system.get('fields');
  const selection = fields === undefined || fields === '' ? undefined : parseSelection(fields);
  if (fields !== undefined && fields !== '' && selection === undefined)
    violations.push({field: 'fields', description: `Invalid field selection "${fields}"`});
  if (violations.length > 0) throw invalidArgument(violations);
  return {
    get: name => own.get(name),
    enums: /;\s*enum-encoding=int\b/.test(system.get('alt') ?? '') ? 'int' : 'name',
    pretty: /^(true|1)$/i.test(system.get('prettyPrint') ?? system.get('pp') ?? ''),
    selection,
  };
};

const INT32_MAX = 2_147_483_647;

/** Absent and '' are 0. NaN for what is no int32, so that it is reported with the request's other faults. */
export const int32Of = (text: string | undefined): number => {
  if (text === undefined || text === '') return 0;
  if (!/^[+-]?\d+$/.test(text)) return Number.NaN;
  const value = Number(text);
  return Math.abs(value) > INT32_MAX ? Number.NaN : value;
};

/** `1`, `true` and '' (a bare `?follow`) are true. */
export const isOn = (text: string | undefined): boolean => text !== undefined && /^(1|true|)$/i.test(text);
