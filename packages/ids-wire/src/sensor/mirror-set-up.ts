// SPDX-License-Identifier: Apache-2.0
/** `GET /v1/{endpoint}/mirrorSetUp`: how to mirror traffic to the endpoint, by platform. */

/** Commands that can be pasted as they are, once the words in capitals are replaced; and what to know about them. */
export type MirrorSetUp = {
  readonly title: string;
  readonly sections: readonly {readonly about: string; readonly commands: readonly string[]}[];
  readonly notes: readonly string[];
};

export type MirrorSetUpMessage = {
  /** Full resource name. */
  readonly endpoint: string;
  readonly endpointIp: string;
  readonly vni: number;
  readonly driver: string;
  readonly targets: Readonly<Partial<Record<'linux' | 'aws' | 'gcp', MirrorSetUp>>>;
};
