// SPDX-License-Identifier: Apache-2.0
/**
 * What the machinery has to know about a kind. Adding a kind is one such value with its schema; no other file names it.
 * Ref: kubernetes v1.36 apiserver/pkg/registry/rest (RESTCreateStrategy, RESTUpdateStrategy, TableConvertor).
 */
import type {FieldError, ServedKind, ServedVerb, TypeTable} from '@palisade/kube-wire';
import type {Attributes, Authorizer} from '../authz/authorizer.ts';
import type {Compat} from '../base/compat.ts';
import type {KubeObject} from '../base/object.ts';
import type {Random} from '../base/time.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import type {UserInfo} from '../identity/authenticator.ts';

export type Verb = ServedVerb;
export const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** What hooks may look at besides the object. */
export type StrategyContext = {
  readonly compat: Compat;
  readonly user: UserInfo;
  readonly authorizer: Authorizer;
  /** The name in the path, '' for a POST; and the subresource written to, or ''. */
  readonly name: string;
  readonly subresource: string;
  readonly nowMs: number;
  readonly random: Random;
  /** Another stored object as it is now; undefined if it or its kind does not exist. The caller checks whether the user may read it. */
  stored(
    of: {readonly group: string; readonly resource: string},
    namespace: string,
    name: string,
  ): KubeObject | undefined;
};

export type TableColumn = {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
};

export type TableConvertor = {
  readonly columns: readonly TableColumn[];
  /** True: a Table without rows has `rows: null`, as upstream's plain tables have, instead of an empty list. */
  readonly nullForNone?: boolean | undefined;
  /** One cell per column. */
  cells(object: KubeObject, nowMs: number): readonly (string | number | boolean)[];
};

/** A deletion in phases, as of a Namespace: there is no grace period, and the kind itself holds the object back. */
export type DeletionStrategy = {
  /** Refuses the request before anything else is checked (for example a protected name). Throws StatusError. */
  admit?(name: string, context: StrategyContext): void;
  /** Asked when nothing but the kind itself holds the object back; true: it may be removed. */
  readyToRemove(object: KubeObject): boolean;
  /** False: deleted without a grace period, and none is shown when it is marked. */
  readonly hasGracePeriod: boolean;
  /**
   * True: after the first phase has begun, the options of a delete do not matter until `readyToRemove`; not to orphan means in
   * the foreground; failed preconditions have the words of the storage; the generation does not count the deletion.
   */
  readonly inPhases: boolean;
  /** True: a delete answers the object as it was when it was removed, with the version of the deletion, instead of a Status. */
  readonly answersDeleted: boolean;
  /** Marks the draft when its deletion begins (a Namespace becomes Terminating). */
  mark?(draft: KubeObject): void;
  /** Kinds whose object of the same name and namespace is deleted with it, before the request is answered. */
  takesAlong?(compat: Compat): readonly {readonly group: string; readonly resource: string}[];
};

/** A write that is about to happen: `draft` may be changed, as by any hook. Without `current` the object is new. */
export type ReservedWrite = {
  readonly draft: KubeObject;
  readonly current: KubeObject | undefined;
  /** Nothing is taken. */
  readonly dryRun: boolean;
};

/**
 * What the objects of a kind hold of something that no two of them may have: addresses, ports, numbers. One for each server.
 *
 * What is stored counts as held, and the cache tells of it: so a start builds the book from what is there, and whatever
 * way an object goes (a delete, its last finalizer, its namespace, its owner), what it held is free in the turn in which
 * it is gone. A reservation bridges the time from the choice to the store, so that two writers never get the same.
 *
 * I1 `reserve` and the note of what it took are one step: nothing else runs in between.
 * I2 a reservation ends after `stored` has reported its write, or when the write has failed.
 */
export type Reservations = {
  /**
   * An object as it is now, undefined when it is gone: everything at the start, then each change, in order. Throws for one that
   * it cannot read, and has changed nothing then.
   */
  stored(key: string, object: KubeObject | undefined): void;
  /** The stored text of an object that cannot be read: what it may hold counts as held. Must not throw. */
  damaged(key: string, text: string): void;
  /**
   * Takes for the draft what it asks for, and fills in what the server chooses. Runs before the draft is prepared and
   * validated; not for subresources. Returns the end of the reservation, which is called once. Throws StatusError, and
   * has taken nothing then.
   */
  reserve(write: ReservedWrite, context: StrategyContext): () => void;
};

