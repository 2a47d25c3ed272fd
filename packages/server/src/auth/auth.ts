// SPDX-License-Identifier: Apache-2.0
import type {Authenticator} from '@palisade/apiserver';
import type {RbacAuthorizer} from '@palisade/kinds';

/** Who asks, and whether they may: one of each for both APIs. */
export type Auth = {readonly authenticator: Authenticator; readonly authorizer: RbacAuthorizer};
