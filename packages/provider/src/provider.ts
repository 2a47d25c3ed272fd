// SPDX-License-Identifier: Apache-2.0
/**
 * The provider port: what the embedded engine calls in process and what the gRPC plugin serves to the Pulumi CLI.
 * Both speak the same requests; only the encoding differs.
 *
 * Order: `checkConfig`, then `configure`, then any number of resource calls in parallel; `cancel` at any time.
 * `getSchema`, `checkConfig` and `diffConfig` work before `configure`. After `cancel` running calls end early, new ones are refused,
 * until `configure` comes again, from the next engine.
 * No method keeps or changes an object it was given. State lives with the caller: a provider remembers nothing but its configuration.
 * Failures: `ProviderError` (nothing was done, or it is unclear) and `ResourceInitError` (the object exists but is not complete:
 * keep `id` and `properties` in the state). Input that is refused comes back as `failures` of `check`, never as an error.
 * Ref: pulumirpc.ResourceProvider.
 */
import type {PropertyMap} from './value.ts';

export interface Provider {
  /** Package name: `platform` or `cloudnative`. */
  readonly name: string;
  /** Semantic version without `v`. */
  readonly version: string;
  /** The package schema as JSON text. */
  getSchema(): string;
  /** Validates the provider's own configuration; `news` may hold unknowns (preview) and `version`. */
  checkConfig(request: CheckConfigRequest): Promise<CheckResult>;
  /** Compares two configurations. Never asks for replacement of resources unless they would be looked up elsewhere. */
  diffConfig(request: DiffConfigRequest): Promise<DiffResult>;
  /** Applies a checked configuration. Unknown members are tolerated: calls that need them fail then, in preview they answer unknowns. */
  configure(request: ConfigureRequest): Promise<void>;
  /** All faults at once, with property paths; `inputs` have defaults and the automatic name filled in. */
  check(request: CheckRequest): Promise<CheckResult>;
  /** Compares `oldInputs` with `news`. Unknowns in `news` count as changed. A place that the server is known not to have: `invalid-argument`; an object of another server: `failed-precondition`. */
  diff(request: DiffRequest): Promise<DiffResult>;
  /** Never takes over an existing object: `already-exists`. `preview`: nothing is made, `id` is '', and a server that cannot be asked is no fault. */
  create(request: CreateRequest): Promise<CreateResult>;
  /** `id` '' in the answer: gone. Without `inputs` in the request (import, get): exactly what a user would write. */
  read(request: ReadRequest): Promise<ReadResult>;
  update(request: UpdateRequest): Promise<UpdateResult>;
  /** A missing object is success. An object with another uid than the recorded one is left alone, which is success too. */
  delete(request: DeleteRequest): Promise<void>;
  /**
   * Throws `failed-precondition` when one of these objects is on another server than the one configured, naming both and the way
   * out: asked before anything is made beside them. A server that does not answer is no fault. Absent: the provider cannot tell.
   */
  assertSameServer?(objects: readonly ObjectOfState[]): Promise<void>;
  /** Calls a function of the package (a look-up). Refused arguments come back as `failures`. Absent: the package has none. */
  invoke?(request: InvokeRequest): Promise<InvokeResult>;
  /** Stop waiting: running creates and updates answer what they know. */
  cancel(): void;
}

export type CheckConfigRequest = {readonly urn: string; readonly olds: PropertyMap; readonly news: PropertyMap};
export type DiffConfigRequest = {
  readonly urn: string;
  readonly oldInputs: PropertyMap;
  readonly news: PropertyMap;
  readonly ignoreChanges?: readonly string[] | undefined;
};
export type ConfigureRequest = {readonly inputs: PropertyMap};

/** Name proposal of the project's `pulumi:autonaming` configuration. */
export type Autonaming = {
  readonly proposedName: string;
  /** propose: a provider may adjust it; enforce: use as it is; disable: a name must be given. */
  readonly mode: 'propose' | 'enforce' | 'disable';
};

export type CheckRequest = {
  readonly urn: string;
  /** Inputs of the last deployment; empty for a new resource and for the second check of a replacement. */
  readonly olds: PropertyMap;
  readonly news: PropertyMap;
  /** Bytes that automatic names are made of; differ from run to run. */
  readonly randomSeed: Uint8Array;
  readonly autonaming?: Autonaming | undefined;
};
export type CheckFailure = {
  /** Property path (`subsets[0].addresses[1].ip`); empty for the resource as a whole. */
  readonly property: string;
  readonly reason: string;
};
export type CheckResult = {
  readonly inputs: PropertyMap;
  readonly failures: readonly CheckFailure[];
  /** What is accepted and most likely a mistake: shown, and nothing else. */
  readonly warnings?: readonly CheckFailure[];
};