/** A write to one object, before it is looked at. */
export type WriteAccess = {
  /** `create`: a new object of this name. `change`: PUT, patches and apply, of any subresource; PUT and apply may create what is absent. */
  readonly to: 'create' | 'change' | 'delete';
  readonly namespace: string;
  /** Of a generated name: as it was generated. '' for a deletion of a collection, which is asked once as a whole, too. */
  readonly name: string;
  /** As it is stored; undefined: there is no object of this name. */
  readonly current: CachedObject | undefined;
};

/**
 * Hooks in the order they run on a write: access, defaults, guard, reservations, prepare…, validate…, warnings…, canonicalize.
 * A hook may change only `draft`; faults are returned as a list, all at once.
 */
export type Strategy = {
  /** Faults of a name (or, with `prefix`, of a generateName) as texts. */
  validateName(name: string, prefix: boolean): readonly string[];
  /**
   * Whether the user may write to this object at all, whatever the write is: asked before anything about the object is said, for
   * deletions and subresources, too; of a collection for every object before the first is deleted. What is absent must be
   * answered so that a user learns no more than they may (invariant 6). Throws StatusError.
   */
  access?(write: WriteAccess, context: StrategyContext): void | Promise<void>;
  /** A PUT to an absent name creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** An empty resourceVersion on update means that the last write wins. */
  readonly allowUnconditionalUpdate: boolean;
  /**
   * What the draft as it was sent would take too much right for: before a name is generated, before its version is compared.
   * Without `current` the object is new. Throws StatusError.
   */
  guard?(draft: KubeObject, current: KubeObject | undefined, context: StrategyContext): void;
  /** Called once for each server, at its start. Ref: apiserver/pkg/registry/generic/registry/store.go BeginCreate, BeginUpdate. */
  reservations?(random: Random): Reservations;
  /**
   * The last hand on a draft before it is checked: drop what clients may not set, fill what the server sets. Lists of a draft can
   * be those of `current`: replace them, do not change them in place.
   */
  prepareForCreate?(draft: KubeObject, context: StrategyContext): void;
  prepareForUpdate?(draft: KubeObject, current: KubeObject, context: StrategyContext): void;
  /**
   * Something that the answer to the create shows and the store never has, such as a secret: called after `prepareForCreate`, it leaves
   * in the draft what is stored of it (a digest), and returns what adds it to the answered object. Not shown in a dry run. A kind that
   * has it serves no verb but `create` that creates.
   */
  answerOnce?(draft: KubeObject, context: StrategyContext): (answered: KubeObject) => void;
  /** Of a create, refused or not: annotations of its audit event, which has no bodies of such a kind. They hold no secret. */
  auditAnnotations?(draft: KubeObject, context: StrategyContext): Readonly<Record<string, string>>;
  validateCreate?(draft: KubeObject, context: StrategyContext): readonly FieldError[];
  validateUpdate?(draft: KubeObject, current: KubeObject, context: StrategyContext): readonly FieldError[];
  /** What else may not change; reported last, but with the revalidation `changes-first` before the object is checked once more. */
  validateChange?(draft: KubeObject, current: KubeObject): readonly FieldError[];
  /** What an admission plugin of the reference refuses when nothing else is wrong. Without `current` the object is new. */
  admit?(draft: KubeObject, current: KubeObject | undefined): readonly FieldError[];
  /** Texts of Warning headers for a write. */
  warningsOnCreate?(draft: KubeObject, context: StrategyContext): readonly string[];
  warningsOnUpdate?(draft: KubeObject, current: KubeObject, context: StrategyContext): readonly string[];
  /** What the storage of the reference does not tell apart becomes one; an object that goes instead of being stored stays as it is. */
  canonicalize?(draft: KubeObject): void;
  /** Absent: an object is deleted with a grace period and held back by finalizers alone. */
  readonly deletion?: DeletionStrategy | undefined;
  /**
   * The reference's own validation of updates checks the whole object once more, metadata too, after what may not change or
   * before it, or without it: seen in the causes of a 422. Absent: what may not change, and `validateUpdate`.
   */
  readonly revalidation?: 'changes-first' | 'object-first' | 'object-only' | undefined;
  /** True: the name of a finalizer need be neither qualified nor a standard one, as where the reference has only its general rules. */
  readonly plainFinalizers?: boolean | undefined;
  /**
   * True: the kind's own rules say where metadata is checked, with `validateObjectMeta` and `validateObjectMetaChange`, or that it is
   * not. What every object has to obey is still checked: on create when the kind found nothing, on update before the kind.
   */
  readonly checksMetadata?: boolean | undefined;
  /** True: no owner's deletion reaches its objects, and a delete of one has no propagation (an Event outlives what it is about). */
  readonly ignoresOwners?: boolean | undefined;
  /** Fields, as paths of names, that plain writes of the object cannot change, so nobody owns them through it. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
  /** Fields that selectors know besides metadata.name and metadata.namespace; read from the stored form. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly table: TableConvertor;
};

/** An update that reaches only a part of the object. */
export type Subresource = {
  readonly name: string;
  readonly verbs: readonly ('get' | 'patch' | 'update')[];
  /** True: a PUT or an apply to an absent name creates the object, without reservations. */
  readonly allowCreateOnUpdate?: boolean | undefined;
  /** False: who asks for a Table alone is refused (406). Default true. */
  readonly hasTable?: boolean | undefined;
  readonly resetFields?: readonly (readonly string[])[] | undefined;
  prepareForUpdate(draft: KubeObject, current: KubeObject, context: StrategyContext): void;
  validateUpdate?(draft: KubeObject, current: KubeObject, context: StrategyContext): readonly FieldError[];
  warningsOnUpdate?(draft: KubeObject, current: KubeObject, context: StrategyContext): readonly string[];
};

/** A kind that is only ever created and answered, never stored (reviews). */
export type ReviewHandler = (
  draft: KubeObject,
  context: StrategyContext & {readonly attributes: Attributes},
) => KubeObject | Promise<KubeObject>;

export type Question = {readonly name: string; readonly kind: KindDefinition};

/**
 * A kind that shows the objects of another one: the same objects in another version or group. It has no objects, no history and no
 * registry of its own. Requests are read, and their field owners noted, in its form; its strategy sees the stored form, as
 * strategies of the reference see the internal one; answers and events are converted when they are made.
 * Ref: kubernetes v1.36 apiserver/pkg/server/storage/storage_factory.go AddCohabitatingResources.
 */
export type StoredAs = {
  readonly kind: KindDefinition;
  /** Everything but kind, apiVersion and metadata. Pure; may share what stays the same, and may leave what is empty. */
  toStored(shown: KubeObject): Readonly<Record<string, unknown>>;
  fromStored(stored: KubeObject): Readonly<Record<string, unknown>>;
};

export type KindDefinition = Omit<ServedKind, 'subresources' | 'questions' | 'storedAs'> & {
  /** Has the struct `typeName`. */
  readonly types: TypeTable;
  /** How storage errors of the reference name the key: `services/endpoints`. */
  readonly registryPath: string;
  /** The internal type's name in texts of the reference: `core.Endpoints`. */
  readonly internalName: string;
  readonly strategy: Strategy;
  readonly subresources?: readonly Subresource[] | undefined;
  readonly review?: ReviewHandler | undefined;
  /** Paths below an object that take a POST of another kind, which is answered at once: its `review` gets the object's name in the context. */
  readonly questions?: readonly Question[] | undefined;
  readonly storedAs?: StoredAs | undefined;
  /** The reference keeps no watch cache of it: a list of any version (0) has pages too, and reads do not wait for a version. */
  readonly uncached?: boolean | undefined;
  /** Its objects keep a leader, a node or a machine alive: their reads and writes have seats of their own (fairness/levels.ts). */
  readonly heartbeats?: boolean | undefined;
  /**
   * Defaults that the schema cannot express; runs right after decoding, before owners are noted. Replaces lists, as above; one
   * whose items have lists or maps of their own should stay: of a copy it is not known what it was sent with (`lacksEmpties`).
   */
  applyDefaults?(object: KubeObject): void;
  /**
   * What answers, and watches up to the moment in which they begin, show of a stored object; later events, subresources and a
   * deletion that is only marked show all that is stored. Undefined: so do they. Ref: apiserver/pkg/registry/generic/registry/store.go Decorator.
   */
  shown?(object: CachedObject): KubeObject | undefined;
  /** What is told, in place of upstream's words, of a method that is none of the kind's. */
  readonly whyNotAllowed?: string | undefined;
  /** Warnings sent with every answer of the resource's handlers. */
  warnings?(compat: Compat): readonly string[];
};

/** The kind under which its objects are stored. Refusals of contents name it, all others the kind that was asked for. */
export const storedKindOf = (kind: KindDefinition): KindDefinition => kind.storedAs?.kind ?? kind;

/** Whether objects can be found under it, of its own or of the kind that it shows: it is not answered at once. */
export const showsObjects = ({review}: KindDefinition): boolean => review === undefined;

/** Whether it has objects of its own: it is neither answered at once nor another form of a kind that has them. */
export const hasObjects = ({review, storedAs}: KindDefinition): boolean =>
  review === undefined && storedAs === undefined;
