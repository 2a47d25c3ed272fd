// SPDX-License-Identifier: Apache-2.0
import type {ExportItem} from '../exporter.ts';

/** The record as `GET /v1/{endpoint}/threats` or `/traffic` gives it, its endpoint among its fields, and before it what it is. */
export const palisadeShape = ({kind, id, record}: ExportItem): object => ({kind, id, ...record});
