// SPDX-License-Identifier: Apache-2.0
/**
 * The columns of kinds that have no objects here, and the cells of an empty one, which a bookmark has.
 * Ref: kubernetes v1.36 pkg/printers/internalversion/printers.go AddHandlers, printService, printPod, printEvent, printResourceQuota.
 */
import {type TableColumn, type TableConvertor, tableNameColumns} from '@palisade/apiserver';

const column = (name: string, description: string, priority = 0): TableColumn => ({
  name,
  type: 'string',
  format: '',
  description,
  priority,
});

const [NAME, AGE] = tableNameColumns([]) as readonly [TableColumn, TableColumn];

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
  cells: () => ['', '', '<none>', '<unknown>', '<none>', '<unknown>', '<none>'],
};

export const podTable: TableConvertor = {
  columns: [
    NAME,
    column('Ready', 'The aggregate readiness state of this pod for accepting traffic.'),
    column('Status', 'The aggregate status of the containers in this pod.'),
    column(
      'Restarts',
      'The number of times the containers in this pod have been restarted and when the last container ' +
        'in this pod has restarted.',
    ),
    AGE,
    column(
      'IP',
      'podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.',
      1,
    ),
    column(
      'Node',
      'NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for ' +
        'scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for ' +
        'this node becomes responsible for the lifecycle of this pod. This field should not be used to ' +
        'express a desire for the pod to be scheduled on a specific node. ' +
        'https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename',
      1,
    ),
    column(
      'Nominated Node',
      'nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be ' +
        'scheduled right away as preemption victims receive their graceful termination periods. This ' +
        'field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to ' +
        'place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to ' +
        'give the resources on this node to a higher priority pod that is created after preemption. As a ' +
        'result, this field may be different than PodSpec.nodeName when the pod is scheduled.',
      1,
    ),
    column(
      'Readiness Gates',
      'If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all ' +
        'its containers are ready AND all conditions specified in the readiness gates have status equal ' +
        'to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates',
      1,
    ),
  ],
  cells: () => ['', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
};

export const eventTable: TableConvertor = {
  columns: [
    column('Last Seen', 'The time at which the most recent occurrence of this event was recorded.'),
    column('Type', 'Type of this event (Normal, Warning), new types could be added in the future'),
    column(
      'Reason',
      'This should be a short, machine understandable string that gives the reason for the transition ' +
        "into the object's current status.",
    ),
    column('Object', 'The object that this event is about.'),
    column(
      'Subobject',
      'If referring to a piece of an object instead of an entire object, this string should contain a ' +
        'valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, ' +
        'if the object reference is to a container within a pod, this would take on a value like: ' +
        '"spec.containers{name}" (where "name" refers to the name of the container that triggered the ' +
        'event) or if no container name is specified "spec.containers[2]" (container with index 2 in ' +
        'this pod). This syntax is chosen only to have some well-defined way of referencing a part of an ' +
        'object.',
      1,
    ),
    column('Source', 'The component reporting this event. Should be a short machine understandable string.', 1),
    column('Message', 'A human-readable description of the status of this operation.'),
    column('First Seen', 'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)', 1),
    column('Count', 'The number of times this event has occurred.', 1),
    {...NAME, priority: 1},
  ],
  cells: () => ['<unknown>', '', '', '', '', '', '', '<unknown>', 1, ''],
};

export const resourceQuotaTable: TableConvertor = {
  columns: [
    NAME,
    column('Request', 'Request represents a minimum amount of cpu/memory that a container may consume.'),
    column(
      'Limit',
      'Limits control the maximum amount of cpu/memory that a container may use independent of ' +
        'contention on the node.',
    ),
    AGE,
  ],
  cells: () => ['', '', '', '<unknown>'],
};
