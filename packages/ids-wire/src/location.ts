// SPDX-License-Identifier: Apache-2.0
/** google.cloud.location.Location in JSON form. */
import {formatLocationName, regionOf} from './resource-name.ts';

export const REGION_LABEL = 'cloud.googleapis.com/region';

export type LocationMessage = {
  readonly name: string;
  readonly locationId: string;
  readonly displayName: string;
  readonly labels: Readonly<Record<string, string>>;
};

export const toLocationMessage = (project: string, location: string, displayName: string): LocationMessage => ({
  name: formatLocationName({project, location}),
  locationId: location,
  displayName,
  labels: {[REGION_LABEL]: regionOf(location)},
});
