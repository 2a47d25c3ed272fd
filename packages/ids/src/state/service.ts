// SPDX-License-Identifier: Apache-2.0
/** What every handler works with. */
import type {UnreadAnswers} from '@palisade/apiserver';
import type {CaptureDriver} from '../sensor-host.ts';
import type {Clock, Log, Random} from '../system.ts';
import type {IdsState} from './ids-state.ts';
import type {RuleIndex} from './rule-index.ts';
import type {Serial} from './serial.ts';

/** A place for endpoints. `sensor`: a sensor host is attached there; without one endpoints stay CREATING. */
export type LocationConfig = {readonly id: string; readonly sensor: boolean; readonly displayName?: string | undefined};

export type Service = {
  readonly state: IdsState;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly locations: ReadonlyMap<string, LocationConfig>;
  /** Endpoints that a project may have; undefined: no limit. A function: it may change while the server runs. */
  readonly endpointsPerProject: () => number | undefined;
  /** Creates of one project one by one, where a quota has to be kept. */
  readonly creates: Serial;
  /** `http(s)://HOST/compute/v1/`. A function: the port is known when the server listens. */
  readonly ruleBase: () => string;
  readonly rules: RuleIndex;
  /** Capture driver of the sensor host. */
  readonly driver: () => CaptureDriver;
  /** What of an endpoint's exceptions hides nothing; readable. */
  readonly exceptionWarnings: (exceptions: readonly string[], endpoint: string) => readonly string[];
  readonly unread: UnreadAnswers;
  /** What a running operation is doing. */
  readonly progressOf: (operation: string) => string | undefined;
  /** Why an endpoint's sensor is not up though it should be; undefined: nothing is known to be wrong. */
  readonly troubleOf: (endpoint: string) => string | undefined;
  /** Why endpoints of a location wait; undefined: they do not. */
  readonly waitingReason: (location: string) => string | undefined;
};
