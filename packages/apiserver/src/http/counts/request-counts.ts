// SPDX-License-Identifier: Apache-2.0
/**
 * Requests of the Kubernetes API for metrics, counted when they end; a stream counts as open until then. As upstream, only requests that
 * reach a route count here: neither unknown paths, nor those that authentication or authorization refuses.
 */
import type {Clock} from '../../base/time.ts';
import type {Authentication} from '../../identity/authenticator.ts';
import {
  keyOf,
  labelsOf,
  labelsOfPath,
  type RequestLabels,
  RequestSeries,
  type Routed,
  routeKey,
} from './request-series.ts';

const MS_PER_S = 1_000;

/** Documents that are counted by their path. */
const COUNTED_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);

/** Names that have a series of their own. Ref: kubernetes v1.36 apiserver/pkg/endpoints/filters/metrics.go compressUsername. */
const NAMED_USERS: ReadonlySet<string> = new Set([
  ...['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default'],
]);
const userClassOf = (name: string): string =>
  NAMED_USERS.has(name) ? name : name.includes('@') ? 'email_id' : 'other';

const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

type Emitter = {once(event: 'close', action: () => void): unknown};

export class RequestCounts {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #series = new Map<string, RequestSeries>();
  /** Attempts by result, users by class. An anonymous request counts as a success, as upstream. */
  readonly authentications = new Map<string, number>();
  readonly users = new Map<string, number>();
  readonly authorizations = new Map<string, number>();

  /** The clock must not jump. */
  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  all(): Iterable<RequestSeries> {
    return this.#series.values();
  }

  /** A request begins. */
  begin(): RequestMeter {
    return new RequestMeter(this, this.#clock);
  }

  authenticated(outcome: Authentication['outcome'], name: string): void {
    const isUser = outcome === 'user' || outcome === 'anonymous';
    add(this.authentications, isUser ? 'success' : 'error');
    if (isUser) add(this.users, userClassOf(name));
  }

  authorized(result: 'allowed' | 'no-opinion' | 'error'): void {
    add(this.authorizations, result);
  }

  /** Labels are made only for the first request of a series. */
  seriesAt(route: Routed): RequestSeries {
    return this.#series.get(routeKey(route)) ?? this.seriesOf(labelsOf(route));
  }

  seriesOf(labels: RequestLabels): RequestSeries {
    const key = keyOf(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      series = new RequestSeries(labels);
      this.#series.set(key, series);
    }
    return series;
  }
}

/** One request. */
export class RequestMeter {
  readonly #counts: RequestCounts;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #startMs: number;
  #series: RequestSeries | undefined;
  #waitMs = 0;
  #refused = false;
  #isStream = false;

  constructor(counts: RequestCounts, clock: Pick<Clock, 'now'>) {
    this.#counts = counts;
    this.#clock = clock;
    this.#startMs = clock.now();
  }

  /** It has a route. */
  routed(route: Routed): void {
    this.#series = this.#counts.seriesAt(route);
  }

  /** It is for a document. */
  atPath(path: string): void {
    if (COUNTED_PATHS.has(path)) this.#series = this.#counts.seriesOf(labelsOfPath(path));
  }

  /** It waits for seats. */
  waits(): void {
    this.#waitMs -= this.#clock.now();
  }

  /** It got them. */
  seated(): void {
    this.#waitMs += this.#clock.now();
  }

  /** It got none: its answer is counted, but not how long it took. */
  refused(): void {
    this.#refused = true;
  }

  /** The answer goes on until `stream` closes. */
  lasts(stream: Emitter, code: number): void {
    const series = this.#series;
    if (series?.open === undefined) return;
    this.#isStream = true;
    series.open++;
    stream.once('close', () => {
      series.open = (series.open ?? 0) - 1;
      this.#record(series, code, undefined);
    });
  }

  /** The answer is made; of a stream, nothing. */
  ended(code: number, bytes: number): void {
    const series = this.#series;
    if (series === undefined || this.#isStream) return;
    if (this.#refused) series.countCode(code);
    else this.#record(series, code, bytes);
  }

  #record(series: RequestSeries, code: number, bytes: number | undefined): void {
    const seconds = (this.#clock.now() - this.#startMs) / MS_PER_S;
    series.countCode(code);
    series.seconds.add(seconds);
    series.ownSeconds?.add(seconds - this.#waitMs / MS_PER_S);
    if (bytes !== undefined) series.sizes?.add(bytes);
  }
}
