// SPDX-License-Identifier: Apache-2.0
/** What a server serves, as it says itself: what the tables are compared with, so that no route is without a row. */
import {readFileSync} from 'node:fs';
import {OpenRights, systemTimers} from '@palisade/apiserver';
import type {Route} from '../../../packages/ids/src/http/routes.ts';
import {RULE_ROUTES} from '../../../packages/ids/src/http/rule-routes.ts';
import {restRoutes} from '../../../packages/ids/src/ids-api/rest-routes.ts';
import {StreamHub} from '../../../packages/ids/src/stream-hub.ts';
import {FakeSensorHost} from '../../../packages/ids/src/testing/fake-sensor-host.ts';
import {MemoryRecordStore} from '../../../packages/ids/src/testing/memory-record-store.ts';
import {realTimers, silentLog} from '../../ids/test-server.ts';
import type {MatrixServer} from './server.ts';

type Resource = {readonly name: string; readonly namespaced: boolean; readonly verbs: readonly string[]};
type Resources = {readonly resources: readonly Resource[]};
type Groups = {readonly groups: readonly {readonly versions: readonly {readonly groupVersion: string}[]}[]};

const NAMED = ['delete', 'get', 'patch', 'update'];

const routesOf = (base: string, {name, namespaced, verbs}: Resource): readonly string[] => {
  const [resource = '', subresource] = name.split('/');
  const root = namespaced ? `${base}/namespaces/{ns}/${resource}` : `${base}/${resource}`;
  const object = resource === 'namespaces' ? `${root}/{ns}` : `${root}/absent`;
  if (subresource !== undefined) return verbs.map(verb => `${verb} ${object}/${subresource}`);
  return verbs.flatMap(verb => {
    const everywhere = namespaced && ['list', 'watch'].includes(verb) ? [`${verb} ${base}/${resource}`] : [];
    return [`${verb} ${NAMED.includes(verb) ? object : root}`, ...everywhere];
  });
};

/** `VERB PATH` of every resource in discovery. */
export const servedResources = async (server: MatrixServer): Promise<readonly string[]> => {
  const {groups} = (await server.json('/apis')) as Groups;
  const bases = groups.flatMap(({versions}) => versions.map(({groupVersion}) => `/apis/${groupVersion}`));
  const found: string[] = [];
  for (const base of ['/api/v1', ...bases]) {
    const {resources} = (await server.json(base)) as Resources;
    found.push(...resources.flatMap(resource => routesOf(base, resource)));
  }
  return found;
};

export const servedPaths = async (server: MatrixServer): Promise<readonly string[]> =>
  ((await server.json('/')) as {paths: string[]}).paths;

const IDLE = {timers: systemTimers, clock: {now: () => 0}, log: silentLog};

/** By the root that they are below. */
export const servedRest = (): Readonly<Record<'/v1/' | '/compute/v1/', readonly Route[]>> => ({
  '/v1/': restRoutes({
    sensorHost: new FakeSensorHost(),
    records: new MemoryRecordStore(),
    streams: {hub: new StreamHub({max: 1, perUserMax: 1}), timers: realTimers, rights: new OpenRights(IDLE)},
    serverUid: 'uid',
  }),
  '/compute/v1/': RULE_ROUTES,
});

const between = (file: string, from: string, to: string): string => {
  const text = readFileSync(file, 'utf8');
  const start = text.indexOf(from);
  const end = text.indexOf(to, start);
  if (start < 0 || end < 0) throw new Error(`${file}: no "${from}"`);
  return text.slice(start + from.length, end);
};

/** What the router of a server knows beside the two APIs, as its source says. */
export const routerSides = (): readonly string[] =>
  [...between('packages/server/src/port/router.ts', 'export type Sides = {', '};').matchAll(/readonly (\w+):/g)].map(
    ([, side = '']) => side,
  );

/** Documents that the composition root adds to the Kubernetes side, which may answer paths that are not listed at `/`. */
export const documents = (): readonly string[] =>
  between('packages/server/src/root/open-kube.ts', 'documents: [', ']')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
