// SPDX-License-Identifier: Apache-2.0
/** YAML in and out with the meaning it has in Kubernetes (sigs.k8s.io/yaml). */

export {yamlToJson} from './yaml-decode.ts';
export {toYaml} from './yaml-encode.ts';
export {jsonToYaml, yamlFault} from './yaml-from-json.ts';
