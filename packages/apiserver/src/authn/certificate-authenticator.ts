// SPDX-License-Identifier: Apache-2.0
/**
 * Client certificates: the common name is the user, each organization a group.
 * Ref: kubernetes v1.36 apiserver/pkg/authentication/request/x509/x509.go, CommonNameUserConversion.
 */
import {type CompatMode, compatOf} from '../base/compat.ts';
import type {Authentication, Authenticator, ClientCertificate, Credentials} from '../identity/authenticator.ts';
import {certificateId} from './certificate-id.ts';
import {AUTHENTICATED} from './user-name.ts';

/** Key of a user's extra values. Ref: kubernetes v1.36 apiserver/pkg/authentication/user/user.go, CredentialIDKey. */
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** Why a certificate that the handshake verified does not count now; undefined: it counts. */
export type CertificateJudge = (certificate: ClientCertificate) => string | undefined;

const refused = (reason: string): Authentication => ({outcome: 'refused', reason});

const answerTo = (certificate: ClientCertificate): Authentication => {
  const {commonName, organizations} = certificate;
  // Upstream lets such a client go on as anonymous.
  if (commonName === '') return refused('client certificate not accepted: its subject has no common name');
  return {
    outcome: 'user', // without `byCredential`: a browser shows its certificate for the pages of any site
    user: {
      name: commonName,
      groups: [...new Set([...organizations, AUTHENTICATED])],
      extra: {[CREDENTIAL_ID]: [certificateId(certificate)]},
    },
  };
};

const BEARER = /^\s*bearer +\S/i;

/** `kubectl --token` with a kubeconfig that has a certificate sends both. */
const showsToken = ({headers}: Credentials): boolean =>
  [headers['authorization'] ?? []].flat().some(h => BEARER.test(h));

/** `judge` is asked at every request: a connection may outlive the validity of its certificate. */
export const certificateAuthenticator = (judge: CertificateJudge, mode: CompatMode): Authenticator => {
  const {tokensBeforeCertificates} = compatOf(mode);
  const answers = new WeakMap<ClientCertificate, Authentication>();
  return {
    authenticate: credentials => {
      const {clientCertificate, certificateFault} = credentials;
      if (tokensBeforeCertificates && showsToken(credentials)) return {outcome: 'anonymous'};
      if (certificateFault !== undefined) return refused(certificateFault);
      if (clientCertificate === undefined) return {outcome: 'anonymous'};
      const fault = judge(clientCertificate);
      if (fault !== undefined) return refused(`client certificate not accepted: ${fault}`);
      let answer = answers.get(clientCertificate);
      if (answer === undefined) {
        answer = answerTo(clientCertificate);
        answers.set(clientCertificate, answer);
      }
      return answer;
    },
  };
};
