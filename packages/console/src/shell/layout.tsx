// SPDX-License-Identifier: Apache-2.0
/** Around every page: navigation, the signed-in user, whether the server answers. */
import {type Query, useQueryClient} from '@tanstack/react-query';
import {Outlet, useRouterState} from '@tanstack/react-router';
import {type ReactNode, useEffect, useState} from 'react';
import {isPassing, useApi, useSession, useStore} from '../api/index.ts';
import {PAGES} from '../pages/index.ts';
import type {Page} from '../pages/page.ts';
import {ErrorState, IconButton, icons, Loading, Toaster} from '../ui/index.ts';
import {AccountMenu, ThemeMenu} from './account.tsx';
import {KeyboardHelp, usePageKeys} from './keys.tsx';
import css from './layout.module.css';
import {Navigation} from './navigation.tsx';
import {SignInPage} from './sign-in.tsx';

export function Layout(): ReactNode {
  const session = useSession();
  const api = useApi();
  switch (session.phase) {
    case 'loading':
      return (
        <main className={css['alone']}>
          <Loading label="Loading the console" rows={3} />
        </main>
      );
    case 'failed':
      return (
        <main className={css['alone']}>
          <title>Palisade</title>
          <h1 className="sr-only">Palisade</h1>
          <ErrorState title="The console cannot start" text={session.text} onRetry={() => void api.session.load()} />
        </main>
      );
    case 'out':
      return <SignInPage signIn={session.signIn} note={session.note} />;
    case 'in':
      return <Frame />;
  }
}

function Frame(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [isHelpShown, setHelpShown] = useState(false);
  const path = useRouterState({select: state => state.location.pathname});
  const page = usePage();
  usePageKeys(() => setHelpShown(true));
  // A new page closes the navigation of narrow screens.
  useEffect(() => setOpen(false), [path]);
  return (
    <div className={css['frame']}>
      <a href="#page" className={css['skip']}>
        Skip to the page
      </a>
      <header className={css['bar']}>
        <span className={css['burger']}>
          <IconButton
            label={isOpen ? 'Close navigation' : 'Open navigation'}
            icon={isOpen ? <icons.CloseIcon /> : <icons.MenuIcon />}
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          />
        </span>
        <span className={css['brand']}>
          <img src="/console/icon.svg" alt="" width={20} height={20} />
          Palisade
        </span>
        <span className={css['barEnd']}>
          <IconButton label="Keyboard shortcuts" icon={<icons.KeyboardIcon />} onClick={() => setHelpShown(true)} />
          <ThemeMenu />
          <AccountMenu />
        </span>
      </header>
      <LostBanner />
      <div className={css['below']}>
        <Navigation path={path} isOpen={isOpen} />
        <main id="page" tabIndex={-1} className={css['page']}>
          <Outlet />
        </main>
      </div>
      <KeyboardHelp ofPage={page?.keys} open={isHelpShown} onOpenChange={setHelpShown} />
      <Toaster />
    </div>
  );
}

/** The page that is shown; undefined: the address has none. */
function usePage(): Page | undefined {
  const route = useRouterState({select: (state): string | undefined => state.matches.at(-1)?.routeId});
  return PAGES.find(({path}) => path === route);
}

/** Stays in the document, so that screen readers hear of it. */
function LostBanner(): ReactNode {
  const lost = useStore(useApi().lost);
  const queries = useQueryClient();
  // What failed meanwhile and is not polled is read again when the server is back.
  useEffect(() => {
    const isFailed = ({state}: Query): boolean => state.status === 'error' && isPassing(state.error);
    // The answer that ends the loss may be of one of them: it is not asked again.
    if (lost === '') void queries.refetchQueries({type: 'active', predicate: isFailed}, {cancelRefetch: false});
  }, [lost, queries]);
  return (
    <div role="status" className={lost === '' ? 'sr-only' : css['lost']}>
      {lost === '' ? '' : `Connection lost: ${lost}. The page may be out of date; the console tries again by itself.`}
    </div>
  );
}
