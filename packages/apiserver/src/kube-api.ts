// SPDX-License-Identifier: Apache-2.0
/** The Kubernetes API over one store: the composition of cache, registries, router and controllers. */
import {hasCode, type Store} from '@palisade/store';
import {ListMemory} from './answer/list-memory.ts';
import type {Authorizer} from './authz/authorizer.ts';
import {OpenRights} from './authz/open-rights.ts';
import {type CompatMode, compatOf} from './base/compat.ts';
import {DEFAULT_LIMITS, type Limits} from './base/limits.ts';
import {type Log, silentLog} from './base/log.ts';
import {Queues} from './base/queue-counts.ts';
import {type Clock, type Random, systemClock, systemRandom, systemTimers, type Timers} from './base/time.ts';
import {OpenWatches} from './cache/watch/open-watches.ts';
import {Scheduler} from './cache/watch/scheduler.ts';
import {WatchCache} from './cache/watch-cache.ts';
import {agreeOnCompat} from './compat-store.ts';
import type {Bootstrap, Controller, ControllerFactory, ControllerHost} from './controllers/controller.ts';
import {discoveryRoute} from './discovery/discovery-routes.ts';
import {openApiRoute} from './discovery/openapi-routes.ts';
import {rootRoute} from './discovery/root-route.ts';
import {versionRoute} from './discovery/version.ts';
import {Fairness} from './fairness/fairness.ts';
import {UserBound} from './fairness/user-bound.ts';
import type {Auditor} from './http/audit/audit-trail.ts';
import {RequestCounts} from './http/counts/request-counts.ts';
import type {HttpRequest, HttpResponse} from './http/exchange.ts';
import {handleRequest} from './http/handler.ts';
import {type HealthCheck, HealthChecks} from './http/health.ts';
import {LastModes} from './http/impersonate.ts';
import {type DocumentRoute, NonResourceRoutes} from './http/non-resource.ts';
import {Router} from './http/router.ts';
import {UnreadAnswers} from './http/unread-answers.ts';
import type {Authenticator, UserInfo} from './identity/authenticator.ts';
import {hasObjects, type KindDefinition, storedKindOf} from './kind/kind.ts';
import {assertKinds} from './kind/kind-faults.ts';
import {Registry} from './registry/registry.ts';
import type {RequestContext, Services} from './verbs/object/request-context.ts';
import {systemContext} from './verbs/object/system-context.ts';

export type KubeApiOptions = {
  readonly store: Store;
  readonly kinds: readonly KindDefinition[];
  readonly compat: CompatMode;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly controllers?: readonly ControllerFactory[] | undefined;
  readonly bootstraps?: readonly Bootstrap[] | undefined;
  /** More documents below fixed paths (discovery, OpenAPI, metrics). */
  readonly documents?: readonly DocumentRoute[] | undefined;
  /** The paths of these documents, for the list at `/`. */
  readonly documentPaths?: readonly string[] | undefined;
  readonly health?: readonly HealthCheck[] | undefined;
  readonly clock?: Clock | undefined;
  /** Times requests; never jumps. Default: `clock`. */
  readonly stopwatch?: Pick<Clock, 'now'> | undefined;
  readonly random?: Random | undefined;
  readonly timers?: Timers | undefined;
  readonly log?: Log | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Shared by all sides of a server; default: one of its own. */
  readonly unread?: UnreadAnswers | undefined;
  /** The same. */
  readonly fairness?: Fairness | undefined;
  /** Default: there is no audit log. */
  readonly auditor?: Auditor | undefined;
};

export class KubeApi implements ControllerHost {
  readonly services: Services;
  /** Requests since the start, for metrics. */
  readonly counts: RequestCounts;
  readonly #options: KubeApiOptions;
  readonly #log: Log;
  readonly #registries = new Map<KindDefinition, Registry>();
  readonly #parts: Parameters<typeof handleRequest>[0];
  #controllers: Controller[] = [];
  #state: 'starting' | 'ready' | 'stopping' = 'starting';
  #broken: unknown;