export type DiffKind = 'add' | 'add-replace' | 'delete' | 'delete-replace' | 'update' | 'update-replace';
export type PropertyDiff = {
  readonly kind: DiffKind;
  /** True: a difference between old and new inputs; false: between old state and new inputs. */
  readonly inputDiff: boolean;
};
export type DiffRequest = {
  readonly urn: string;
  readonly id: string;
  /** Outputs of the last deployment or read. */
  readonly olds: PropertyMap;
  readonly oldInputs: PropertyMap;
  readonly news: PropertyMap;
  readonly ignoreChanges?: readonly string[] | undefined;
};
export type DiffResult = {
  readonly changes: 'none' | 'some';
  /** Top-level property names that changed. */
  readonly diffs: readonly string[];
  /** By property path. Always complete: empty means no change. */
  readonly detailedDiff: Readonly<Record<string, PropertyDiff>>;
  /** Property paths that force a replacement: those with a `-replace` kind. */
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
  /** Top-level outputs that keep their value over this change. */
  readonly stables: readonly string[];
};

/** `warnings`: what was accepted and does nothing; shown, and nothing else. */
type Warned = {readonly warnings?: readonly CheckFailure[]};

export type CreateRequest = {
  readonly urn: string;
  /** Checked inputs. */
  readonly news: PropertyMap;
  /** Bound of the whole call in seconds (customTimeouts); absent or 0: the provider's default. */
  readonly timeoutSeconds?: number | undefined;
  readonly preview?: boolean | undefined;
};
/** In a preview `id` is '' and outputs that are not known yet are `UNKNOWN`. */
export type CreateResult = Warned & {readonly id: string; readonly properties: PropertyMap};

export type ReadRequest = {
  readonly urn: string;
  readonly id: string;
  /** Outputs in the state; empty for import and get. */
  readonly properties: PropertyMap;
  /** Inputs in the state; empty for import and get. */
  readonly inputs: PropertyMap;
};
export type ReadResult = {readonly id: string; readonly properties: PropertyMap; readonly inputs: PropertyMap};

export type UpdateRequest = {
  readonly urn: string;
  readonly id: string;
  readonly olds: PropertyMap;
  readonly oldInputs: PropertyMap;
  readonly news: PropertyMap;
  readonly timeoutSeconds?: number | undefined;
  readonly ignoreChanges?: readonly string[] | undefined;
  readonly preview?: boolean | undefined;
};
export type UpdateResult = Warned & {readonly properties: PropertyMap};

export type DeleteRequest = {
  readonly urn: string;
  readonly id: string;
  readonly properties: PropertyMap;
  readonly oldInputs: PropertyMap;
  readonly timeoutSeconds?: number | undefined;
};

/** An object as the state has it, with its outputs. */
export type ObjectOfState = {readonly urn: string; readonly properties: PropertyMap};

export type InvokeRequest = {
  /** Full token, e.g. `platform:core/v1:getEndpoints`. */
  readonly token: string;
  readonly args: PropertyMap;
};
export type InvokeResult = {readonly result: PropertyMap; readonly failures: readonly CheckFailure[]};

/** Closed set; each is a gRPC status of the same name. */
export type ProviderErrorCode =
  | 'invalid-argument'
  | 'not-found'
  | 'already-exists'
  | 'aborted'
  | 'permission-denied'
  | 'unauthenticated'
  | 'failed-precondition'
  | 'resource-exhausted'
  | 'deadline-exceeded'
  | 'cancelled'
  | 'unavailable'
  | 'unimplemented'
  | 'unknown';

/** A call that failed. The message is for users: it names the object and what to do. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;
  constructor(code: ProviderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The object exists, but creating or updating it did not finish. Keep it in the state with `reasons` as its initErrors. */
export class ResourceInitError extends Error {
  override readonly name = 'ResourceInitError';
  readonly id: string;
  readonly properties: PropertyMap;
  readonly inputs: PropertyMap;
  readonly reasons: readonly string[];
  constructor(
    partial: {id: string; properties: PropertyMap; inputs: PropertyMap; reasons: readonly string[]},
    options?: ErrorOptions,
  ) {
    super(partial.reasons.join('; '), options);
    this.id = partial.id;
    this.properties = partial.properties;
    this.inputs = partial.inputs;
    this.reasons = partial.reasons;
  }
}

/** What a provider needs from the process it runs in. The composition root passes the real ones. */
export type ProviderHost = {
  /** Environment variables that defaults come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a text file (kubeconfig, certificate, token); throws when it cannot. */
  readonly readFile: (path: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A new random UUID; request ids are made of it. */
  readonly uuid: () => string;
};
