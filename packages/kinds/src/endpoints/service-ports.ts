// SPDX-License-Identifier: Apache-2.0
/**
 * E-082: a port name has to match a port of the Service that stands for the same endpoints. Consumers route by the name, so an
 * address behind another name gets no traffic; upstream says nothing.
 */
import {type KubeObject, MASTERS_GROUP, type StrategyContext} from '@palisade/apiserver';
import type {Endpoints} from './types.ts';

const SERVICES = {group: '', resource: 'services'};
/** Ports of the Service that a warning names. */
const NAMED_MAX = 10;

type Service = KubeObject & {readonly spec?: {readonly type?: string; readonly ports?: readonly {name?: string}[]}};

/** Of the Service with the name of the Endpoints; none without one, without its ports, or for a user who may not read it. */
export const servicePortWarnings = ({metadata, subsets = []}: Endpoints, context: StrategyContext): string[] => {
  const {namespace = '', name = ''} = metadata;
  if (!context.compat.warnNaming || !subsets.some(({ports = []}) => ports.length > 0)) return [];
  const service = context.stored(SERVICES, namespace, name) as Service | undefined;
  const {type, ports: served = []} = service?.spec ?? {};
  if (type === 'ExternalName' || served.length === 0 || !mayRead(context, namespace, name)) return [];
  const names = new Set(served.map(port => port.name ?? ''));
  const shown = shownNames(names);
  return subsets.flatMap(({ports = []}, i) =>
    ports.flatMap((port, j) =>
      names.has(port.name ?? '') ? [] : [mismatch(`subsets[${i}].ports[${j}].name`, port.name, name, shown)],
    ),
  );
};

/** A refusal must not tell what exists, nor must a warning. */
const mayRead = ({user, authorizer}: StrategyContext, namespace: string, name: string): boolean => {
  if (user.groups.includes(MASTERS_GROUP)) return true;
  const asked = {...SERVICES, verb: 'get', resourceRequest: true, version: 'v1', subresource: '', path: ''};
  return authorizer.resolver?.allows({...asked, user, namespace, name}) === true;
};

const mismatch = (at: string, given = '', service: string, shown: string): string => {
  const what = given === '' ? 'is empty, which' : JSON.stringify(given);
  return `${at}: ${what} matches no port of the Service ${JSON.stringify(service)} (its ports: ${shown})`;
};

const shownNames = (names: ReadonlySet<string>): string => {
  const first = [...names].slice(0, NAMED_MAX).map(name => (name === '' ? 'one without a name' : name));
  return first.join(', ') + (names.size > NAMED_MAX ? ` and ${names.size - NAMED_MAX} more` : '');
};
