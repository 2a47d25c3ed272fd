// SPDX-License-Identifier: Apache-2.0
/**
 * Brings every endpoint to where its record says it should be. Level-triggered: each step looks at the record as it is now, does one
 * thing and writes the outcome in one transaction, so a server that dies anywhere goes on from the record at its next start.
 *
 *   CREATING  cancel asked → stop, gone · no sensor here → wait · no address → allocate · start sensor → READY, or stop → gone
 *   READY     make sure that a sensor runs (after a restart of the server)
 *   UPDATING  hand `pending` to a running sensor → READY; without one it is taken at the next start
 *   DELETING  drain and stop the sensor, forget its checkpoint → gone
 *   no record stop whatever the host still runs under the name
 *
 * I1: READY is written only after the host's `start` resolved.
 * I2: an operation ends in the transaction that changes its endpoint.
 * I3: a start that is no longer wanted is aborted; a blocked one holds up no other endpoint.
 */

import {type EndpointSpec, type OperationResult, parseIdsEndpointName} from '@palisade/ids-wire';
import {isDiskRefusal} from '@palisade/store';
import {ADDRESS_ATTEMPTS_MAX, RESYNC_INTERVAL_MS, STARTS_PARALLEL_MAX, STARTS_SLOT_MS} from '../limits.ts';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import type {IpPool} from '../pool/ip-pool.ts';
import {RpcError} from '../rpc-error.ts';
import type {SensorHost, SensorSpec} from '../sensor-host.ts';
import type {Service} from '../state/service.ts';
import {messageOf, type Timer, type Timers} from '../system.ts';
import {sensorCode, sensorFailure, toRpcStatus} from '../to-rpc-status.ts';
import {allocate} from './allocate.ts';
import {finishGone, finishReady} from './finish.ts';
import {Slots} from './slots.ts';
import {WorkQueue, type WorkResult} from './work-queue.ts';

export type ReconcilerDeps = {
  readonly service: Omit<Service, 'progressOf' | 'waitingReason' | 'troubleOf'>;
  readonly host: SensorHost;
  readonly pool: IpPool;
  readonly timers: Timers;
  /** Forgets counters and checkpoint of an endpoint that is gone. */
  readonly forgetRecords: (endpoint: string) => Promise<void>;
};

type Start = {readonly controller: AbortController; readonly wanted: () => boolean};

