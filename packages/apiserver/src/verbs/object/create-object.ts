// SPDX-License-Identifier: Apache-2.0
/**
 * The part that POST, a PUT of an absent name and an apply of an absent name share: admission, names, defaults of the
 * strategy, validation, the write. Ref: kubernetes v1.36 apiserver/pkg/registry/rest/create.go BeforeCreate.
 */
import {type FieldError, generateNameConflictStatus} from '@palisade/kube-wire';
import type {KubeObject} from '../../base/object.ts';
import {invalidObject, StatusError} from '../../base/status-error.ts';
import type {CachedObject} from '../../cache/cached-object.ts';
import type {StrategyContext} from '../../kind/kind.ts';
import {fillForCreate} from '../../kind/meta/fill-system-fields.ts';
import {generateName} from '../../kind/meta/generate-name.ts';
import {commonMetaFaults, validateObjectMeta} from '../../kind/meta/validate-object-meta.ts';
import {toStoredForm} from '../../registry/own-form.ts';
import {ChangedMeanwhile} from '../../registry/registry.ts';
import {type Admitted, admitIntoNamespace} from './admit-namespace.ts';
import {ownerPermissionFaults} from './owner-permission.ts';
import {type RequestContext, strategyContext} from './request-context.ts';

type CreateOptions = {
  readonly dryRun: boolean;
  readonly onceAdmitted?: () => void;
  /** What is left to refuse once the object itself is valid. */
  readonly beforeWrite?: () => void | Promise<void>;
  /** Called for a kind with `answerOnce`; `reveal` changes an object that is answered, not stored. */
  readonly onAnswerOnce?: (reveal: (answered: KubeObject) => void) => void;
};

/** `sent` belongs to this function. Answers the object as it is stored. Throws StatusError. */
export const createObject = async (
  context: RequestContext,
  sent: KubeObject,
  options: CreateOptions,
): Promise<CachedObject> => {
  const {kind, services} = context;
  const draft = toStoredForm(kind, sent);
  const {metadata} = draft;
  const called = nameForAdmission(draft);
  let admitted = admitIntoNamespace(context, called);
  const about = strategyContext(context);
  for (const [key, value] of Object.entries(kind.strategy.auditAnnotations?.(draft, about) ?? {}))
    context.annotate?.(key, value);
  kind.strategy.guard?.(draft, undefined, about);
  options.onceAdmitted?.();
  if (!options.dryRun || services.compat.dropSelfLinkOfDryRuns) delete metadata.selfLink;
  if (services.compat.countGeneration) delete metadata.generation;
  const generated = (metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '';
  const attempts = generated ? services.limits.generateNameAttemptsMax : 1;
  for (let attempt = 1; ; attempt++) {
    if (generated) metadata.name = generateName(metadata.generateName ?? '', services.random);
    fillForCreate(draft, services.random.uuid(), about.nowMs);
    try {
      return await attemptCreate(context, {...draft}, {about, options, admitted}); // the next attempt starts from it
    } catch (error) {
      if (error instanceof ChangedMeanwhile && attempt < services.limits.updateAttemptsMax) {
        admitted = admitIntoNamespace(context, called);
        continue;
      }
      if ((metadata.generateName ?? '') === '' || !isAlreadyExists(error)) throw error;
      if (attempt >= attempts) throw noUniqueName(error, context);
    }
  }
};

type Attempt = {
  readonly about: StrategyContext;
  readonly options: CreateOptions;
  readonly admitted: Admitted | undefined;
};

const attemptCreate = async (
  context: RequestContext,
  draft: KubeObject,
  {about, options, admitted}: Attempt,
): Promise<CachedObject> => {
  const {kind, registry} = context;
  const {namespace = '', name = ''} = draft.metadata;
  await kind.strategy.access?.({to: 'create', namespace, name, current: registry.get(namespace, name)}, about);
  const reservations = context.info.subresource === '' ? registry.reservations : undefined;
  const endReservation = reservations?.reserve({draft, current: undefined, dryRun: options.dryRun}, about);
  try {
    kind.strategy.prepareForCreate?.(draft, about);
    const reveal = kind.strategy.answerOnce?.(draft, about);
    if (reveal !== undefined) options.onAnswerOnce?.(reveal);
    const faults = faultsOf(context, draft, about);
    if (faults.length > 0) throw invalidObject(registry.kind, draft.metadata.name ?? '', faults);
    for (const text of kind.strategy.warningsOnCreate?.(draft, about) ?? []) context.warn(text);
    await options.beforeWrite?.();
    kind.strategy.canonicalize?.(draft);
    return options.dryRun ? dryRun(context, draft) : await registry.create(draft, {within: admitted, as: kind});
  } finally {
    endReservation?.();
  }
};

/** All of them; those of admission only where there are no others. */
const faultsOf = (context: RequestContext, draft: KubeObject, about: StrategyContext): readonly FieldError[] => {
  const {kind} = context;
  const own = kind.strategy.validateCreate?.(draft, about) ?? [];
  const faults = [
    ...(kind.strategy.checksMetadata === true ? [] : validateObjectMeta(draft.metadata, kind)),
    ...own,
    ...(kind.strategy.checksMetadata === true && own.length === 0 ? commonMetaFaults(draft.metadata, kind) : []),
    ...ownerPermissionFaults(context, draft, undefined),
  ];
  return faults.length > 0 ? faults : (kind.strategy.admit?.(draft, undefined) ?? []);
};

/** Admission comes before names are generated. Ref: kubernetes v1.36 apiserver/pkg/admission/errors.go extractResourceName. */
const nameForAdmission = ({metadata: {name = '', generateName = ''}}: KubeObject): string =>
  name || generateName || 'Unknown';

const dryRun = ({kind, registry}: RequestContext, draft: KubeObject): CachedObject => {
  registry.assertAbsent(draft.metadata.namespace ?? '', draft.metadata.name ?? '', kind);
  return registry.preview(draft, undefined);
};

const isAlreadyExists = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.status.reason === 'AlreadyExists';

/** Told for every name that is taken when there is a generateName, even if the name was given. */
const noUniqueName = (cause: StatusError, {registry: {kind}}: RequestContext): StatusError => {
  const status = generateNameConflictStatus(kind, cause.status.details?.name ?? '', 1);
  const [deleting = ''] = /^object is being deleted: /.exec(cause.status.message ?? '') ?? [];
  return new StatusError({...status, message: `${deleting}${status.message}`}, {cause});
};
