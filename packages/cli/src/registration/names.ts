// SPDX-License-Identifier: Apache-2.0
/** Names that are made of host names. */
import {LABEL_LENGTH_MAX, SUBDOMAIN_LENGTH_MAX} from '@palisade/kube-wire';

const trimmed = (text: string): string => text.replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');

/** The first label of a host name as a DNS label; '' where nothing of it can be one. */
export const labelOfHost = (host: string): string =>
  trimmed(trimmed((host.split('.')[0] ?? '').toLowerCase().replace(/[^a-z0-9-]/g, '-')).slice(0, LABEL_LENGTH_MAX));

/** GROUP-HOSTNAME as a DNS subdomain; undefined where nothing of the host name can be a part of one. */
export const defaultName = (group: string, host: string): string | undefined => {
  const labels = host
    .toLowerCase()
    .split('.')
    .map(label => trimmed(label.replace(/[^a-z0-9-]/g, '-')))
    .filter(label => label !== '');
  return labels.length === 0 ? undefined : trimmed(`${group}-${labels.join('.')}`.slice(0, SUBDOMAIN_LENGTH_MAX));
};
