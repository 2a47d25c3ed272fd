// SPDX-License-Identifier: Apache-2.0
/** The page that creates a set: its namespace, as in the address, and the template. */
import {type SearchShape, text} from '../../../routing/search.ts';

export type CreateSearch = {readonly namespace: string};
export const CREATE_SEARCH: SearchShape<CreateSearch> = {namespace: text('default')};

/** A set that the server accepts without changes. The addresses are those of documentation, RFC 5737. */
export const templateFor = (namespace: string): string => `apiVersion: v1
kind: Endpoints
metadata:
  name: example
  namespace: ${JSON.stringify(namespace)}
  labels:
    app: example
subsets:
  - addresses:
      - ip: 192.0.2.10
    ports:
      - name: http
        port: 8080
        protocol: TCP
`;
