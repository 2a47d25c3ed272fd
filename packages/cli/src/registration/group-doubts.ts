// SPDX-License-Identifier: Apache-2.0
/** Why a registration has no place in the Endpoints of its group though the server took it: wrong names are valid names. */
import {isNotFound} from '@palisade/client';
import type {Held, Wanted} from './hold.ts';
import {nameText, type RegistrationObjects, type RegistrationPort} from './objects.ts';

type GroupPort = Pick<RegistrationPort, 'name'> & {readonly protocol?: string};

const portText = ({name = '', protocol = 'TCP'}: GroupPort): string => `${name === '' ? 'unnamed' : name}/${protocol}`;
const portTexts = (ports: readonly GroupPort[]): string => ports.map(portText).join(', ');

/** Empty where there is nothing to report, and where the group cannot be read. Never rejects. */
export const groupDoubts = async (
  {groups, namespace, name}: RegistrationObjects,
  {spec: {group, ports = []}}: Wanted,
  {labels}: Held,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const doubts: string[] = [];
  const said = `the EndpointGroup ${JSON.stringify(group)}`;
  try {
    const {selector, ports: wantedPorts = []} = (await groups.get(namespace, group, {signal})).spec ?? {};
    const own: Readonly<Record<string, string>> = {'platform.io/group': group, ...labels};
    if (selector === undefined) doubts.push(`${said} has no selector, so no registration is a member of it`);
    const missing = Object.entries(selector?.matchLabels ?? {}).filter(([key, value]) => own[key] !== value);
    if (missing.length > 0) {
      const flags = missing.map(([key, value]) => `${key}=${value}`).join(', ');
      doubts.push(`${said} selects other labels: ${nameText(name)} does not have ${flags}; give them with --label`);
    }
    const offered = new Set(ports.map(portText));
    if (wantedPorts.length > 0 && ports.length > 0 && !wantedPorts.some(port => offered.has(portText(port))))
      doubts.push(`${said} has the ports ${portTexts(wantedPorts)}, but ${nameText(name)} offers ${portTexts(ports)}`);
  } catch (error) {
    if (isNotFound(error)) doubts.push(`${said} does not exist in the namespace ${namespace} yet`);
  }
  return doubts;
};
