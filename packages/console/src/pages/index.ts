// SPDX-License-Identifier: Apache-2.0
/** The pages: navigation and routes come from this list, in its order. A new page is one folder and one line. */
import {icons} from '../ui/index.ts';
import type {Page} from './page.ts';

export const PAGES: readonly Page[] = [
  {
    id: 'overview',
    path: '/',
    load: () => import('./overview/page.tsx'),
    nav: {title: 'Overview', icon: icons.OverviewIcon, section: 'Overview'},
  },
  {
    id: 'endpoints-list',
    path: '/endpoints',
    load: () => import('./endpoints/list.tsx'),
    nav: {title: 'Endpoints', icon: icons.EndpointsIcon, section: 'Endpoints'},
  },
  {
    id: 'groups',
    path: '/groups',
    load: () => import('./groups/list.tsx'),
    nav: {title: 'Groups', icon: icons.GroupsIcon, section: 'Endpoints'},
  },
  {id: 'group', path: '/groups/$namespace/$name', load: () => import('./groups/group.tsx')},
];
