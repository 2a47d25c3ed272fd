// SPDX-License-Identifier: Apache-2.0
/** What an update through events.k8s.io may not change, and how a refusal prints it. Ref: kubernetes v1.36 pkg/apis/core/validation/events.go. */
import {type BadValue, type FieldError, goJson, invalid, PrintedValue} from '@palisade/kube-wire';
import type {CoreEvent} from './types.ts';

/** Structs of the internal version have no names for JSON: Go prints those of the fields. */
const REFERENCE = {
  Kind: 'kind',
  Namespace: 'namespace',
  Name: 'name',
  UID: 'uid',
  APIVersion: 'apiVersion',
  ResourceVersion: 'resourceVersion',
  FieldPath: 'fieldPath',
} as const;
const SOURCE = {Component: 'component', Host: 'host'} as const;

type Print = (value: unknown) => BadValue;

const struct =
  (names: Readonly<Record<string, string>>): Print =>
  value => {
    const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
    const shown = Object.entries(names).map(([name, field]) => [name, fields[field] ?? '']);
    return new PrintedValue(goJson(Object.fromEntries(shown)));
  };
const pointer =
  (print: Print): Print =>
  value =>
    value == null ? new PrintedValue('null') : print(value);
const text: Print = value => (value ?? '') as string;
const number: Print = value => (value ?? 0) as number;
const time: Print = value => new PrintedValue(goJson(value ?? null));

type Rule = {readonly field: keyof CoreEvent & string; readonly print: Print; readonly called?: string};

/** In upstream's order, which has the reason twice. */
const RULES: readonly Rule[] = [
  {field: 'involvedObject', print: struct(REFERENCE)},
  {field: 'reason', print: text},
  {field: 'message', print: text},
  {field: 'source', print: struct(SOURCE)},
  {field: 'firstTimestamp', print: time},
  {field: 'lastTimestamp', print: time},
  {field: 'count', print: number},
  {field: 'reason', print: text},
  {field: 'type', print: text},
  {field: 'eventTime', print: time},
  {field: 'action', print: text},
  {field: 'related', print: pointer(struct(REFERENCE))},
  {field: 'reportingComponent', print: text, called: 'reportingController'},
  {field: 'reportingInstance', print: text},
];

const textOf = (value: BadValue): unknown => (value instanceof PrintedValue ? value.text : value);

export const immutableFaults = (event: CoreEvent, before: CoreEvent): FieldError[] =>
  RULES.flatMap(({field, print, called = field}) => {
    const [next, last] = [print(event[field]), print(before[field])];
    return textOf(next) === textOf(last) ? [] : [invalid(called, next, 'field is immutable')];
  });
