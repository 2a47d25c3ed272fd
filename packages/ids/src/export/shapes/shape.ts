// SPDX-License-Identifier: Apache-2.0
import type {ExportItem, ExportShape, Observer} from '../exporter.ts';
import {ecsShape} from './ecs.ts';
import {palisadeShape} from './palisade.ts';

export const shapeOf = (format: ExportShape, observer: Observer): ((item: ExportItem) => object) =>
  format === 'ecs' ? item => ecsShape(item, observer) : palisadeShape;

/** Whether a shape shows what the event has beyond the record. */
export const needsEvent = (format: ExportShape): boolean => format === 'ecs';