export class Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #queue: WorkQueue;
  readonly #slots: Slots;
  /** Starts under way, by endpoint. */
  readonly #starts = new Map<string, Start>();
  /** What running operations are doing, by operation. */
  readonly #progress = new Map<string, string>();
  /** Addresses that a create found unusable so far, by endpoint. */
  readonly #addressFaults = new Map<string, number>();
  /** Why the last step of an endpoint failed, until one succeeds. */
  readonly #troubles = new Map<string, string>();
  #unsubscribe: (() => void) | undefined;
  #resync: Timer | undefined;
  #unavailable: string | undefined;
  #stopped = false;

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
    this.#slots = new Slots({max: STARTS_PARALLEL_MAX, holdMs: STARTS_SLOT_MS, timers: deps.timers});
    this.#queue = new WorkQueue({
      work: name => this.#reconcile(name),
      onFailure: (name, error, retryMs) => this.#onFailure(name, error, retryMs),
      timers: deps.timers,
    });
  }

  start(): void {
    const {state} = this.#deps.service;
    this.#unavailable = this.#deps.host.unavailable;
    this.#unsubscribe = state.subscribe(({kind, name}) => {
      if (kind === 'endpoints') this.#wake(name);
      else if (kind === 'operations') this.#onOperation(name);
    });
    for (const name of state.endpoints.names()) this.#queue.add(name);
    for (const name of this.#deps.host.endpoints()) this.#queue.add(name);
    this.#scheduleResync();
  }

  /** Aborts starts under way (they are taken up at the next start) and waits for the step that each endpoint is in. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe?.();
    this.#resync?.cancel();
    for (const {controller} of this.#starts.values()) controller.abort(new Error('the server is stopping'));
    await this.#queue.stop();
  }

  progressOf(operation: string): string | undefined {
    const held = this.#deps.service.state.operations.get(operation);
    const target = parseIdsEndpointName(held?.record.target ?? '');
    const kept = this.#progress.get(operation);
    if (kept !== undefined || held?.record.verb !== 'create') return kept;
    return target === undefined ? undefined : this.waitingReason(target.location);
  }

  /** Why the endpoint's sensor is not up though it should be; undefined: nothing is known to be wrong. */
  troubleOf(endpoint: string): string | undefined {
    return this.#troubles.get(endpoint);
  }

  /** Why endpoints of a location cannot get a sensor now; undefined: they can. */
  waitingReason(location: string): string | undefined {
    const config = this.#deps.service.locations.get(location);
    if (config === undefined) return `waiting: this server no longer has the location "${location}"`;
    if (!config.sensor) return `waiting for a sensor: no sensor is attached to the location "${location}"`;
    const {unavailable} = this.#deps.host;
    return unavailable === undefined ? undefined : `waiting for a sensor: ${unavailable}`;
  }

  #wake(name: string): void {
    const start = this.#starts.get(name);
    if (start !== undefined && !start.wanted()) start.controller.abort(new Error('no longer wanted'));
    this.#queue.add(name);
  }

  #onOperation(name: string): void {
    const record = this.#deps.service.state.operations.get(name)?.record;
    if (record === undefined || record.result !== undefined) this.#progress.delete(name);
    else if (record.requestedCancellation) this.#wake(record.target);
  }

  #onFailure(name: string, error: unknown, retryMs: number): void {
    const record = this.#deps.service.state.endpoints.get(name)?.record;
    const log = this.#deps.service.log;
    if (!isDiskRefusal(error))
      log.warn(
        {endpoint: name, state: record?.state, err: messageOf(error), retryMs},
        'ids: reconciliation failed, retrying',
      );
    this.#troubles.set(name, `retrying: ${messageOf(error)}`);
    this.#say(record?.operation, `retrying: ${messageOf(error)}`);
  }

  #say(operation: string | undefined, message: string): void {
    if (operation !== undefined) this.#progress.set(operation, message);
  }

  async #reconcile(name: string): Promise<WorkResult> {
    const result = await this.#step(name);
    this.#troubles.delete(name);
    return result;
  }

  #step(name: string): Promise<WorkResult> {
    const record = this.#deps.service.state.endpoints.get(name)?.record;
    switch (record?.state) {
      case undefined:
        return this.#absent(name);
      case 'CREATING':
        return this.#creating(record);
      case 'READY':
        return this.#ready(record);
      case 'UPDATING':
        return this.#updating(record);
      case 'DELETING':
        return this.#deleting(record);
    }
  }

  async #absent(name: string): Promise<WorkResult> {
    if (this.#deps.host.endpoints().includes(name)) {
      await this.#deps.host.stop(name);
      await this.#deps.forgetRecords(name);
    }
    return 'done';
  }

  async #creating(record: EndpointRecord): Promise<WorkResult> {
    const {service, pool} = this.#deps;
    if (this.#cancelAsked(record))
      return this.#undoCreate(record, new RpcError('CANCELLED', `the create of '${record.name}' was cancelled`));
    if (this.waitingReason(parseIdsEndpointName(record.name)?.location ?? '') !== undefined) return 'done';
    if (record.allocation === undefined) {
      this.#say(record.operation, 'allocating an address');
      const outcome = await allocate(service, pool, record.name);
      return outcome === 'exhausted' ? this.#undoCreate(record, exhausted(pool)) : 'again';
    }
    const failure = await this.#startSensor(
      record,
      () => this.#stateOf(record.name) === 'CREATING' && !this.#cancelAsked(record),
    );
    if (failure === 'aborted') return this.#stopped ? 'done' : 'again';
    if (failure !== undefined) return this.#startFailed(record, failure);
    this.#addressFaults.delete(record.name);
    this.#say(record.operation, 'recording that the endpoint is ready');
    const finished = await finishReady(service, record.name, 'CREATING', 'applied');
    if (finished) service.log.info({endpoint: record.name, ip: record.allocation.ip}, 'ids: endpoint ready');
    return 'done';
  }

  /** An address that somebody else uses (another server on this machine, say) is exchanged a few times before the create fails. */
  async #startFailed(record: EndpointRecord, failure: RpcError): Promise<WorkResult> {
    const {service, pool} = this.#deps;
    const faults = (this.#addressFaults.get(record.name) ?? 0) + 1;
    if (sensorCode(failure) !== 'address' || faults >= ADDRESS_ATTEMPTS_MAX) return this.#undoCreate(record, failure);
    this.#addressFaults.set(record.name, faults);
    const ip = record.allocation?.ip;
    service.log.warn({endpoint: record.name, ip, err: failure.message}, 'ids: address not usable, trying another');
    this.#say(record.operation, `${ip} cannot be used; trying another address`);
    pool.jump((service.random.bytes(1)[0] ?? 0) / 256);
    const outcome = await allocate(service, pool, record.name, record.allocation);
    return outcome === 'exhausted' ? this.#undoCreate(record, failure) : 'again';
  }

  async #undoCreate(record: EndpointRecord, reason: RpcError): Promise<WorkResult> {
    this.#say(record.operation, 'undoing the creation');
    this.#addressFaults.delete(record.name);
    await this.#deps.host.stop(record.name);
    await this.#deps.forgetRecords(record.name);
    const {service} = this.#deps;
    const cause = reason.cause === undefined ? {} : {cause: messageOf(reason.cause)};
    service.log.warn(
      {endpoint: record.name, code: reason.code, err: reason.message, ...cause},
      'ids: endpoint creation failed',
    );
    await finishGone(service, record.name, 'CREATING', errorResult(reason));
    return 'done';
  }

  async #ready(record: EndpointRecord): Promise<WorkResult> {
    const {host, service} = this.#deps;
    if (this.waitingReason(parseIdsEndpointName(record.name)?.location ?? '') !== undefined) return 'done';
    if (host.endpoints().includes(record.name)) return 'done';
    const failure = await this.#startSensor(record, () => this.#stateOf(record.name) === 'READY');
    if (failure === 'aborted') return this.#stopped ? 'done' : 'again';
    if (failure !== undefined) throw failure;
    service.log.info({endpoint: record.name}, 'ids: sensor running again');
    return 'done';
  }

  async #updating(record: EndpointRecord): Promise<WorkResult> {
    const {host, service} = this.#deps;
    const {pending} = record;
    if (pending !== undefined && host.endpoints().includes(record.name)) {
      this.#say(record.operation, 'applying the change to the running sensor');
      try {
        await host.update(sensorSpec(record, pending));
      } catch (error) {
        if (this.#stopped) return 'done';
        await host.update(sensorSpec(record, record.spec));
        await finishReady(service, record.name, 'UPDATING', {error: errorResult(sensorFailure(error))});
        return 'done';
      }
    }
    await finishReady(service, record.name, 'UPDATING', 'applied');
    return 'done';
  }

  async #deleting(record: EndpointRecord): Promise<WorkResult> {
    this.#say(record.operation, 'draining and stopping the sensor');
    await this.#deps.host.stop(record.name);
    await this.#deps.forgetRecords(record.name);
    await finishGone(this.#deps.service, record.name, 'DELETING', {kind: 'empty'});
    return 'done';
  }

  /** Undefined: the sensor is up. `aborted`: not wanted any more, or the server stops. */
  async #startSensor(record: EndpointRecord, wanted: () => boolean): Promise<RpcError | 'aborted' | undefined> {
    const controller = new AbortController();
    this.#starts.set(record.name, {controller, wanted});
    if (this.#slots.isFull) this.#say(record.operation, 'waiting: other sensors are starting');
    try {
      await this.#slots.run(controller.signal, () => {
        this.#say(record.operation, 'starting the sensor');
        const onProgress = (message: string): void => this.#say(record.operation, message);
        return this.#deps.host.start(sensorSpec(record, record.spec), {signal: controller.signal, onProgress});
      });
      return undefined;
    } catch (error) {
      if (controller.signal.aborted || this.#stopped) return 'aborted';
      const failure = sensorFailure(error);
      // The host is closing, or gave up by itself: not the endpoint's fault, so try again later.
      if (failure.code === 'CANCELLED' || failure.code === 'UNAVAILABLE') throw failure;
      return failure;
    } finally {
      this.#starts.delete(record.name);
    }
  }

  #stateOf(name: string): string | undefined {
    return this.#deps.service.state.endpoints.get(name)?.record.state;
  }

  #cancelAsked(record: EndpointRecord): boolean {
    const operation = this.#deps.service.state.operations.get(record.operation ?? '');
    return operation?.record.requestedCancellation === true;
  }

  #scheduleResync(): void {
    this.#resync = this.#deps.timers.after(RESYNC_INTERVAL_MS, () => {
      this.#sweep();
      this.#scheduleResync();
    });
  }

  /** Finds what no event reports: a sensor host that became available, a missing sensor, a sensor without an endpoint. */
  #sweep(): void {
    const {host, service} = this.#deps;
    const running = new Set(host.endpoints());
    const became = this.#unavailable !== host.unavailable;
    this.#unavailable = host.unavailable;
    for (const [name, {record}] of service.state.endpoints.entries()) {
      const missing = record.state === 'READY' && !running.has(name);
      if (missing || (became && record.state === 'CREATING')) this.#queue.nudge(name);
    }
    for (const name of running) if (service.state.endpoints.get(name) === undefined) this.#queue.add(name);
  }
}

const sensorSpec = (record: EndpointRecord, spec: EndpointSpec): SensorSpec => ({
  endpoint: record.name,
  network: spec.network,
  ip: record.allocation?.ip ?? '',
  vni: record.allocation?.vni ?? 0,
  severity: spec.severity,
  threatExceptions: spec.threatExceptions,
  trafficLogs: spec.trafficLogs,
});

const errorResult = (error: RpcError): OperationResult => ({kind: 'error', error: toRpcStatus(error)});

const exhausted = (pool: IpPool): RpcError =>
  new RpcError(
    'RESOURCE_EXHAUSTED',
    `no free address: all ${pool.size} addresses of the endpoint pool are in use; delete endpoints, or restart the server with a larger --endpoint-pool`,
  );
