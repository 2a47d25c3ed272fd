// SPDX-License-Identifier: Apache-2.0
import {useRouterState} from '@tanstack/react-router';
import {type FormEvent, type ReactNode, useState} from 'react';
import {type SignIn, useApi} from '../api/index.ts';
import {Button, TextInput} from '../ui/index.ts';
import {certificateText} from './certificate-text.ts';
import css from './layout.module.css';
import {oidcLink} from './oidc-link.ts';

/** The ways in that the server offers. The token is sent once and not kept in the browser. */
export function SignInPage({signIn, note}: {readonly signIn: SignIn; readonly note?: string | undefined}): ReactNode {
  const {session} = useApi();
  const [token, setToken] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const enter = async (given?: string): Promise<void> => {
    setBusy(true);
    setRefusal(await session.signIn(given));
    setBusy(false);
  };
  useRouterState({select: ({location}) => location.href}); // the back button changes the page that the link leads back to
  const aboutCertificate = certificateText(signIn);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() === '') setRefusal('Paste a token first');
    else void enter(token.trim());
  };
  return (
    <main className={css['alone']}>
      <title>Sign in · Palisade</title>
      <div className={css['signIn']}>
        <span className={css['brand']}>
          <img src="/console/icon.svg" alt="" width={24} height={24} />
          Palisade
        </span>
        <h1>Sign in</h1>
        {note !== undefined && (
          <p role="status" className={css['note']}>
            {note}
          </p>
        )}
        {signIn.token && (
          <form onSubmit={submit}>
            <TextInput
              type="password"
              label="Token"
              hint="From “palisade token create”, the token file, a service account or an issuer."
              error={refusal}
              value={token}
              onChange={event => setToken(event.target.value)}
            />
            <Button type="submit" kind="primary" busy={isBusy}>
              Sign in with the token
            </Button>
          </form>
        )}
        {aboutCertificate !== undefined && <p className={css['way']}>{aboutCertificate}</p>}
        {signIn.certificate && (
          <>
            <p className={css['or']}>or</p>
            <Button onClick={() => void enter()} busy={isBusy}>
              Sign in with the client certificate
            </Button>
          </>
        )}
        {signIn.oidc !== undefined && (
          <>
            <p className={css['or']}>or</p>
            <a className={css['link']} href={oidcLink(signIn.oidc.url, window.location)}>
              Sign in with {hostOf(signIn.oidc.issuer)}
            </a>
          </>
        )}
        {!signIn.token && refusal !== undefined && <p role="alert">{refusal}</p>}
      </div>
    </main>
  );
}

const hostOf = (issuer: string): string => URL.parse(issuer)?.host ?? issuer;
