// SPDX-License-Identifier: Apache-2.0
/**
 * The columns of kinds that have no objects here, and the cells of an empty one, which a bookmark has.
 * Ref: kubernetes v1.36 pkg/printers/internalversion/printers.go AddHandlers, printPod, printResourceQuota.
 */
import {type TableColumn, type TableConvertor, tableNameColumns} from '@palisade/apiserver';
import {textColumn as column} from '../doc-column.ts';

const [NAME, AGE] = tableNameColumns([]) as readonly [TableColumn, TableColumn];

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
