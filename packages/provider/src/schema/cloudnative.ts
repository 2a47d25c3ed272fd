// SPDX-License-Identifier: Apache-2.0
/** The package `cloudnative`: the intrusion-detection Endpoint. Ref: requirements I.1 to I.3. */
import {
  PACKAGE_VERSION,
  type PackageDescription,
  type Properties,
  type TypeDescription,
} from './package-description.ts';

const string: TypeDescription = {kind: 'string'};

const INPUTS: Properties = {
  description: {type: string, doc: 'Free text supplied by the user.'},
  endpointId: {
    type: string,
    required: true,
    replaces: true,
    doc: 'Identifier of the endpoint, part of its resource name. A lowercase letter followed by up to 62 lowercase letters, digits or hyphens, not ending in a hyphen; anything else is refused with INVALID_ARGUMENT.',
  },
  labels: {type: {kind: 'map', of: string}, doc: 'Labels of the endpoint.'},
  location: {
    type: string,
    replaces: true,
    doc: 'Location of the endpoint. Defaults to the provider configuration.',
  },
  network: {
    type: string,
    replaces: true,
    doc: 'Fully qualified URL of the network that the endpoint is attached to; a bare name and `projects/*/global/networks/*` mean the same network. Defaults to the provider configuration.',
  },
  project: {
    type: string,
    replaces: true,
    doc: 'Project of the endpoint. Defaults to the provider configuration.',
  },
  requestId: {
    type: string,
    doc: 'UUID (not the all-zero one) by which a retried request is recognised and ignored when the original was completed; remembered for at least 60 minutes. Changing only this value has no effect.',
  },
  severity: {
    type: {kind: 'enum', to: 'intrusion/v1:EndpointSeverity'},
    doc: 'Lowest threat severity that raises an alert. Defaults to the provider configuration.',
  },
  threatExceptions: {
    type: {kind: 'list', of: string},
    doc: 'Threat IDs that raise no alerts, as `gid:sid` or `sid`. The order has no meaning.',
  },
  trafficLogs: {
    type: {kind: 'boolean'},
    doc: 'Whether traffic logs are reported in addition to threat logs. Defaults to false.',
  },
};

const OUTPUTS: Properties = {
  createTime: {type: string, doc: 'When the endpoint was created (RFC 3339, UTC).'},
  endpointForwardingRule: {
    type: string,
    doc: "Fully qualified URL of the forwarding rule of the endpoint's internal load balancer.",
  },
  endpointIp: {type: string, doc: "IP address of the endpoint's internal load balancer."},
  name: {type: string, doc: 'Full name of the endpoint: `projects/*/locations/*/endpoints/*`.'},
  state: {type: string, doc: 'Current state of the endpoint.'},
  updateTime: {type: string, doc: 'When the endpoint was last updated (RFC 3339, UTC).'},
};

/** Ref: requirements I.1 to I.3, I-112. */
export const CLOUDNATIVE: PackageDescription = {
  name: 'cloudnative',
  version: PACKAGE_VERSION,
  displayName: 'Palisade Cloudnative',
  doc: 'Creates intrusion-detection endpoints, on Palisade or on any server that speaks the Cloud IDS API.',
  npmName: '@palisade/cloudnative',
  pythonName: 'palisade_cloudnative',
  config: {
    endpoint: {
      type: string,
      doc: 'Address of the API, such as `http://127.0.0.1:8080`. Environment: `PALISADE_SERVER`.',
    },
    location: {
      type: string,
      doc: 'Location of resources that do not set one. Environment: `CLOUDSDK_COMPUTE_ZONE`.',
    },
    network: {type: string, doc: 'Network of resources that do not set one. Environment: `PALISADE_NETWORK`.'},
    project: {type: string, doc: 'Project of resources that do not set one. Environment: `CLOUDSDK_CORE_PROJECT`.'},
    severity: {type: string, doc: 'Severity of resources that do not set one. Environment: `PALISADE_SEVERITY`.'},
    token: {type: string, secret: true, doc: 'Bearer token. Environment: `PALISADE_TOKEN`.'},
  },
  types: {},
  enums: {
    'intrusion/v1:EndpointSeverity': {
      doc: 'Threat severities.',
      values: [
        {name: 'SeverityUnspecified', value: 'SEVERITY_UNSPECIFIED', doc: 'Not set.'},
        {name: 'Informational', value: 'INFORMATIONAL', doc: 'Informational alerts.'},
        {name: 'Low', value: 'LOW', doc: 'Low severity alerts.'},
        {name: 'Medium', value: 'MEDIUM', doc: 'Medium severity alerts.'},
        {name: 'High', value: 'HIGH', doc: 'High severity alerts.'},
        {name: 'Critical', value: 'CRITICAL', doc: 'Critical severity alerts.'},
      ],
    },
  },
  resources: {
    'intrusion/v1:Endpoint': {
      doc: 'An intrusion-detection endpoint in a project and location, attached to a network and reached through an internal load balancer. Automatic naming is not supported: the caller supplies `endpointId`.',
      inputs: INPUTS,
      outputs: OUTPUTS,
    },
  },
  functions: {
    'intrusion/v1:getEndpoint': {
      doc: 'Looks up an intrusion-detection endpoint that something else manages. Fails if it does not exist.',
      inputs: {
        endpointId: {type: string, required: true, doc: 'Identifier of the endpoint.'},
        location: {type: string, doc: 'Location of the endpoint. Defaults to the provider configuration.'},
        project: {type: string, doc: 'Project of the endpoint. Defaults to the provider configuration.'},
      },
      outputs: {
        id: {type: string, doc: 'Id of the endpoint, as import and `get` take it: its full name.'},
        ...OUTPUTS,
        ...Object.fromEntries(Object.entries(INPUTS).filter(([key]) => key !== 'requestId')),
      },
    },
  },
};
