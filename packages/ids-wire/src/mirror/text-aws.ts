// SPDX-License-Identifier: Apache-2.0
/** AWS VPC Traffic Mirroring to an endpoint. Ref: AWS VPC Traffic Mirroring guide; aws ec2 create-traffic-mirror-*. */
import {type Attach, GUIDE, isLoopback, LOOPBACK_NOTE, type SetUp} from './text-linux.ts';

const filterRule = (direction: string, rule: number, cidr: string): string =>
  [
    'aws ec2 create-traffic-mirror-filter-rule --traffic-mirror-filter-id "$FILTER"',
    `--traffic-direction ${direction} --rule-number ${rule} --rule-action accept`,
    `--source-cidr-block ${cidr} --destination-cidr-block ${cidr}`,
  ].join(' ');

const target = (flag: string): string =>
  `TARGET=$(aws ec2 create-traffic-mirror-target ${flag} --query TrafficMirrorTarget.TrafficMirrorTargetId --output text)`;

const setUp = ({vni}: Attach): SetUp['sections'] => [
  {
    about: 'create the target: run one of the three commands',
    commands: [
      `${target('--network-interface-id SENSOR_ENI')}   # the interface of the server`,
      `${target('--network-load-balancer-arn NLB_ARN')}   # listener and target group: UDP 4789`,
      `${target('--gateway-load-balancer-endpoint-id GWLB_ENDPOINT')}   # GENEVE, see the notes`,
    ],
  },
  {
    about: 'create the filter: all IPv4 and IPv6 packets, both directions',
    commands: [
      'FILTER=$(aws ec2 create-traffic-mirror-filter --query TrafficMirrorFilter.TrafficMirrorFilterId --output text)',
      filterRule('ingress', 100, '0.0.0.0/0'),
      filterRule('egress', 100, '0.0.0.0/0'),
      filterRule('ingress', 200, '::/0'),
      filterRule('egress', 200, '::/0'),
    ],
  },
  {
    about: 'create a session for each interface to mirror',
    commands: [
      `aws ec2 create-traffic-mirror-session --network-interface-id SOURCE_ENI --traffic-mirror-target-id "$TARGET" --traffic-mirror-filter-id "$FILTER" --session-number 1 --virtual-network-id ${vni}`,
    ],
  },
  {
    about: 'allow the packets in the security group of the server',
    commands: [
      'aws ec2 authorize-security-group-ingress --group-id SENSOR_SECURITY_GROUP --protocol udp --port 4789 --cidr SOURCE_CIDR',
    ],
  },
  {
    about: 'remove the mirror',
    commands: [
      'aws ec2 delete-traffic-mirror-session --traffic-mirror-session-id SESSION',
      'aws ec2 delete-traffic-mirror-filter --traffic-mirror-filter-id "$FILTER"',
      'aws ec2 delete-traffic-mirror-target --traffic-mirror-target-id "$TARGET"',
    ],
  },
];

const gwlbNotes = ({driver}: Attach): readonly string[] => [
  'Gateway Load Balancer as the target: the packets arrive as GENEVE on UDP 6081 with VNI 0, and VXLAN inside. The server needs --accept-any-vni, and security group rules for UDP 6081',
  ...(driver === 'afpacket'
    ? ['the driver of this endpoint, afpacket, takes no GENEVE: start the server with --driver relay or afpacket-bpf']
    : []),
  'does not work: a Gateway Load Balancer in the path of the traffic itself. It expects every packet back, and an endpoint returns none',
];

export const awsSetUp = (attach: Attach): SetUp => ({
  title: 'AWS VPC Traffic Mirroring',
  sections: setUp(attach),
  notes: [
    ...(isLoopback(attach.ip) ? [`${attach.ip}: ${LOOPBACK_NOTE}`] : []),
    `an interface as the target: packets go to its primary private address, which must be the endpoint's, ${attach.ip}. Start the server with --endpoint-pool ADDRESS/32; one endpoint an interface`,
    'a Network Load Balancer as the target: register the address of the endpoint (target type ip) in a target group with protocol UDP and port 4789; health checks are TCP or HTTP, such as GET /readyz of the server',
    'always give --virtual-network-id: without it AWS chooses a random VNI, whose packets the endpoint does not take',
    'a mirrored packet is longer than the original one: AWS cuts it at the MTU of the target. Use an MTU of the sources that is 54 bytes below that of the target (IPv6: 74)',
    'an interface cannot be source and target at the same time',
    ...gwlbNotes(attach),
    `read ${GUIDE} for more`,
  ],
});
