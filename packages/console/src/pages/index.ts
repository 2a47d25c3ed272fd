// SPDX-License-Identifier: Apache-2.0
/** The pages: navigation and routes come from this list, in its order. A new page is one folder and one line. */
import {icons} from '../ui/index.ts';
import type {Page} from './page.ts';

export const PAGES: readonly Page[] = [
  {
    id: 'endpoints-list',
    path: '/endpoints',
    load: () => import('./endpoints/list.tsx'),
    nav: {title: 'Endpoints', icon: icons.EndpointsIcon, section: 'Endpoints'},
  },
  {
    id: 'threats',
    path: '/threats',
    load: () => import('./threats/page.tsx'),
    nav: {title: 'Threats', icon: icons.ThreatIcon, section: 'Intrusion detection'},
  },
  {
    id: 'traffic',
    path: '/traffic',
    load: () => import('./traffic/page.tsx'),
    nav: {title: 'Traffic', icon: icons.TrafficIcon, section: 'Intrusion detection'},
  },
  {
    id: 'rules',
    path: '/rules',
    load: () => import('./rules/page.tsx'),
    nav: {title: 'Rules', icon: icons.RulesIcon, section: 'Intrusion detection'},
  },
];
