// SPDX-License-Identifier: Apache-2.0
/**
 * The server that an object is on, as the state remembers it: `__server: {uid, address}` among the outputs. Members that begin with
 * `__` are a provider's own: the Pulumi CLI keeps them and leaves them out of what it shows, and no schema has them.
 *
 * I1 Nothing is changed on, and nothing concluded from, a server whose uid is another one than the remembered one.
 * I2 Where one of the two is not known (an older state, a server that has none, a user who may not read it) nothing is compared.
 * The address is only for messages: the same data at another one is the same server.
 */
import {type Clock, isIdsError, isKubeError} from '@palisade/client';
import {withDeadline} from './deadline.ts';
import {mapAt, stringAt} from './property-access.ts';
import {type ObjectOfState, ProviderError} from './provider.ts';
import type {PropertyMap} from './value.ts';

export const SERVER_KEY = '__server';
/** What a server is asked in passing, before what was meant, is not waited for longer. */
const ASK_MS_MAX = 5_000;
const URNS_NAMED_MAX = 5;

export type ServerProbe = {
  /** Throws when no server is configured. */
  readonly address: () => string;
  /** undefined: it has none. Throws what its client throws. */
  readonly uid: (signal: AbortSignal) => Promise<string | undefined>;
  /** How users name a server, such as `PALISADE_SERVER or platform:server`. */
  readonly settings: string;
};

type Server = {readonly uid: string; readonly address: string};

export class ServerIdentity {
  readonly #probe: ServerProbe;
  readonly #clock: Clock;
  #asked: Promise<string | undefined> | undefined;
  /** It did not answer: it is not waited for again only to be sure. */
  #isSilent = false;

  constructor(probe: ServerProbe, clock: Clock) {
    this.#probe = probe;
    this.#clock = clock;
  }

  /**
   * Throws `failed-precondition` when one of the objects is on another server. For no answer: what the client throws, or nothing where
   * it is `optional`, as nothing is changed there then.
   */
  async assertSame(
    objects: readonly ObjectOfState[],
    {signal, optional}: {readonly signal: AbortSignal; readonly optional: boolean},
  ): Promise<void> {
    const located = objects.flatMap(({urn, properties}) => {
      const server = rememberedIn(properties);
      return server === undefined ? [] : [{urn, server}];
    });
    if (located.length === 0) return;
    const uid = await (optional ? this.#uidIfAnswered(signal) : this.#uid(signal));
    const foreign = uid === undefined ? [] : located.filter(({server}) => server.uid !== uid);
    const [first] = foreign;
    if (uid === undefined || first === undefined) return;
    const here = {uid, address: shown(this.#probe.address())};
    const urns = foreign.filter(({server}) => server.uid === first.server.uid).map(({urn}) => urn);
    throw new ProviderError(
      'failed-precondition',
      elsewhere(urns, first.server, {here, settings: this.#probe.settings}),
    );
  }

  /** The outputs with the server they are of; where it does not say which it is, with the one that `before` had. Never rejects. */
  async remember(properties: PropertyMap, before: PropertyMap, signal: AbortSignal): Promise<PropertyMap> {
    const uid = await this.#uid(signal).catch(() => undefined);
    const server = uid === undefined ? before[SERVER_KEY] : {uid, address: shown(this.#probe.address())};
    return server === undefined ? properties : {...properties, [SERVER_KEY]: server};
  }

  async #uidIfAnswered(signal: AbortSignal): Promise<string | undefined> {
    if (this.#isSilent) return undefined;
    try {
      return await this.#uid(signal);
    } catch {
      this.#isSilent = true;
      return undefined;
    }
  }

  /** Asked once; again after no answer. */
  async #uid(signal: AbortSignal): Promise<string | undefined> {
    const bounds = {
      clock: this.#clock,
      parent: signal,
      timeoutMs: ASK_MS_MAX,
      what: 'asking the server for its identity',
    };
    this.#asked ??= withDeadline(bounds, this.#probe.uid).catch((error: unknown) => {
      if (isRefusal(error)) return undefined;
      this.#asked = undefined;
      throw error;
    });
    return this.#asked;
  }
}

/** It answered, and does not say: it has no such thing, or not for this user. */
const isRefusal = (error: unknown): boolean =>
  (isKubeError(error) && [401, 403, 404, 405].includes(error.status.code)) ||
  (isIdsError(error) && ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'NOT_FOUND', 'UNIMPLEMENTED'].includes(error.code));

function rememberedIn(properties: PropertyMap): Server | undefined {
  const server = mapAt(properties, SERVER_KEY);
  const uid = stringAt(server, 'uid');
  return uid === undefined ? undefined : {uid, address: stringAt(server, 'address') ?? 'an unknown address'};
}

/** Without a password that it may hold. */
function shown(address: string): string {
  const url = URL.parse(address);
  return url === null ? address : `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function elsewhere(
  urns: readonly string[],
  there: Server,
  of: {readonly here: Server; readonly settings: string},
): string {
  const {here, settings} = of;
  const subject = urns.length === 1 ? 'this object is' : `${urns.length} objects of the stack are`;
  const isReplaced = here.address === there.address;
  const [now, back] = isReplaced
    ? [`another server is there now (uid ${here.uid})`, 'to keep working on it, start the server on its own data again']
    : [
        `${here.address} is another server (uid ${here.uid})`,
        `to keep working there, name that server again (${settings})`,
      ];
  const named = urns.slice(0, URNS_NAMED_MAX).map(urn => `'${urn}'`);
  const more = urns.length > named.length ? ` (and ${urns.length - named.length} more)` : '';
  return [
    `${subject} on the server at ${there.address} (uid ${there.uid}); ${now}, so nothing was changed`,
    back,
    `to leave that server, run \`palisade destroy\` against it first, or remove its objects from the state: palisade state delete ${named.join(' ')}${more}`,
  ].join('\n');
}
