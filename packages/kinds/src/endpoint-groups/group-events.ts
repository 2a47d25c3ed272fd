// SPDX-License-Identifier: Apache-2.0
/** The Events of groups: one for each change of a member's port, of Panic and of Composed. A start repeats none. */
import type {ControllerHost} from '@palisade/apiserver';
import type {CheckState} from '../checks/state.ts';
import {type EventRecorder, eventRecorder} from '../events/recorder.ts';
import type {PortPanic} from './compose.ts';
import {type GroupIdentity, MANAGER} from './composed-endpoints.ts';
import type {GroupPort} from './members.ts';
import {type Composed, composedReason, isPanicking, panicText, TOO_MANY_PAIRS} from './status.ts';
import type {TrackedPort} from './tracked-ports.ts';
import type {EndpointGroupStatus} from './types.ts';

const COMPONENT = 'endpoint-group-controller';

type Known = {
  /** Of the condition Composed. */
  reason: string;
  /** Undefined: there was a panic before the start, at which ports is seen with the first look. */
  panicking: ReadonlySet<GroupPort> | undefined;
};

export class GroupEvents {
  readonly #recorder: EventRecorder;
  readonly #known = new Map<string, Known>();

  constructor(host: ControllerHost) {
    this.#recorder = eventRecorder(host, {component: COMPONENT, manager: MANAGER});
  }

  began({uid}: GroupIdentity, status: EndpointGroupStatus): void {
    this.#known.set(uid, {reason: composedReason(status), panicking: isPanicking(status) ? undefined : new Set()});
  }

  ended({uid}: GroupIdentity): void {
    this.#known.delete(uid);
  }

  portChanged(about: GroupIdentity, {member, offer}: TrackedPort, {state, lastError}: CheckState): void {
    const {name, port, protocol} = offer.port;
    const at = `${member.address.ip} at port ${name === undefined ? '' : `${name} `}${port}/${protocol}`;
    if (state === 'NotReady') this.#record(about, 'Warning', 'MemberNotReady', `${at} is not ready: ${lastError}`);
    else if (state === 'Ready') this.#record(about, 'Normal', 'MemberReady', `${at} is ready`);
  }

  composed(about: GroupIdentity, composed: Composed, panics: readonly PortPanic[], thresholdPercent: number): void {
    const known = this.#known.get(about.uid);
    if (known === undefined) return;
    const {reason, message, status} = composed;
    if (reason !== known.reason) {
      const isFault = status === 'False' ? reason !== 'Deleting' : reason === TOO_MANY_PAIRS;
      if (isFault) this.#record(about, 'Warning', reason, message);
      else if (status === 'True' && known.reason !== '') this.#record(about, 'Normal', reason, message);
    }
    known.reason = reason;
    const before = known.panicking;
    known.panicking = new Set(panics.map(({port}) => port));
    if (before === undefined) return;
    const begun = panics.filter(({port}) => !before.has(port));
    if (begun.length > 0) this.#record(about, 'Warning', 'Panic', panicText(begun, thresholdPercent));
    else if (before.size > 0 && panics.length === 0)
      this.#record(about, 'Normal', 'PanicOver', 'Members whose checks fail are taken out again');
  }

  stop(): Promise<void> {
    return this.#recorder.stop();
  }

  #record(about: GroupIdentity, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.record({about, type, reason, message});
  }
}
