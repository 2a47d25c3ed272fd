// SPDX-License-Identifier: Apache-2.0
/** Routes from the list of pages. */
import {createRootRoute, createRoute, createRouter, lazyRouteComponent} from '@tanstack/react-router';
import {type ReactNode, useEffect} from 'react';
import {errorText, useApi} from '../api/index.ts';
import {BASE, links} from '../links.ts';
import {PAGES} from '../pages/index.ts';
import {PageLink} from '../routing/link.tsx';
import {parseQuery, queryOf} from '../routing/search.ts';
import {Button, EmptyState, ErrorState, Loading, PageHeader} from '../ui/index.ts';
import {Layout} from './layout.tsx';
import {isCodeMissing, loadCode, reloadWhenBack, titleOf} from './load-failure.ts';
import {markReloaded, wasReloaded} from './reloaded.ts';

const FIRST = PAGES.some(({path}) => path === '/') ? links.overview() : links.endpointsList();

const NotFound = (): ReactNode => (
  <>
    <PageHeader title="Page not found" />
    <EmptyState
      title="This page does not exist"
      text="Check the address."
      action={<PageLink to={FIRST}>Go to the start page</PageLink>}
    />
  </>
);

type FailedProps = {readonly error: unknown; readonly reset: () => void};

const failedOf =
  (title: string) =>
  ({error, reset}: FailedProps): ReactNode => (
    <>
      <PageHeader title={title} />
      {isCodeMissing(error) ? (
        <CodeMissing />
      ) : (
        <ErrorState title="This page cannot be shown" text={errorText(error)} onRetry={reset} />
      )}
    </>
  );

function CodeMissing(): ReactNode {
  const {lost, transport} = useApi();
  useEffect(
    () =>
      reloadWhenBack({
        lost,
        ask: () => transport.send({method: 'GET', path: '/version'}),
        reload: () => {
          markReloaded(true);
          location.reload();
        },
        isSecond: wasReloaded(),
      }),
    [lost, transport],
  );
  return (
    <ErrorState
      title="This page cannot be loaded"
      text="The server does not answer, or it was updated after you opened the console. The page loads by itself when the server answers."
      action={<Button onClick={() => location.reload()}>Reload</Button>}
    />
  );
}

const rootRoute = createRootRoute({component: Layout, notFoundComponent: NotFound});

const pageRoutes = PAGES.map(page =>
  createRoute({
    getParentRoute: () => rootRoute,
    path: page.path,
    component: lazyRouteComponent(
      loadCode(page.load, () => markReloaded(false)),
      'Page',
    ),
    pendingComponent: Loading,
    errorComponent: failedOf(titleOf(page, PAGES)),
  }),
);

export const createAppRouter = () =>
  createRouter({
    routeTree: rootRoute.addChildren(pageRoutes),
    basepath: BASE,
    parseSearch: parseQuery,
    stringifySearch: queryOf,
    defaultPreload: false,
    scrollRestoration: false,
  });
