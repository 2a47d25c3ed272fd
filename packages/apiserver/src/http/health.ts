// SPDX-License-Identifier: Apache-2.0
/** /healthz, /livez and /readyz with their single checks. Ref: kubernetes v1.36 apiserver/pkg/server/healthz/healthz.go. */
import {goQuote} from '@palisade/kube-wire';
import type {Query} from '../request/query.ts';

export type HealthCheck = {
  readonly name: string;
  /** Other names for it in a path and in `exclude`: what upstream calls its counterpart. */
  readonly aliases?: readonly string[] | undefined;
  /** Text of what is wrong, or undefined. */
  readonly check: () => string | undefined;
  /** What of it everyone may read who may ask for all checks; without it, as upstream, the reason is withheld there. */
  readonly publicReason?: (() => string | undefined) | undefined;
  /** A check that a live but not yet ready server may fail. */
  readonly readyOnly?: boolean | undefined;
};

export type HealthAnswer = {readonly code: number; readonly text: string};

const ENDPOINTS = ['healthz', 'livez', 'readyz'] as const;

export class HealthChecks {
  readonly #checks: readonly HealthCheck[];

  constructor(checks: readonly HealthCheck[]) {
    this.#checks = [{name: 'ping', aliases: ['log'], check: () => undefined}, ...checks];
  }

  /** Every path that is answered. */
  paths(): string[] {
    return ENDPOINTS.flatMap(endpoint => [
      `/${endpoint}`,
      ...this.#checksOf(endpoint).flatMap(check => namesOf(check).map(name => `/${endpoint}/${name}`)),
    ]);
  }

  #checksOf(endpoint: (typeof ENDPOINTS)[number]): readonly HealthCheck[] {
    return this.#checks.filter(({readyOnly}) => endpoint === 'readyz' || readyOnly !== true);
  }

  /** Undefined when the path is no health path. */
  answer(path: string, query: Query): HealthAnswer | undefined {
    const [, root = '', name, ...rest] = path.split('/');
    const endpoint = ENDPOINTS.find(known => known === root);
    if (endpoint === undefined || rest.length > 0) return undefined;
    const checks = this.#checksOf(endpoint);
    return name === undefined ? all(endpoint, checks, query) : one(checks, name);
  }
}

const namesOf = ({name, aliases = []}: HealthCheck): readonly string[] => [name, ...aliases];

const one = (checks: readonly HealthCheck[], name: string): HealthAnswer | undefined => {
  const found = checks.find(check => namesOf(check).includes(name));
  if (found === undefined) return undefined;
  const fault = found.check();
  return fault === undefined ? {code: 200, text: 'ok'} : {code: 500, text: `internal server error: ${fault}\n`};
};

const all = (endpoint: string, checks: readonly HealthCheck[], query: Query): HealthAnswer => {
  const excluded = new Set(query.all('exclude'));
  const unknown = new Set(excluded);
  const lines: string[] = [];
  let failed = false;
  for (const item of checks) {
    const {name, check, publicReason} = item;
    const names = namesOf(item);
    for (const known of names) unknown.delete(known);
    if (names.some(known => excluded.has(known))) lines.push(`[+]${name} excluded: ok\n`);
    else if (check() === undefined) lines.push(`[+]${name} ok\n`);
    else {
      failed = true;
      lines.push(`[-]${name} failed: ${publicReason?.() ?? 'reason withheld'}\n`);
    }
  }
  if (unknown.size > 0) {
    const quoted = [...unknown].sort().map(goQuote).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${quoted}\n`);
  }
  if (failed) return {code: 500, text: `${lines.join('')}${endpoint} check failed\n`};
  return {code: 200, text: query.has('verbose') ? `${lines.join('')}${endpoint} check passed\n` : 'ok'};
};
