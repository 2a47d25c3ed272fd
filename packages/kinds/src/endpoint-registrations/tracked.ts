// SPDX-License-Identifier: Apache-2.0
/**
 * When a registration expires, and when it is removed, in steps of one timer: no clock counts, so one that jumps changes nothing,
 * and a server that could not run for a while expires nobody who renewed as soon as it could.
 */
import {fromMicroTime} from '../checks/time-text.ts';
import type {Due} from './step-wheel.ts';
import type {EndpointRegistration, RegistrationState} from './types.ts';
import {REMOVE_AFTER_SECONDS_DEFAULT, TTL_SECONDS_DEFAULT} from './types.ts';
import {TTL_SECONDS_MAX} from './validate.ts';

const STEPS_PER_SECOND = 10;
export const STEP_MS = 1_000 / STEPS_PER_SECOND;
/** A start removes nothing earlier: who could not renew while the server was away has this long, or one TTL. */
const START_GRACE_SECONDS = 60;

const stepsOf = (seconds: number): number => seconds * STEPS_PER_SECOND;

export class TrackedRegistration implements Due {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  bucket: number | undefined;
  state: RegistrationState = 'Live';
  /** Of the last change of state that was seen here, by the clock: it is stored, for the next start. */
  sinceMs = 0;
  /** It was expired for so long that it goes. */
  isToBeRemoved = false;
  #ttlSeconds = TTL_SECONDS_DEFAULT;
  #removeAfterSeconds = REMOVE_AFTER_SECONDS_DEFAULT;
  #leaseSeconds: number | undefined;
  /** Live: the step at whose end it was renewed. Expired: the step of that. */
  #from: number;
  #removedFrom = 0;

  constructor(key: string, {metadata}: EndpointRegistration, step: number) {
    this.key = key;
    this.namespace = metadata.namespace ?? '';
    this.name = metadata.name ?? '';
    this.uid = metadata.uid ?? '';
    this.#from = step + 1;
  }

  read({spec = {}}: EndpointRegistration): void {
    this.#ttlSeconds = spec.ttlSeconds ?? TTL_SECONDS_DEFAULT;
    const removeAfterSeconds = spec.removeAfterSeconds ?? REMOVE_AFTER_SECONDS_DEFAULT;
    if (removeAfterSeconds !== this.#removeAfterSeconds) this.isToBeRemoved = false; // judged once more
    this.#removeAfterSeconds = removeAfterSeconds;
  }

  readLease(leaseDurationSeconds: number | undefined): void {
    this.#leaseSeconds = leaseDurationSeconds;
  }

  /** As a start finds it: those that were live have renewed just now. */
  resume({status = {}}: EndpointRegistration, step: number, nowMs: number): void {
    if (status.state !== 'Expired') return;
    this.sinceMs = fromMicroTime(status.since) ?? nowMs;
    this.state = 'Expired';
    this.#from = step - Math.floor(Math.max(0, nowMs - this.sinceMs) / STEP_MS);
    this.#removedFrom = step + stepsOf(Math.min(this.ttlSeconds, START_GRACE_SECONDS));
  }

  /** True: it was expired. */
  renew(step: number, nowMs: number): boolean {
    const isBack = this.state === 'Expired';
    this.state = 'Live';
    this.#from = step + 1;
    this.isToBeRemoved = false;
    if (isBack) this.sinceMs = nowMs;
    return isBack;
  }

  dueStep(): number {
    if (this.isToBeRemoved) return Number.POSITIVE_INFINITY;
    if (this.state === 'Live') return this.#from + stepsOf(this.ttlSeconds);
    return Math.max(this.#from + stepsOf(this.#removeAfterSeconds), this.#removedFrom);
  }

  /** What is due happens. */
  fall(step: number, nowMs: number): void {
    if (this.state === 'Expired') {
      this.isToBeRemoved = true;
      return;
    }
    this.state = 'Expired';
    this.#from = step;
    this.sinceMs = nowMs;
  }

  get ttlSeconds(): number {
    return Math.min(this.#leaseSeconds ?? this.#ttlSeconds, TTL_SECONDS_MAX);
  }

  get removeAfterSeconds(): number {
    return this.#removeAfterSeconds;
  }
}
