// SPDX-License-Identifier: Apache-2.0
/** The set-up of a mirror for one platform. */
import {awsSetUp} from './text-aws.ts';
import {gcpSetUp} from './text-gcp.ts';
import {type Attach, linuxSetUp, type SetUp} from './text-linux.ts';

export const MIRROR_TARGETS = ['linux', 'aws', 'gcp'] as const;
export type MirrorTarget = (typeof MIRROR_TARGETS)[number];

/** The interface in the commands for Linux where no other is named. */
export const EXAMPLE_INTERFACE = 'eth0';
/** Ref: Linux dev_valid_name, without characters that a shell or sysctl reads as something else. */
const INTERFACE = /^[A-Za-z0-9_-][A-Za-z0-9_.@-]{0,14}$/;
export const isInterfaceName = (text: string): boolean => INTERFACE.test(text);

/** `from`: the interface to mirror; for Linux alone. */
export const setUpOf = (target: MirrorTarget, attach: Attach, from: string): SetUp =>
  target === 'linux' ? linuxSetUp(attach, from) : target === 'aws' ? awsSetUp(attach) : gcpSetUp(attach);
