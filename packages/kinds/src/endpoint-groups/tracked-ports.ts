// SPDX-License-Identifier: Apache-2.0
/**
 * The ports of the members of one group: the state of each, and the check that the prober makes of it.
 *
 * - A port that is new takes over the state of one that goes with the same address, number and protocol, so that a new name is no
 *   new start; else what is restored from the time before; else it is Starting, or Unchecked without a check.
 * - A check that is not the first of its member begins at a random time of its period, so that a restart or an edit does not
 *   check everything at once. Ref: kubernetes v1.36 pkg/kubelet/prober/worker.go run.
 */
import type {Random} from '@palisade/apiserver';
import {methodKey, methodOf, type Thresholds, thresholdsOf, timesOf} from '../checks/method.ts';
import type {CheckResult, CheckTarget, Prober} from '../checks/prober.ts';
import {type CheckState, newState, type PortState, restarted, withCheck, withResult} from '../checks/state.ts';
import {type Member, type Offer, pairKey, socketOf} from './members.ts';

export type TrackedPort = {
  /** Of the check; unique in the server. */
  readonly id: string;
  member: Member;
  offer: Offer;
  check: CheckState;
  thresholds: Thresholds;
  /** What the prober was asked for, in a short form. Undefined: nothing. */
  asked: string | undefined;
};

type Fresh = {readonly key: string; readonly member: Member; readonly offer: Offer};

/** What is known of a port from before the start of the server. */
export type Restore = (member: Member, offer: Offer) => CheckState | undefined;

export type PortRegister = {
  readonly prober: Prober;
  readonly random: Random;
  readonly nowMs: () => number;
  /** Ids of checks to where their results go. */
  readonly byId: Map<string, {readonly tracked: TrackedPorts; readonly port: TrackedPort}>;
};

export class TrackedPorts {
  /** Key of the group: namespace/name. */
  readonly group: string;
  readonly #uid: string;
  readonly #register: PortRegister;
  #ports = new Map<string, TrackedPort>();
  /** Of ports whose state has changed since the last composition: what that saw. */
  readonly #composed = new Map<TrackedPort, CheckState>();

  constructor(group: string, uid: string, register: PortRegister) {
    this.group = group;
    this.#uid = uid;
    this.#register = register;
  }

  /** `member`: its id; `offer`: its key. */
  at(member: string, offer: string): TrackedPort | undefined {
    return this.#ports.get(pairKey(member, offer));
  }

  /** Of a port that the last update had. */
  stateOf(member: Member, offer: Offer): PortState {
    return this.at(member.id, offer.key)?.check.state ?? 'Starting';
  }

  /** What is composed from now on sees all states as they are. */
  beginComposition(): void {
    this.#composed.clear();
  }

  /** As the last composition saw it, so that a status says nothing that the Endpoints do not know yet. */
  composedCheck(member: Member, offer: Offer): CheckState | undefined {
    const port = this.at(member.id, offer.key);
    return port && (this.#composed.get(port) ?? port.check);
  }

  /** `restore` is asked for ports that are new. When it throws, or the prober, no state is lost: the next update begins again. */
  update(members: readonly Member[], restore: Restore): void {
    const nowMs = this.#register.nowMs();
    const previous = this.#ports;
    const now = new Map<string, TrackedPort>();
    const fresh: Fresh[] = [];
    for (const member of members) {
      for (const offer of member.offers) {
        const key = pairKey(member.id, offer.key);
        const known = previous.get(key);
        if (known === undefined) fresh.push({key, member, offer});
        else now.set(key, this.#keep(known, member, offer, nowMs));
      }
    }
    const gone = new Map<string, CheckState>();
    for (const [key, port] of previous) {
      if (now.has(key)) continue;
      gone.set(socketOf(port.member.id, port.offer.port), port.check);
      this.#forget(port);
    }
    const added: TrackedPort[] = [];
    try {
      for (const {key, member, offer} of fresh) {
        const known = gone.get(socketOf(member.id, offer.port)) ?? restore(member, offer);
        const port = this.#newPort({key, member, offer}, known, nowMs);
        added.push(port);
        this.#ask(port, known === undefined);
        now.set(key, port);
      }
    } catch (error) {
      for (const port of added) this.#forget(port);
      throw error;
    }
    this.#ports = now;
  }

  /** Undefined: the result changes no state. */
  take(port: TrackedPort, {atMs, passed, durationMs, message}: CheckResult): CheckState | undefined {
    const before = port.check;
    port.check = withResult(before, {atMs, passed, durationMs, message}, port.thresholds);
    if (port.check.state === before.state) return undefined;
    if (!this.#composed.has(port)) this.#composed.set(port, before);
    return port.check;
  }

  clear(): void {
    for (const port of this.#ports.values()) this.#forget(port);
    this.#ports = new Map();
    this.#composed.clear();
  }

  #keep(port: TrackedPort, member: Member, offer: Offer, nowMs: number): TrackedPort {
    port.member = member;
    port.offer = offer;
    port.check = withCheck(port.check, offer.check !== undefined, nowMs);
    this.#ask(port, false);
    return port;
  }

  #newPort({key, member, offer}: Fresh, known: CheckState | undefined, nowMs: number): TrackedPort {
    const isChecked = offer.check !== undefined;
    const check =
      known === undefined
        ? newState(isChecked ? 'Starting' : 'Unchecked', nowMs)
        : withCheck(restarted(known), isChecked, nowMs);
    return {
      id: `${this.#uid} ${key}`,
      member,
      offer,
      check,
      thresholds: thresholdsOf(offer.check ?? {}),
      asked: undefined,
    };
  }

  #ask(port: TrackedPort, isNew: boolean): void {
    const {prober, byId, random} = this.#register;
    const {check} = port.offer;
    if (check === undefined) {
      this.#forget(port);
      return;
    }
    port.thresholds = thresholdsOf(check);
    const [namespace = ''] = this.group.split('/');
    const target = targetOf(port, check, {group: this.#uid, namespace});
    const asked = JSON.stringify({...target, method: methodKey(target.method)});
    if (asked === port.asked) return;
    prober.watch(isNew ? target : {...target, delayMs: Math.floor(random.next() * target.periodMs)});
    port.asked = asked;
    byId.set(port.id, {tracked: this, port});
  }

  #forget(port: TrackedPort): void {
    if (port.asked === undefined) return;
    this.#register.prober.forget(port.id);
    this.#register.byId.delete(port.id);
    port.asked = undefined;
  }
}

const targetOf = (
  {id, member, offer}: TrackedPort,
  check: NonNullable<Offer['check']>,
  of: Pick<CheckTarget, 'group' | 'namespace'>,
): CheckTarget => ({
  id,
  ...of,
  ip: member.id,
  port: check.port ?? offer.port.port,
  method: methodOf(offer.port, check),
  ...timesOf(check),
});
