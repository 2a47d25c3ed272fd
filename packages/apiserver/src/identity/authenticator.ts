// SPDX-License-Identifier: Apache-2.0
/** Who asks. Implementations live beside this file; the composition root chooses one. */

export type UserInfo = {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
};

/** A certificate that the TLS handshake verified against the CA for clients. */
export type ClientCertificate = {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Hexadecimal, upper case, without separators. */
  readonly serialNumber: string;
  /** The certificates up to the CA, in DER, the client's first. */
  readonly chain: readonly Buffer[];
  /** Milliseconds since 1970: the end of the certificate of the chain that ends first. */
  readonly notAfterMs: number;
};

/** The end of the connection that is at this server. */
export type Arrival = {readonly port: number; readonly isSecure: boolean};

/** What an authenticator may look at: headers in lower case, the address of the client and, over TLS, its certificate. */
export type Credentials = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Why the handshake did not accept the certificate that the client showed; absent: it showed a good one, or none. */
  readonly certificateFault?: string | undefined;
  /** Absent: a credential that was accepted is looked at again, which is no login. */
  readonly remoteAddress?: string | undefined;
  /** Where the request came in; absent: over no connection. */
  readonly arrival?: Arrival | undefined;
  /** Too many logins from this address failed: credentials that can be guessed are not looked up. */
  readonly guessesSpent?: true;
};

export type Authentication = {
  /** What the client should know about what it sent. */
  readonly warning?: string | undefined;
} & (
  | {
      readonly outcome: 'user';
      readonly user: UserInfo;
      /** The request showed a credential of this user's; absent: who asks was not looked at. */
      readonly byCredential?: true;
    }
  /**
   * A credential was shown and is wrong: 401. `reason` is for logs and TokenReviews; it repeats no secret. `unchecked`: whether it is wrong
   * cannot be found out yet, for a reason that is not the client's.
   */
  | {readonly outcome: 'refused'; readonly reason?: string; readonly unchecked?: true}
  /** Too many failed logins from the address of the client: 429. */
  | {readonly outcome: 'limited'; readonly retryAfterSeconds: number}
  /** No credential at all: the request goes on as system:anonymous, or is 401 where that is switched off. */
  | {readonly outcome: 'anonymous'}
);

export interface Authenticator {
  /** Every request is let in as the same user, whatever it shows: no credential can be taken away. */
  readonly admitsAll?: true | undefined;
  /** Never throws for a bad credential; a broken back end throws and the request is 500. */
  authenticate(credentials: Credentials): Authentication | Promise<Authentication>;
}

export const ANONYMOUS: UserInfo = {name: 'system:anonymous', groups: ['system:unauthenticated']};
export const MASTERS_GROUP = 'system:masters';

/** `--auth none`: every caller is system:masters. Only ever composed for loopback addresses. */
export const everyoneIsMaster: Authenticator = {
  admitsAll: true,
  authenticate: () => ({
    outcome: 'user',
    user: {name: 'system:admin', groups: [MASTERS_GROUP, 'system:authenticated']},
  }),
};
