// SPDX-License-Identifier: Apache-2.0
/**
 * WATCH. What exists first (no version, or 0), or history from a version on, then live changes, until the time is up, the
 * client leaves, or it cannot be served any longer. Ref: kubernetes v1.36 apiserver/pkg/storage/cacher/cacher.go Watch.
 */
import {goQuote, type Status} from '@palisade/kube-wire';
import type {WatchAnswer, WatchHandle} from '../answer/answer.ts';
import {parseIncludeObject} from '../answer/table.ts';
import {type FrameEncoder, frameEncoder, watchView} from '../answer/watch-view.ts';
import type {Kept, LostRight} from '../authz/open-rights.ts';
import {STEPS} from '../base/limits.ts';
import {
  expired,
  notAcceptable,
  plainInternal,
  StatusError,
  tooManyRequests,
  unavailable,
} from '../base/status-error.ts';
import type {Timer} from '../base/time.ts';
import {toStatus} from '../base/to-status.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import type {WatchEnd} from '../cache/watch/open-watches.ts';
import type {WatchView} from '../cache/watch/shared-frames.ts';
import {Watcher, type WatchSink} from '../cache/watch/watcher.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {bookmarkObject} from '../registry/object-codec.ts';
import {shownForm} from '../registry/own-form.ts';
import {parseSelection, type Selection} from '../registry/selection.ts';
import {MEDIA_TYPE, STREAM_ENCODINGS} from '../request/accept.ts';
import {
  type ListOptions,
  parseListOptions,
  validateListOptions,
  withDefaults,
} from '../request/options/list-options.ts';
import {parseResourceVersion} from '../request/options/parse-integer.ts';
import {checkNamespaceKey} from './name-parameter.ts';
import type {RequestContext} from './object/request-context.ts';
import {notOlderThan} from './wait-for-version.ts';

/** Without timeoutSeconds a watch lives this long at least, and at most twice as long. */
const WATCH_SECONDS_MIN = 1_800;
/** How often a quiet watch that asked for bookmarks hears how far the server is. */
const BOOKMARK_INTERVAL_MS = 60_000;
/** It hears that too so long before its time is up, so that the next watch can begin there. Ref: kubernetes v1.36 cache_watcher.go nextBookmarkTime. */
const LAST_BOOKMARK_MS = 2_000;

/** Why nothing is waited for any longer. One for all: Node's own reason has a stack, which takes longer than all else of an end. */
const CLOSED = new Error('the watch is closed');
const UNVERIFIED = 'the watch was ended because its access could not be checked; try again';

const STREAM_TYPES = STREAM_ENCODINGS.map(encoding => `${MEDIA_TYPE[encoding]};stream=watch`);

type Plan = {
  readonly options: ListOptions;
  readonly selection: Selection;
  readonly encoder: FrameEncoder;
  readonly namespace: string;
  readonly version: bigint;
};

export const watch = (context: RequestContext): WatchAnswer => {
  const options = withDefaults(parseListOptions(context.query));
  validateListOptions(options);
  const {kind, services, query, output, info} = context;
  const selection = parseSelection(options, kind, info, services.limits);
  checkNamespaceKey(context, selection.name);
  const version = parseResourceVersion(options.resourceVersion, invalidVersion(options.resourceVersion)) ?? 0n;
  const include = output.transform?.kind === 'Table' ? parseIncludeObject(query.get('includeObject')) : 'Metadata';
  if (!STREAM_ENCODINGS.includes(output.encoding)) throw notAcceptable(STREAM_TYPES);
  const plan: Plan = {
    options,
    selection,
    encoder: frameEncoder(kind, output, {include, clock: services.clock}),
    namespace: kind.namespaced ? info.namespace : '',
    version,
  };
  const fault = services.watchBound.fault(context.user);
  if (fault !== undefined) throw tooManyRequests(fault, 1);
  return {
    type: 'watch',
    contentType: plan.encoder.contentType,
    open: (sink, onBegun = () => {}) => new OpenWatch(context, plan, {sink, onBegun}),
  };
};

const invalidVersion =
  (version: string) =>
  (fault: string): StatusError =>
    plainInternal(`resourceVersion: Invalid value: ${goQuote(version)}: ${fault}`);

/** What exists is sent first: asked for by sendInitialEvents, or by the absence of a version. */
const startsWithState = ({options, version}: Plan): boolean => options.sendInitialEvents ?? version === 0n;

