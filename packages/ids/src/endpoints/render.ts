// SPDX-License-Identifier: Apache-2.0
/** Messages and their JSON, made once per stored record and kept as long as the record is. */
import {type EnumEncoding, encodeEndpoint, type IdsEndpointMessage} from '@palisade/ids-wire';
import {type EndpointRecord, toMessage} from '../model/endpoint-record.ts';
import type {Service} from '../state/service.ts';

const messages = new WeakMap<EndpointRecord, {readonly ruleBase: string; readonly message: IdsEndpointMessage}>();
const texts = new WeakMap<IdsEndpointMessage, string>();

export const messageOfEndpoint = (service: Pick<Service, 'ruleBase'>, record: EndpointRecord): IdsEndpointMessage => {
  const ruleBase = service.ruleBase();
  const kept = messages.get(record);
  if (kept !== undefined && kept.ruleBase === ruleBase) return kept.message;
  const message = toMessage(record, ruleBase);
  messages.set(record, {ruleBase, message});
  return message;
};

/** JSON text of a message. */
export const endpointJson = (message: IdsEndpointMessage, enums: EnumEncoding): string => {
  if (enums === 'int') return JSON.stringify(encodeEndpoint(message, enums));
  const kept = texts.get(message);
  if (kept !== undefined) return kept;
  const text = JSON.stringify(message);
  texts.set(message, text);
  return text;
};
