// SPDX-License-Identifier: Apache-2.0
/**
 * What a Kubernetes kind has to say to be a resource of package `platform`. Names, metadata, comparison, patches, waiting and import are
 * the same for all kinds (`kube-resource.ts`), schema and SDKs follow from this; a kind is its content and, if its controller works on
 * it, when that work is done.
 */
import type {KubeObject, ResourceType} from '@palisade/client';
import type {Properties, TypeDescription} from '../../schema/package-description.ts';
import type {PropertyMap, PropertyValue} from '../../value.ts';
import type {Faults} from './faults.ts';

export type KubeKind = {
  /** Tail of its token: `core/v1:Endpoints`. */
  readonly token: string;
  readonly doc: string;
  readonly type: ResourceType;
  readonly content: KubeContent;
  /** What only the server sets. */
  readonly outputs: Properties;
  readonly lookUp: {readonly token: string; readonly doc: string};
  /** Its types are made from the structs of the server's kind, by tools/gen-platform-types.ts. */
  readonly isFromServer?: true;
  /**
   * Faults of the content that are found before the server is asked. Absent: its rules are the server's alone, which a preview asks
   * by a dry run.
   */
  readonly faults?: (inputs: PropertyMap, olds: PropertyMap, faults: Faults) => void;
  /** How far the server is with what was written. Absent: an answered write is the end. */
  readonly progress?: (live: KubeObject) => Progress;
  /** `Foreground`: a deletion waits for what the object owns, too. */
  readonly propagation?: 'Foreground';
};

/** `failed`: the server says that it cannot be done as it is now; `reason` names the way out. */
export type Progress = {readonly state: 'done'} | {readonly state: 'waiting' | 'failed'; readonly reason: string};

/** The one input beside `metadata`. It is the program's as a whole: an update replaces it, what others add to it is drift. */
export type KubeContent = {
  /** Name of the input. */
  readonly key: string;
  readonly type: TypeDescription;
  readonly doc: string;
  /** Equal for values that say the same in another order. Gets the comparable form. Absent: order counts. */
  readonly text?: (value: PropertyValue | undefined) => string;
  /** As a user writes what is live: no defaults but those that are in `old`. Absent: matches lists by index. */
  readonly written?: (live: PropertyValue, old: PropertyValue | undefined) => PropertyValue;
};
