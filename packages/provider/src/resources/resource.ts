// SPDX-License-Identifier: Apache-2.0
/**
 * One resource type behind a provider. Works on plain values: secrets are taken off before and put back after (secrecy.ts);
 * unknowns come through. Throws what the client throws; `to-provider-error.ts` turns it into the port's errors.
 */
import type {
  CheckFailure,
  CheckRequest,
  CheckResult,
  CreateRequest,
  CreateResult,
  DeleteRequest,
  DiffRequest,
  DiffResult,
  ReadRequest,
  ReadResult,
  UpdateRequest,
  UpdateResult,
} from '../provider.ts';
import type {PropertyMap} from '../value.ts';

/** What bounds one call. */
export type CallContext = {
  /** Aborted by `Provider.cancel`. */
  readonly signal: AbortSignal;
};

export interface ResourceModule {
  /** Full type token, e.g. `platform:core/v1:Endpoints`. */
  readonly type: string;
  check(request: CheckRequest): CheckResult;
  /** May ask the server only where the change would make an object at another place. */
  diff(request: DiffRequest, context: CallContext): DiffResult | Promise<DiffResult>;
  create(request: CreateRequest, context: CallContext): Promise<CreateResult>;
  read(request: ReadRequest, context: CallContext): Promise<ReadResult>;
  update(request: UpdateRequest, context: CallContext): Promise<UpdateResult>;
  delete(request: DeleteRequest, context: CallContext): Promise<void>;
  /** The look-up of this type, by its full token. Throws `not-found`. */
  readonly lookUp?: {
    readonly token: string;
    /** Faults beyond names and types. */
    check(args: PropertyMap): readonly CheckFailure[];
    invoke(args: PropertyMap, context: CallContext): Promise<PropertyMap>;
  };
}

/** The parts of `urn:pulumi:<stack>::<project>::<parent$type>::<name>`. */
export function parseUrn(urn: string): {readonly type: string; readonly name: string} {
  const parts = urn.split('::');
  const types = (parts[2] ?? '').split('$');
  return {type: types.at(-1) ?? '', name: parts.slice(3).join('::')};
}
