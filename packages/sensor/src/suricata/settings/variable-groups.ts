// SPDX-License-Identifier: Apache-2.0
/** Variables that every rule set may use, as Suricata's own configuration has them. */
import {homeGroups} from '../home-net.ts';

/** Of users, by name. They replace ours of that name. */
export type VariableGroups = {
  readonly address: Readonly<Record<string, string>>;
  readonly port: Readonly<Record<string, string>>;
};
export const NO_VARIABLES: VariableGroups = {address: {}, port: {}};

const HOME_GROUPS = [
  'HTTP_SERVERS',
  'SMTP_SERVERS',
  'SQL_SERVERS',
  'DNS_SERVERS',
  'TELNET_SERVERS',
  'DC_SERVERS',
  'DNP3_SERVER',
  'DNP3_CLIENT',
  'MODBUS_CLIENT',
  'MODBUS_SERVER',
  'ENIP_CLIENT',
  'ENIP_SERVER',
];
const PORTS: Readonly<Record<string, string>> = {
  HTTP_PORTS: '80',
  SHELLCODE_PORTS: '!80',
  ORACLE_PORTS: '1521',
  SSH_PORTS: '22',
  DNP3_PORTS: '20000',
  MODBUS_PORTS: '502',
  FILE_DATA_PORTS: '[$HTTP_PORTS,110,143]',
  FTP_PORTS: '21',
  GENEVE_PORTS: '6081',
  VXLAN_PORTS: '4789',
  TEREDO_PORTS: '3544',
};

export const ADDRESS_GROUPS: readonly string[] = ['HOME_NET', 'EXTERNAL_NET', 'AIM_SERVERS', ...HOME_GROUPS];
export const PORT_GROUPS: readonly string[] = Object.keys(PORTS);

/** `homeNet`: words of `parseHomeNet`. */
export const addressGroupsOf = (homeNet: readonly string[], vars: VariableGroups): Readonly<Record<string, string>> => {
  const {home, external} = homeGroups(homeNet);
  const ours = {HOME_NET: home, EXTERNAL_NET: external, AIM_SERVERS: '$EXTERNAL_NET'};
  return {...ours, ...Object.fromEntries(HOME_GROUPS.map(name => [name, '$HOME_NET'])), ...vars.address};
};

export const portGroupsOf = (vars: VariableGroups): Readonly<Record<string, string>> => ({...PORTS, ...vars.port});
