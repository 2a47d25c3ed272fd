// SPDX-License-Identifier: Apache-2.0
/**
 * kubectl's way from client-side to server-side apply: the annotation of the former says what its user had applied,
 * so conflicts over exactly that do not count, and the annotation is kept up to date for the way back.
 * Only for the manager `kubectl`.
 * Ref: kubernetes v1.36 apimachinery pkg/util/managedfields/internal/{lastapplied,lastappliedmanager,lastappliedupdater}.go.
 */
import {compareUtf8} from '../go/order.ts';
import {goJson, isJsonObject} from '../patch/json-value.ts';
import type {Json, JsonObject} from '../schema.ts';
import {difference, type FieldSet} from './fields/field-set.ts';
import type {Conflict} from './ownership.ts';
import {compareObjects} from './typed/compare.ts';
import {extractFields} from './typed/extract.ts';
import type {MapShape} from './typed/shape.ts';
import {validateTyped} from './typed/validate.ts';

const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** The manager name whose applies look at the annotation. */
export const KUBECTL_MANAGER = 'kubectl';
/** All annotations of an object together, keys and values. */
const ANNOTATIONS_SIZE_BYTES_MAX = 256 * 1024;

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = object['metadata'];
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return isJsonObject(annotations) ? annotations : undefined;
}

/** The conflicts that are left once the live annotation has been heard. */
export function conflictsBeyondLastApplied(
  conflicts: readonly Conflict[],
  live: JsonObject,
  apiVersion: string,
  shape: MapShape,
): readonly Conflict[] {
  const allowed = lastAppliedFields(live, apiVersion, shape);
  if (allowed === undefined) return conflicts;
  return conflicts
    .map(({manager, fields}) => ({manager, fields: difference(fields, allowed)}))
    .filter(({fields}) => fields.size > 0);
}

/** What the annotation holds and the live object still has; undefined when it cannot be used. */
function lastAppliedFields(live: JsonObject, apiVersion: string, shape: MapShape): FieldSet | undefined {
  const text = annotationsOf(live)?.[LAST_APPLIED_ANNOTATION];
  if (typeof text !== 'string' || text === '') return undefined;
  const lastApplied = parseObject(text);
  if (lastApplied === undefined || lastApplied['apiVersion'] !== apiVersion) return undefined;
  if (lastApplied['kind'] !== live['kind']) return undefined;
  if (validateTyped(lastApplied, shape) !== undefined) return undefined;
  const change = compareObjects(lastApplied, live, shape);
  const fields = extractFields(lastApplied, shape);
  return difference(difference(difference(fields, change.modified), change.added), change.removed);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The merged object with the annotation brought up to date, where it has one. */
export function withLastApplied(merged: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(merged);
  const current = annotations?.[LAST_APPLIED_ANNOTATION];
  if (annotations === undefined || typeof current !== 'string' || current === '') return merged;
  const text = `${goJson(withoutAnnotation(applied))}\n`;
  if (text === current) return merged;
  const next: {[key: string]: Json} = {...annotations};
  next[LAST_APPLIED_ANNOTATION] = text;
  if (annotationsSize(next) > ANNOTATIONS_SIZE_BYTES_MAX) delete next[LAST_APPLIED_ANNOTATION];
  return {...merged, metadata: {...(merged['metadata'] as JsonObject), annotations: next}};
}

/** As the annotation holds a configuration: without itself, annotations as texts or not at all. */
function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = applied['metadata'];
  if (!isJsonObject(metadata) || metadata['annotations'] === undefined) return applied;
  const {annotations, ...rest} = metadata;
  if (!isJsonObject(annotations)) return {...applied, metadata: rest};
  const kept = Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED_ANNOTATION);
  const texts = Object.fromEntries(kept.map(([key, value]) => [key, value ?? '']));
  return {...applied, metadata: {...rest, annotations: texts}};
}

function annotationsSize(annotations: JsonObject): number {
  let size = 0;
  for (const key of Object.keys(annotations).sort(compareUtf8)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(String(annotations[key]));
  }
  return size;
}