/** Ends where something would be written. */
const endingAtOnce = (sink: WatchSink): WatchSink => ({
  write: () => {
    sink.end();
    return true;
  },
  isFree: true,
  onTaken: action => sink.onTaken(action),
  end: () => sink.end(),
});

const NANOSECONDS_PER_MS = 1_000_000n;
/** As a time.Duration holds them: what it cannot hold may be negative, and is over at once, as upstream. */
const goNanoseconds = (seconds: number): bigint =>
  Number.isSafeInteger(seconds) ? BigInt.asIntN(64, BigInt(seconds) * 1_000n * NANOSECONDS_PER_MS) : -1n;

/** Frames of its own: those of the events show all that is stored. */
const asShown = (view: WatchView, kind: KindDefinition): WatchView => ({
  ...view,
  key: `shown ${view.key}`,
  format: view.format && `shown ${view.format}`,
  encode: (type, object) => view.encode(type, shownForm(kind, object)),
});

class OpenWatch implements WatchHandle {
  readonly #context: RequestContext;
  readonly #plan: Plan;
  readonly #sink: WatchSink;
  readonly #onBegun: () => void;
  readonly #timers: Timer[] = [];
  readonly #waiting = new AbortController();
  #watcher: Watcher | undefined;
  #right: Kept | undefined;
  #endsAtMs = Number.POSITIVE_INFINITY;
  #ended = false;
  #release: () => void = () => {};

  constructor(
    context: RequestContext,
    plan: Plan,
    {sink, onBegun}: {readonly sink: WatchSink; readonly onBegun: () => void},
  ) {
    this.#context = context;
    this.#plan = plan;
    this.#sink = sink;
    this.#onBegun = onBegun;
  }

  start(): void {
    const {services} = this.#context;
    const {version, options} = this.#plan;
    services.watchers.add(this);
    this.#release = services.watchBound.take(this.#context.user);
    const right = this.#context.right?.();
    this.#right = right && services.rights.keep({...right, end: lost => this.#revoke(lost)});
    if (options.sendInitialEvents === true && version > services.cache.revision) {
      this.#startInTime();
      return;
    }
    this.#beginLife();
    const waiting = services.cache.reached(version, this.#waiting.signal);
    if (waiting !== undefined) this.#onBegun(); // there is nothing to do for it until the version comes
    if (waiting === undefined) this.#begin();
    // Rejected when the watch was closed, or the feed broke: then there is nothing to wait for any longer.
    else
      void waiting.then(
        () => this.#begin(),
        () => this.stop(),
      );
  }

  /** State at a version that is not there yet comes soon, or is refused as a list of it is; its time begins with it. */
  #startInTime(): void {
    const {services} = this.#context;
    void Promise.resolve(notOlderThan(services, this.#plan.version, this.#waiting.signal)).then(
      () => {
        if (this.#ended) return;
        this.#beginLife();
        this.#begin();
      },
      (error: unknown) => {
        if (error instanceof StatusError && !this.#ended) this.#refuse(error);
        else this.stop();
      },
    );
  }

  #beginLife(): void {
    const {scheduler, timers, clock} = this.#context.services;
    const lifeMs = this.#lifeMs();
    this.#endsAtMs = clock.now() + lifeMs;
    this.#timers.push(timers.after(lifeMs, () => scheduler.add(() => this.#end('timeout'))));
  }

  gone(): void {
    this.#close();
    this.#watcher?.gone();
  }

  stop(): void {
    this.#end('shutdown');
  }

  #lifeMs(): number {
    const {services} = this.#context;
    const asked = goNanoseconds(this.#plan.options.timeoutSeconds ?? 0);
    if (asked !== 0n) return Math.max(0, Number(asked / NANOSECONDS_PER_MS));
    return WATCH_SECONDS_MIN * (1 + services.random.next()) * 1_000;
  }

  #begin(): void {
    if (!this.#ended) this.#guarded(() => this.#findStart());
  }

  /** A fault, such as a stored object that is damaged, ends this watch and nothing else. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (this.#ended) return;
      this.#context.services.watchers.reportFault(error, this.#context.info.path);
      this.#refuse(toStatus(error));
    }
  }

  #findStart(): void {
    const {cache} = this.#context.registry;
    const state = startsWithState(this.#plan);
    const position = state || this.#plan.version === 0n ? cache.log.end : cache.log.positionAfter(this.#plan.version);
    if (position === undefined) {
      this.#refuse(this.#tooOld());
      return;
    }
    const at = this.#context.services.cache.revision;
    if (state) this.#findState(found => this.#watch(position, at, found));
    else this.#watch(position, at, []);
  }

  #watch(position: number, at: bigint, state: readonly CachedObject[]): void {
    if (this.#ended) return;
    const {encoder, selection, namespace} = this.#plan;
    const {kind, services, registry} = this.#context;
    const {limits, watchers} = services;
    const view = watchView(encoder, selection, namespace);
    this.#watcher = new Watcher({
      view,
      past: kind.shown && {view: asShown(view, kind), end: registry.cache.log.end},
      sink: encoder.showsNothing === true ? endingAtOnce(this.#sink) : this.#sink,
      fanOut: registry.cache.fanOut,
      watches: watchers,
      path: this.#context.info.path,
      position,
      state,
      afterState: this.#announcesEndOfState() ? () => this.#bookmark(true, at) : undefined,
      laggingMsMax: limits.watchBlockedMsMax,
      sizes: watchers.sent.sizesOf(kind),
      errorFrame: error => encoder.encodeStatus(toStatus(error).status),
      onBegun: this.#onBegun,
      onEnd: () => this.#close(),
    });
    if (this.#wantsBookmarks()) this.#scheduleBookmark();
    this.#watcher.start();
  }

  #announcesEndOfState(): boolean {
    return this.#wantsBookmarks() && this.#plan.options.sendInitialEvents === true;
  }

  #wantsBookmarks(): boolean {
    return this.#plan.options.allowWatchBookmarks;
  }

  /** The existing objects that match, as of now; looked for in slices where there are many. */
  #findState(then: (found: readonly CachedObject[]) => void): void {
    const {selection, namespace} = this.#plan;
    const all = [...this.#context.registry.cache.objects.slices(namespace)].flat();
    if (selection.matchesAll) {
      then(all);
      return;
    }
    const found: CachedObject[] = [];
    let next = 0;
    const look = (): boolean => {
      if (this.#ended) return false;
      this.#guarded(() => {
        for (const end = next + STEPS.stateObjectsMax; next < Math.min(end, all.length); next++) {
          const object = all[next] as CachedObject;
          if (selection.matches(object)) found.push(object);
        }
        if (next >= all.length) then(found);
      });
      return !this.#ended && next < all.length;
    };
    if (look()) this.#context.services.scheduler.run(look);
  }

  #bookmark(initialEventsEnd: boolean, at = this.#context.services.cache.revision): Buffer {
    return this.#plan.encoder.encode('BOOKMARK', bookmarkObject(this.#context.kind, at, initialEventsEnd));
  }

