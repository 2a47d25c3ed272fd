// SPDX-License-Identifier: Apache-2.0
/** Loaded into the server before its own modules (`node --import`): files are rotated after little, so that kills meet rotations. */
import {SENSOR_LIMITS} from '../../../packages/sensor/src/limits.ts';

Object.assign(SENSOR_LIMITS, {
  eveRotateBytes: 256 * 1024,
  watchMs: 200,
  eveCheckMs: 200,
  eveCheckpointBytes: 64 * 1024,
});
