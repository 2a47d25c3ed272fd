// SPDX-License-Identifier: Apache-2.0
/** Routes from the list of pages. */
import {createRootRoute, createRoute, createRouter, lazyRouteComponent} from '@tanstack/react-router';
import type {ReactNode} from 'react';
import {errorText} from '../api/index.ts';
import {BASE, links} from '../links.ts';
import {PAGES} from '../pages/index.ts';
import {PageLink} from '../routing/link.tsx';
import {parseQuery, queryOf} from '../routing/search.ts';
import {Button, EmptyState, ErrorState, Loading, PageHeader} from '../ui/index.ts';
import {Layout} from './layout.tsx';
import {isCodeMissing} from './load-failure.ts';

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

const Failed = ({error, reset}: {readonly error: unknown; readonly reset: () => void}): ReactNode => (
  <>
    <PageHeader title="Error" />
    {isCodeMissing(error) ? (
      <ErrorState
        title="This page cannot be loaded"
        text="The server does not answer, or it was updated after you opened the console."
        action={<Button onClick={() => location.reload()}>Reload</Button>}
      />
    ) : (
      <ErrorState title="This page cannot be shown" text={errorText(error)} onRetry={reset} />
    )}
  </>
);

const rootRoute = createRootRoute({component: Layout, notFoundComponent: NotFound});

const pageRoutes = PAGES.map(({path, load}) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: lazyRouteComponent(load, 'Page'),
    pendingComponent: Loading,
    errorComponent: Failed,
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
