// SPDX-License-Identifier: Apache-2.0
/** The pages: navigation and routes come from this list, in its order. A new page is one folder and one line. */
import {icons} from '../ui/index.ts';
import {FLOW_LIST_KEYS, OVERVIEW_KEYS, RULE_LIST_KEYS, THREAT_KEYS, THREAT_LIST_KEYS} from './keys.ts';
import type {Page} from './page.ts';

export const PAGES: readonly Page[] = [
  {
    id: 'overview',
    path: '/',
    load: () => import('./overview/page.tsx'),
    keys: OVERVIEW_KEYS,
    nav: {title: 'Overview', icon: icons.OverviewIcon, section: 'Overview'},
  },
  {
    id: 'endpoints-list',
    path: '/endpoints',
    load: () => import('./endpoints/list.tsx'),
    nav: {title: 'Endpoints', icon: icons.EndpointsIcon, section: 'Endpoints'},
  },
  {id: 'endpoints-create', path: '/endpoints/new', load: () => import('./endpoints/create/page.tsx')},
  {id: 'endpoints-set', path: '/endpoints/$namespace/$name', load: () => import('./endpoints/set/page.tsx')},
  {
    id: 'groups',
    path: '/groups',
    load: () => import('./groups/list.tsx'),
    nav: {title: 'Groups', icon: icons.GroupsIcon, section: 'Endpoints'},
  },
  {id: 'group', path: '/groups/$namespace/$name', load: () => import('./groups/group.tsx')},
  {
    id: 'ids-endpoints-list',
    path: '/ids/endpoints',
    load: () => import('./ids-endpoints/list/page.tsx'),
    nav: {title: 'IDS endpoints', icon: icons.SensorIcon, section: 'Intrusion detection'},
  },
  {
    id: 'ids-endpoint',
    path: '/ids/endpoints/$project/$location/$endpoint',
    load: () => import('./ids-endpoints/one/page.tsx'),
  },
  {
    id: 'threats',
    path: '/threats',
    load: () => import('./threats/page.tsx'),
    keys: THREAT_LIST_KEYS,
    nav: {title: 'Threats', icon: icons.ThreatIcon, section: 'Intrusion detection'},
  },
  {id: 'threat', path: '/threats/record', load: () => import('./threats/record/page.tsx'), keys: THREAT_KEYS},
  {
    id: 'traffic',
    path: '/traffic',
    load: () => import('./traffic/page.tsx'),
    keys: FLOW_LIST_KEYS,
    nav: {title: 'Traffic', icon: icons.TrafficIcon, section: 'Intrusion detection'},
  },
  {
    id: 'rules',
    path: '/rules',
    load: () => import('./rules/page.tsx'),
    keys: RULE_LIST_KEYS,
    nav: {title: 'Rules', icon: icons.RulesIcon, section: 'Intrusion detection'},
  },
];
