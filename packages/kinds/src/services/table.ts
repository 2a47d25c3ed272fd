// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/printers/internalversion/printers.go AddHandlers, printService. */
import {type TableColumn, type TableConvertor, tableAge, tableNameColumns} from '@palisade/apiserver';
import {compareUtf8} from '@palisade/kube-wire';
import {textColumn as column} from '../doc-column.ts';
import {
  asService,
  CLUSTER_IP,
  EXTERNAL_NAME,
  LOAD_BALANCER,
  NODE_PORT,
  type Service,
  type ServicePort,
  type ServiceSpec,
} from './types.ts';

const NONE = '<none>';

const [NAME, AGE] = tableNameColumns([]) as readonly [TableColumn, TableColumn];

const ingressText = ({status}: Service): string => {
  const all = (status.loadBalancer.ingress ?? []).map(({ip = '', hostname = ''}) => ip || hostname);
  return [...new Set(all.filter(each => each !== ''))].sort(compareUtf8).join(',');
};

const externalText = (service: Service): string => {
  const {type, externalIPs = [], externalName = ''} = service.spec;
  if (type === EXTERNAL_NAME) return externalName;
  if (type === CLUSTER_IP || type === NODE_PORT) return externalIPs.join(',') || NONE;
  if (type !== LOAD_BALANCER) return '<unknown>';
  const ingress = ingressText(service);
  return [...(ingress === '' ? [] : [ingress]), ...externalIPs].join(',') || '<pending>';
};

const portText = ({port, nodePort = 0, protocol = ''}: ServicePort): string =>
  nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;

const selectorText = ({selector = {}}: ServiceSpec): string =>
  Object.entries(selector)
    .sort(([a], [b]) => compareUtf8(a, b))
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || NONE;

export const serviceTable: TableConvertor = {
  columns: [
    NAME,
    column(
      'Type',
      'type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ' +
        'ExternalName, ClusterIP, NodePort, and LoadBalancer. "ClusterIP" allocates a cluster-internal ' +
        'IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that ' +
        'is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If ' +
        'clusterIP is "None", no virtual IP is allocated and the endpoints are published as a set of ' +
        'endpoints rather than a virtual IP. "NodePort" builds on ClusterIP and allocates a port on ' +
        'every node which routes to the same endpoints as the clusterIP. "LoadBalancer" builds on ' +
        'NodePort and creates an external load-balancer (if supported in the current cloud) which routes ' +
        'to the same endpoints as the clusterIP. "ExternalName" aliases this service to the specified ' +
        'externalName. Several other fields do not apply to ExternalName services. More info: ' +
        'https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types',
    ),
    column(
      'Cluster-IP',
      'clusterIP is the IP address of the service and is usually assigned randomly. If an address is ' +
        'specified manually, is in-range (as per system configuration), and is not in use, it will be ' +
        'allocated to the service; otherwise creation of the service will fail. This field may not be ' +
        'changed through updates unless the type field is also being changed to ExternalName (which ' +
        'requires this field to be blank) or the type field is being changed from ExternalName (in which ' +
        'case this field may optionally be specified, as describe above).  Valid values are "None", ' +
        'empty string (""), or a valid IP address. Setting this to "None" makes a "headless service" (no ' +
        'virtual IP), which is useful when direct endpoint connections are preferred and proxying is not ' +
        'required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is ' +
        'specified when creating a Service of type ExternalName, creation will fail. This field will be ' +
        'wiped when updating a Service to type ExternalName. More info: ' +
        'https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies',
    ),
    column(
      'External-IP',
      'externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic ' +
        'for this service.  These IPs are not managed by Kubernetes.  The user is responsible for ' +
        'ensuring that traffic arrives at a node with this IP.  A common example is external ' +
        'load-balancers that are not part of the Kubernetes system.',
    ),
    column(
      'Port(s)',
      'The list of ports that are exposed by this service. More info: ' +
        'https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies',
    ),
    AGE,
    column(
      'Selector',
      'Route service traffic to pods with label keys and values matching this selector. If empty or ' +
        'not present, the service is assumed to have an external process managing its endpoints, which ' +
        'Kubernetes will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. ' +
        'Ignored if type is ExternalName. More info: ' +
        'https://kubernetes.io/docs/concepts/services-networking/service/',
      1,
    ),
  ],
  cells: (object, nowMs) => {
    const service = asService(object);
    const {spec, metadata} = service;
    return [
      metadata.name ?? '',
      spec.type ?? '',
      spec.clusterIPs?.[0] ?? NONE,
      externalText(service),
      (spec.ports ?? []).map(portText).join(',') || NONE,
      tableAge(object, nowMs),
      selectorText(spec),
    ];
  },
};