  #scheduleBookmark(): void {
    const {scheduler, timers, clock} = this.#context.services;
    const untilLastMs = this.#endsAtMs - LAST_BOOKMARK_MS - clock.now();
    if (untilLastMs <= 0) return;
    const timer = timers.after(Math.min(BOOKMARK_INTERVAL_MS, untilLastMs), () => {
      const watcher = this.#watcher;
      if (this.#ended || watcher === undefined) return;
      scheduler.add(() => watcher.interject(() => this.#bookmark(false)));
      this.#timers.splice(this.#timers.indexOf(timer), 1);
      if (untilLastMs > BOOKMARK_INTERVAL_MS) this.#scheduleBookmark();
    });
    this.#timers.push(timer);
  }

  /** The history that was asked for is gone. */
  #tooOld(): StatusError {
    const oldest = this.#context.registry.cache.log.droppedRevision;
    return expired(`too old resource version: ${this.#plan.version} (${oldest})`);
  }

  /** One ERROR event, then the end. */
  #refuse({status}: {readonly status: Status}): void {
    this.#sink.write(this.#plan.encoder.encodeStatus(status));
    this.#sink.end();
    this.#close();
  }

  #revoke({reason, error}: LostRight): void {
    if (this.#ended) return;
    const why = reason === 'unverified' ? unavailable(UNVERIFIED) : error;
    if (this.#watcher !== undefined) this.#watcher.revoke(why);
    else {
      this.#context.services.watchers.countEnd('revoked', this.#context.info.path);
      this.#refuse(toStatus(why));
    }
  }

  #end(why: WatchEnd): void {
    if (this.#ended) return;
    if (this.#watcher === undefined) {
      this.#sink.end();
      this.#close();
    } else this.#watcher.end(why);
  }

  #close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waiting.abort(CLOSED);
    this.#right?.release();
    for (const timer of this.#timers) timer.cancel();
    this.#release();
    this.#onBegun();
    this.#context.services.watchers.delete(this);
  }
}
