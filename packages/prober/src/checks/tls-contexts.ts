// SPDX-License-Identifier: Apache-2.0
/** Certificates are read once for each bundle, not for each check: reading those of a system takes milliseconds. */
import {X509Certificate} from 'node:crypto';
import {createSecureContext, getCACertificates, type SecureContext} from 'node:tls';
import {TLS_CONTEXTS_MAX} from '../limits.ts';
import type {CheckTls} from '../port.ts';

/** Those of the system, or those that come with Node where the system has none. */
const systemCertificates = (): string[] => {
  const system = getCACertificates('system');
  return system.length > 0 ? system : getCACertificates('bundled');
};

export class TlsContexts {
  /** By bundle; the one that was not used for the longest time is the first. */
  readonly #contexts = new Map<string, SecureContext>();

  /** Throws where the bundle cannot be read. */
  of({ca, verify}: CheckTls): SecureContext {
    const key = verify ? (ca ?? 'system') : 'none';
    const known = this.#contexts.get(key);
    if (known === undefined && verify && ca !== undefined) new X509Certificate(ca); // Node takes what it cannot read for nothing
    const context = known ?? createSecureContext(verify ? {ca: ca ?? systemCertificates()} : {ca: []});
    this.#contexts.delete(key);
    this.#contexts.set(key, context);
    const [oldest] = this.#contexts.size > TLS_CONTEXTS_MAX ? this.#contexts.keys() : [];
    if (oldest !== undefined) this.#contexts.delete(oldest);
    return context;
  }
}
