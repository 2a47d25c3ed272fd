// SPDX-License-Identifier: Apache-2.0
import {QueryClientProvider} from '@tanstack/react-query';
import {RouterProvider} from '@tanstack/react-router';
import {setNonce} from 'get-nonce';
import {StrictMode} from 'react';
import {createRoot} from 'react-dom/client';
import {ApiProvider, createApi} from './api/index.ts';
import {createQueries} from './api/queries.ts';
import './design/tokens.css';
import './design/base.css';
import {startTheme} from './design/theme.ts';
import {createAppRouter} from './shell/router.tsx';
import {TooltipProvider} from './ui/index.ts';

/** For the style element of Radix that keeps the page from scrolling behind a dialog. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce !== undefined && nonce !== '') setNonce(nonce);

startTheme();
const api = createApi();
const router = createAppRouter();
void api.session.load();

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element with the id root');
// React adds the title of each page after it, and the first one counts.
document.querySelector('title')?.remove();
createRoot(root).render(
  <StrictMode>
    <ApiProvider api={api}>
      <QueryClientProvider client={createQueries()}>
        <TooltipProvider>
          <RouterProvider router={router} />
        </TooltipProvider>
      </QueryClientProvider>
    </ApiProvider>
  </StrictMode>,
);