  /** Throws KindError. */
  constructor(options: KubeApiOptions) {
    assertKinds(options.kinds);
    this.#options = options;
    this.#log = options.log ?? silentLog;
    const fairness = options.fairness ?? ownFairness(options);
    this.services = this.#makeServices(fairness);
    this.counts = new RequestCounts(options.stopwatch ?? this.services.clock);
    const health = new HealthChecks([...this.#ownChecks(), ...(options.health ?? [])]);
    const {limits, timers} = this.services;
    this.#parts = {
      services: this.services,
      counts: this.counts,
      router: new Router(options.kinds),
      nonResource: new NonResourceRoutes({
        groups: options.kinds.map(({group}) => group),
        health,
        documents: [
          ...(options.documents ?? []),
          versionRoute,
          rootRoute(options.kinds, [...health.paths(), ...(options.documentPaths ?? [])]),
          discoveryRoute(options.kinds),
          openApiRoute(options.kinds, this.services.compat, () => this.services.clock.now()),
        ],
      }),
      authenticator: options.authenticator,
      authorizer: options.authorizer,
      lastModes: new LastModes(this.services.limits.rememberedRequestorsMax),
      unread: options.unread ?? new UnreadAnswers({limits, timers, log: this.#log}),
      fairness,
      listBound: new UserBound({
        ...{what: 'long lists', max: Number.POSITIVE_INFINITY, perUserMax: limits.listsPerUserMax},
        onRefused: () => fairness.countRefusal('lists'),
      }),
      log: this.#log,
      auditor: options.auditor,
    };
  }

  /** Answers one request; never rejects. */
  handle(request: HttpRequest, response: HttpResponse): Promise<void> {
    return handleRequest(this.#parts, request, response);
  }

  /** Loads the cache, agrees on the compat mode, makes what every server has, starts the controllers. Throws what the store throws, CompatError. */
  async start(): Promise<void> {
    const {store, kinds} = this.#options;
    await this.services.cache.start();
    for (const kind of kinds.filter(each => each.storedAs === undefined)) {
      const registry = new Registry({
        store,
        cache: this.services.cache,
        kind,
        objectBytesMax: this.services.limits.objectBytesMax,
        random: this.services.random,
        log: this.#log,
      });
      this.#registries.set(kind, registry);
    }
    await agreeOnCompat(store, this.services, kinds, this.#log);
    for (const bootstrap of this.#options.bootstraps ?? []) await bootstrap(this);
    this.#controllers = (this.#options.controllers ?? []).map(make => make(this));
    for (const controller of this.#controllers) await controller.start();
    this.#state = 'ready';
  }

  /** First step of a shutdown: not ready any longer, and every watch ends. Requests under way may finish. */
  drain(): void {
    this.#state = 'stopping';
    this.services.watchers.stopAll();
  }

  /** Ends watches, then controllers, then the cache. */
  async stop(): Promise<void> {
    this.drain();
    for (const controller of this.#controllers.toReversed()) await controller.stop();
    await this.services.cache.stop();
  }

  get isReady(): boolean {
    return this.#state === 'ready' && this.#broken === undefined;
  }

  get kinds(): readonly KindDefinition[] {
    return this.#options.kinds;
  }

  get store(): Store {
    return this.#options.store;
  }

  get log(): Log {
    return this.#log;
  }

  /** The context of a write that the server makes itself. */
  contextFor(kind: KindDefinition, namespace: string, user?: UserInfo): RequestContext {
    return systemContext(this.services, kind, namespace, user);
  }

  #makeServices(fairness: Fairness): Services {
    const {store, kinds, authorizer, compat} = this.#options;
    const limits: Limits = {...DEFAULT_LIMITS, ...this.#options.limits};
    const clock = this.#options.clock ?? systemClock;
    const timers = this.#options.timers ?? systemTimers;
    const scheduler = new Scheduler(timers, clock);
    const cache = new WatchCache({
      store,
      resources: kinds.filter(hasObjects),
      historyEventsMax: limits.historyEventsMax,
      historyBytesMax: limits.historyBytesMax,
      scheduler,
      onResumed: error => this.#log.warn({err: error}, 'store feed fell behind, resumed'),
      onBroken: error => {
        this.#broken = error;
        const effect = hasCode(error, 'corrupt')
          ? 'later changes are not visible'
          : 'later changes are not visible; restart the server';
        this.#log.error({err: error}, `store feed failed, ${effect}`);
      },
    });
    return {
      compat: compatOf(compat),
      clock,
      random: this.#options.random ?? systemRandom,
      timers,
      scheduler,
      listMemory: new ListMemory(limits.preparedListBytesMax),
      limits,
      log: this.#log,
      cache,
      watchers: new OpenWatches(timers, this.#log),
      queues: new Queues(this.#options.stopwatch ?? clock),
      rights: new OpenRights({timers, clock, scheduler, log: this.#log}),
      watchBound: new UserBound({
        ...{what: 'watches', max: limits.watchersMax, perUserMax: limits.watchersPerUserMax},
        onRefused: () => fairness.countRefusal('watches'),
      }),
      authorizer,
      registryOf: kind => {
        const registry = this.#registries.get(storedKindOf(kind));
        if (registry === undefined) throw new Error(`no registry for ${kind.resource}`);
        return registry;
      },
      kinds,
      namespaces: kinds.find(({group, resource}) => group === '' && resource === 'namespaces'),
    };
  }

  #ownChecks(): HealthCheck[] {
    return [
      {name: 'watch-cache', check: () => (this.#broken === undefined ? undefined : 'the store feed failed')},
      {
        name: 'shutdown',
        readyOnly: true,
        check: () => (this.#state === 'stopping' ? 'process is shutting down' : undefined),
      },
      {
        name: 'started',
        aliases: ['informer-sync'],
        readyOnly: true,
        check: () => (this.#state === 'starting' ? 'not started' : undefined),
      },
    ];
  }
}

const ownFairness = ({clock = systemClock, timers = systemTimers, limits}: KubeApiOptions): Fairness =>
  new Fairness({clock, timers, limits});

export const createKubeApi = (options: KubeApiOptions): KubeApi => new KubeApi(options);
