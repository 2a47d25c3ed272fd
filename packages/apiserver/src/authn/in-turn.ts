// SPDX-License-Identifier: Apache-2.0
import type {Authentication, Authenticator} from '../identity/authenticator.ts';

/**
 * Asks each authenticator in turn: the first that names a user decides; else the first refusal, else the first warning.
 * Ref: kubernetes v1.36 apiserver/pkg/authentication/request/union/union.go.
 */
export const inTurn = (authenticators: readonly Authenticator[]): Authenticator => ({
  authenticate: async credentials => {
    let other: Authentication = {outcome: 'anonymous'};
    for (const authenticator of authenticators) {
      const answer = await authenticator.authenticate(credentials);
      if (answer.outcome === 'user') return answer;
      if (other.outcome === 'anonymous' && (answer.outcome !== 'anonymous' || other.warning === undefined))
        other = answer;
    }
    return other;
  },
});
