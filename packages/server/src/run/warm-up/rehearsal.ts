// SPDX-License-Identifier: Apache-2.0
/** What is rehearsed: the requests that a busy server gets, in the shapes that clients send, as data. */
import type {Call} from './connection.ts';

/** How many requests of a kind: enough for the engine to compile what they run through, and no more. */
export const REHEARSAL = {
  connections: 8,
  watches: 8,
  listed: 16,
  lists: 32,
  objects: 400,
  again: 250,
  gets: 400,
  selectors: 16,
} as const;

const NAMESPACE = 'rehearsal';
const BASE = `/api/v1/namespaces/${NAMESPACE}/endpoints`;
const ADDRESSES = 10;

const nameOf = (i: number): string => `e-${i}`;
const pathOf = (i: number): string => `${BASE}/${nameOf(i % REHEARSAL.objects)}`;

const endpoints = (i: number): string => {
  const addresses = Array.from({length: ADDRESSES}, (_, j) => ({
    ip: `10.0.${i & 255}.${j + 1}`,
    targetRef: {kind: 'Pod', name: `pod-${i}-${j}`, namespace: NAMESPACE},
  }));
  const ports = [
    {name: 'http', port: 8080, protocol: 'TCP'},
    {name: 'metrics', port: 9090, protocol: 'TCP'},
  ];
  const metadata = {name: nameOf(i), labels: {app: 'rehearsal', part: `p${i % 50}`}};
  return JSON.stringify({apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: [{addresses, ports}]});
};

const mergePatch = (i: number, word: string): Call => ({
  method: 'PATCH',
  path: pathOf(i),
  type: 'application/merge-patch+json',
  body: JSON.stringify({metadata: {labels: {word}}}),
});

const times = (count: number, make: (i: number) => Call): Call[] => Array.from({length: count}, (_, i) => make(i));

export const PREPARE: readonly Call[] = [
  {
    method: 'POST',
    path: '/api/v1/namespaces',
    body: JSON.stringify({apiVersion: 'v1', kind: 'Namespace', metadata: {name: NAMESPACE}}),
  },
];

const create = (i: number): Call => ({method: 'POST', path: BASE, body: endpoints(i)});
const remove = (i: number): Call => ({method: 'DELETE', path: pathOf(i)});
const lists = [`${BASE}?resourceVersion=0`, BASE];

type Act = {readonly calls: () => readonly Call[] /** Collect garbage behind it. */; readonly collect?: boolean};

/**
 * Acts in order; the calls of one act run side by side. Garbage is collected in the middle, not at the end: with the objects of
 * an act V8 drops the compiled code that was made for their shapes.
 */
export const ACTS: readonly Act[] = [
  {calls: () => times(REHEARSAL.listed, create)},
  {calls: () => times(REHEARSAL.lists, i => ({method: 'GET', path: lists[i % lists.length] ?? BASE}))},
  {calls: () => times(REHEARSAL.objects - REHEARSAL.listed, i => create(i + REHEARSAL.listed)), collect: true},
  {calls: () => times(REHEARSAL.objects, i => mergePatch(i, 'one'))},
  {calls: () => times(REHEARSAL.objects, remove), collect: true},
  {calls: () => times(REHEARSAL.again, create)},
  {calls: () => times(REHEARSAL.again, i => mergePatch(i, 'two'))},
  {calls: () => times(REHEARSAL.gets, i => ({method: 'GET', path: pathOf(i % REHEARSAL.again)}))},
  {calls: () => times(REHEARSAL.selectors, i => ({method: 'GET', path: `${BASE}?labelSelector=part%3Dp${i}`}))},
  {calls: () => times(REHEARSAL.again, remove)},
];

/** Open while all of it is played. */
export const WATCH = `${BASE}?watch=1&resourceVersion=0`;
