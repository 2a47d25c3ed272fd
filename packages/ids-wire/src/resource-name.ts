// SPDX-License-Identifier: Apache-2.0
/** Resource names of the API: projects, locations, endpoints, operations. Undefined where a text is none. */

/** Stands for all locations or all projects in a parent; never in the name of one resource. */
export const WILDCARD = '-';

export type LocationName = {readonly project: string; readonly location: string};
export type EndpointName = LocationName & {readonly endpointId: string};
export type OperationName = LocationName & {readonly operationId: string};

/** 1 lowercase letter, then up to 62 lowercase letters, digits or hyphens, no hyphen at the end. Ref: requirements I-022 to I-024. */
export const ENDPOINT_ID = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
export const ENDPOINT_ID_RULE =
  'must start with a lowercase letter, followed by up to 62 lowercase letters, digits or hyphens, and must not end with a hyphen';

const SEGMENT = '([^/\\s]{1,128})';
/** What may stand for one part of a resource name, such as a project. */
export const isNameSegment = (text: string): boolean => new RegExp(`^${SEGMENT}$`).test(text);

const LOCATION = new RegExp(`^projects/${SEGMENT}/locations/${SEGMENT}$`);
const ENDPOINT = new RegExp(`^projects/${SEGMENT}/locations/${SEGMENT}/endpoints/${SEGMENT}$`);
const OPERATION = new RegExp(`^projects/${SEGMENT}/locations/${SEGMENT}/operations/${SEGMENT}$`);
const PROJECT = new RegExp(`^projects/${SEGMENT}$`);

/** The project of `projects/{p}`. */
export const parseProjectName = (text: string): string | undefined => PROJECT.exec(text)?.[1];

export const parseLocationName = (text: string): LocationName | undefined => {
  const [, project, location] = LOCATION.exec(text) ?? [];
  return project === undefined || location === undefined ? undefined : {project, location};
};

export const parseIdsEndpointName = (text: string): EndpointName | undefined => {
  const [, project, location, endpointId] = ENDPOINT.exec(text) ?? [];
  if (project === undefined || location === undefined || endpointId === undefined) return undefined;
  return {project, location, endpointId};
};

export const parseOperationName = (text: string): OperationName | undefined => {
  const [, project, location, operationId] = OPERATION.exec(text) ?? [];
  if (project === undefined || location === undefined || operationId === undefined) return undefined;
  return {project, location, operationId};
};

export const formatLocationName = (n: LocationName): string => `projects/${n.project}/locations/${n.location}`;
export const formatIdsEndpointName = (n: EndpointName): string => `${formatLocationName(n)}/endpoints/${n.endpointId}`;
export const formatOperationName = (n: OperationName): string => `${formatLocationName(n)}/operations/${n.operationId}`;

/** `us-central1-a` → `us-central1`; a location without a zone letter is its own region. */
export const regionOf = (location: string): string => location.replace(/-[a-z]$/, '');
