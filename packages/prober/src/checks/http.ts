// SPDX-License-Identifier: Apache-2.0
/**
 * A GET, judged by the code of its answer. Each request has a connection of its own, as in kubelet: one that is kept would hide
 * that nobody listens any longer. Ref: kubernetes v1.36 pkg/probe/http/http.go.
 */
import type {Dispatcher} from 'undici';
import {BODY_BYTES_MAX, REDIRECTS_MAX} from '../limits.ts';
import type {CheckTarget, HttpMethod} from '../port.ts';
import type {Attempt} from './attempt.ts';
import {type HttpConnection, openClient, sentHeaders, sentPath} from './http-client.ts';
import type {CheckPorts} from './open-socket.ts';
import {redirectOf} from './redirects.ts';

/** With TLS the server chooses. */
const connectionOf = ({tls, version}: HttpMethod): HttpConnection => ({
  protocols: ['h2', 'http/1.1'],
  isPriorKnowledge: tls === undefined && version === '2-prior-knowledge',
  waitsFor: 'waiting for the answer',
});

const rangesText = (expected: HttpMethod['expected']): string =>
  expected.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');

const judge = (attempt: Attempt, status: number, {expected}: HttpMethod, remark: string): void => {
  if (expected.some(([from, to]) => from <= status && status <= to)) attempt.pass(remark);
  else attempt.fail(`status ${status} instead of ${rangesText(expected)}${remark === '' ? '' : `; ${remark}`}`);
};

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

type Hop = {readonly path: string; readonly redirects: number};

export const checkHttp = (attempt: Attempt, target: CheckTarget, method: HttpMethod, ports: CheckPorts): void => {
  const headers = sentHeaders(method).flat();

  const ask = ({path, redirects}: Hop): void => {
    const client = openClient(attempt, target, method, ports, connectionOf(method));
    if (attempt.isOver) return;
    let onBodyEnd = (): void => undefined;
    let bodyBytes = 0;
    const answered = (status: number, location: string | undefined): void => {
      attempt.waitsFor = 'reading the answer';
      const next = redirectOf(status, location, path, target, method);
      if (next === undefined) onBodyEnd = () => judge(attempt, status, method, '');
      else if ('elsewhere' in next)
        onBodyEnd = () => judge(attempt, status, method, `redirected to ${next.elsewhere}, which is not followed`);
      else {
        client.destroy(() => undefined);
        if (redirects >= REDIRECTS_MAX) attempt.fail(`stopped after ${REDIRECTS_MAX} redirects`);
        else ask({path: next.path, redirects: redirects + 1});
      }
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, answerHeaders) => {
        if (status >= 200) answered(status, first(answerHeaders['location']));
      },
      onResponseData: (_controller, chunk) => {
        bodyBytes += chunk.length;
        if (bodyBytes > BODY_BYTES_MAX) onBodyEnd();
      },
      onResponseEnd: () => onBodyEnd(),
      onResponseError: (_controller, error) => {
        if (!client.destroyed) attempt.failBy(error);
      },
    };
    client.dispatch({path, method: 'GET', headers, reset: true}, handler);
  };

  ask({path: sentPath(method.path), redirects: 0});
};
