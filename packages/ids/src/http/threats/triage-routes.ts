// SPDX-License-Identifier: Apache-2.0
/**
 * Decisions about threats; ours. The project, the location and the endpoint's id may be `-`.
 *
 *   POST /v1/{endpoint}/threats/ID:acknowledge, :unacknowledge, :escalate, :deescalate   {"comment"?}, answers the record
 *   POST /v1/{endpoint}/threats/ID:comment                                               {"comment"}, answers the record
 *   POST /v1/{endpoint}/threats:batchAcknowledge, :batchUnacknowledge, :batchEscalate, :batchDeescalate, :batchComment
 *        {"filter", "since"?, "until"?, "comment"?, "validateOnly"?} → {"matched", "changed"}
 */

import {demandEndpoint, demandKnown} from '../../records/record-query.ts';
import type {RecordStore} from '../../records/record-store.ts';
import {decideAll, decideThreat} from '../../triage/decide.ts';
import {parseBatch, parseDecision, type TriageAction} from '../../triage/decision-request.ts';
import {sendJson} from '../answer.ts';
import {readJson} from '../exchange.ts';
import {toItem} from '../record-format.ts';
import type {Call, Route} from '../routes.ts';
import {THREAT_PATH, threatNameOf} from './threat-path.ts';

const ACTIONS = ['acknowledge', 'unacknowledge', 'escalate', 'deescalate', 'comment'] as const;
const ENDPOINT = 'projects/[^/]+/locations/[^/]+/endpoints/[^/]+';
const PERMISSION = 'ids.threats.update';

export const triageRoutes = (records: RecordStore): readonly Route[] => {
  const decide =
    (action: TriageAction) =>
    async ({service, caller, name: threat, query, request, response}: Call): Promise<void> => {
      const {endpoint, id} = threatNameOf(threat);
      const name = await demandEndpoint(caller, endpoint, PERMISSION);
      const comment = parseDecision(await readJson(request), action);
      const decided = await decideThreat({service, records}, caller, {name, id}, {action, comment});
      sendJson(response, query, toItem('threats', 'json', decided));
    };
  const batch =
    (action: TriageAction) =>
    async ({service, caller, name: endpoint, query, request, response}: Call): Promise<void> => {
      const name = await demandEndpoint(caller, endpoint, PERMISSION);
      const asked = parseBatch(await readJson(request), action);
      await demandKnown({service, records}, name);
      sendJson(response, query, await decideAll({service, records}, caller, name, {...asked, action}));
    };
  return [
    ...ACTIONS.map(action => ({
      method: 'POST',
      path: new RegExp(`^${THREAT_PATH}:${action}$`),
      parameters: [],
      handle: decide(action),
    })),
    ...ACTIONS.map(
      (action): Route => ({
        method: 'POST',
        path: new RegExp(`^(${ENDPOINT})/threats:batch${action.charAt(0).toUpperCase()}${action.slice(1)}$`),
        parameters: [],
        work: () => 'search',
        handle: batch(action),
      }),
    ),
  ];
};
