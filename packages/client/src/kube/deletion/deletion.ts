// SPDX-License-Identifier: Apache-2.0
/** What is known about the deletion of an object: types that its readers share. */
import type {KubeObject} from '../objects.ts';
import type {Served, ServedKind} from '../served-kinds.ts';
import type {FoundObject} from './object-walk.ts';

/** An object, and how commands about it are written. */
export type DeletionTarget = {
  readonly kind: ServedKind;
  /** '' for kinds without one. */
  readonly namespace: string;
  readonly name: string;
  /** All that the server serves: who holds the target may be of any kind. */
  readonly served: Served;
  /** The flags that lead to the server, for commands that are advised: ` --server URL`; '' for none. */
  readonly connection: string;
  /** A text as one word of such a command. */
  readonly word: (text: string) => string;
};

/** What blocks a deletion. */
export type Holder = {
  readonly holder: string;
  readonly what: string;
  readonly next: string;
  /** The blocking objects, at most NAMED_MAX. */
  readonly objects?: readonly FoundObject[];
  /** How many there are beyond `objects`. */
  readonly more?: number;
};

/** The fields of any kind that concern its deletion. */
export type Held = KubeObject & {
  readonly spec?: {readonly finalizers?: readonly string[]};
  readonly status?: {readonly phase?: string; readonly conditions?: readonly Condition[]};
};
export type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
};

export type OwnerState = {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** `kept`: the object stays because of this owner. `gone`, `waiting`: it does not. `unknown`: not known. */
  readonly state: 'kept' | 'gone' | 'waiting' | 'unknown';
  readonly what: string;
};

/** What is known about the deletion of one object. */
export type Deletion = {
  readonly object: Held;
  readonly deleted: boolean;
  readonly holders: readonly Holder[];
  /** Of an object that was not deleted: what keeps it from being collected with its owners. */
  readonly owners: readonly OwnerState[];
};
