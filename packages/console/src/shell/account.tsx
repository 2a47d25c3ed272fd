// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {errorText, useApi, useSession} from '../api/index.ts';
import {setTheme, THEMES, useTheme} from '../design/theme.ts';
import {Button, IconButton, icons, Menu, toast} from '../ui/index.ts';
import css from './layout.module.css';

const THEME_WORDS = {system: 'As the system', light: 'Light', dark: 'Dark'} as const;
const METHOD_WORDS = {
  none: 'No sign-in (--auth none)',
  token: 'Signed in with a token',
  certificate: 'Signed in with a client certificate',
  oidc: 'Signed in with OpenID Connect',
} as const;

export function ThemeMenu(): ReactNode {
  const theme = useTheme();
  const items = THEMES.map(one => ({label: THEME_WORDS[one], checked: one === theme, onSelect: () => setTheme(one)}));
  return <Menu trigger={<IconButton label="Theme" icon={<icons.ThemeIcon />} />} groups={[{choice: true, items}]} />;
}

/** The signed-in user, and sign-out. */
export function AccountMenu(): ReactNode {
  const api = useApi();
  const state = useSession();
  if (state.phase !== 'in') return null;
  const {user, method} = state.session;
  const signOut = (): void => {
    api.session.signOut().catch(error => toast('bad', `You are still signed in. ${errorText(error)}`));
  };
  const whyDisabled = method === 'none' ? 'The server has no sign-in' : undefined;
  return (
    <Menu
      trigger={
        <Button
          kind="quiet"
          className={css['account']}
          icon={<icons.UserIcon />}
          aria-label={`Account of ${user.username}`}
        >
          <span>{user.username}</span>
        </Button>
      }
      groups={[{title: METHOD_WORDS[method], items: [{label: 'Sign out', onSelect: signOut, whyDisabled}]}]}
    />
  );
}
