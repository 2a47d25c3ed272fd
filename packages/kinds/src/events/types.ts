// SPDX-License-Identifier: Apache-2.0
/** Both forms of an Event as clients see them; unset is absent, null or empty. Ref: kubernetes v1.36 pkg/apis/core/types.go. */
import type {KubeObject} from '@palisade/apiserver';

export type ObjectReference = {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
};

export type EventSource = {readonly component?: string; readonly host?: string};
export type EventSeries = {readonly count?: number; readonly lastObservedTime?: string | null};

/** core/v1, the stored form. */
export type CoreEvent = KubeObject & {
  involvedObject?: ObjectReference;
  reason?: string;
  message?: string;
  source?: EventSource;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  count?: number;
  type?: string;
  eventTime?: string | null;
  series?: EventSeries | null;
  action?: string;
  related?: ObjectReference | null;
  reportingComponent?: string;
  reportingInstance?: string;
};
