// SPDX-License-Identifier: Apache-2.0
/**
 * Google Cloud: Packet Mirroring and Network Security Integration. Ref: gcloud compute packet-mirrorings create; Network Security
 * Integration, out-of-band.
 */
import {type Attach, GUIDE, isLoopback, LOOPBACK_NOTE, type SetUp} from './text-linux.ts';

const idOf = (endpoint: string): string => endpoint.split('/').at(-1) ?? '';

const packetMirroring = ({endpoint}: Attach): SetUp['sections'] => [
  {
    about: 'Packet Mirroring, step 1: create a collector load balancer whose backends are Linux VMs (collectors)',
    commands: [
      'gcloud compute forwarding-rules create COLLECTOR_RULE --region=REGION --load-balancing-scheme=INTERNAL --backend-service=COLLECTOR_SERVICE --ip-protocol=TCP --ports=ALL --network=NETWORK --subnet=SUBNET --is-mirroring-collector',
      'gcloud compute packet-mirrorings create palisade --region=REGION --network=NETWORK --mirrored-subnets=MIRRORED_SUBNET --collector-ilb=COLLECTOR_RULE',
    ],
  },
  {
    about: 'Packet Mirroring, step 2: on each collector, put the packets into VXLAN',
    commands: [`palisade mirror ${idOf(endpoint)} --apply --from ens4`],
  },
];

const securityIntegration = ({ip}: Attach): SetUp['sections'] => [
  {
    about: 'Network Security Integration (GENEVE), producer: make the server the backend of a load balancer',
    commands: [
      `gcloud compute forwarding-rules create MIRROR_RULE --region=REGION --load-balancing-scheme=INTERNAL --backend-service=SENSOR_SERVICE --ip-protocol=UDP --ports=6081 --network=NETWORK --subnet=SUBNET --address=${ip}`,
      'gcloud network-security mirroring-deployment-groups create palisade --location=global --network=NETWORK',
      'gcloud network-security mirroring-deployments create palisade --location=ZONE --forwarding-rule=MIRROR_RULE --forwarding-rule-location=REGION --mirroring-deployment-group=palisade',
    ],
  },
  {
    about: 'Network Security Integration, consumer: choose the traffic that is mirrored',
    commands: [
      'gcloud network-security mirroring-endpoint-groups create palisade --location=global --mirroring-deployment-group=palisade',
      'gcloud network-security mirroring-endpoint-group-associations create palisade --location=global --mirroring-endpoint-group=palisade --network=MIRRORED_NETWORK',
      'gcloud network-security security-profiles custom-mirroring create palisade --organization=ORGANIZATION --location=global --mirroring-endpoint-group=projects/PROJECT/locations/global/mirroringEndpointGroups/palisade',
      'gcloud network-security security-profile-groups create palisade --organization=ORGANIZATION --location=global --custom-mirroring-profile=palisade',
      ...['INGRESS --src-ip-ranges=0.0.0.0/0', 'EGRESS --dest-ip-ranges=0.0.0.0/0'].map(
        (match, at) =>
          `gcloud compute network-firewall-policies mirroring-rules create ${100 + at} --action=mirror --firewall-policy=POLICY --global-firewall-policy --security-profile-group=organizations/ORGANIZATION/locations/global/securityProfileGroups/palisade --layer4-configs=all --direction=${match}`,
      ),
    ],
  },
];

export const gcpSetUp = (attach: Attach): SetUp => ({
  title: 'Google Cloud',
  sections: [...packetMirroring(attach), ...securityIntegration(attach)],
  notes: [
    ...(isLoopback(attach.ip) ? [`${attach.ip}: ${LOOPBACK_NOTE}`] : []),
    'Packet Mirroring delivers the packets as they are, without VXLAN, to the interface of the collectors. An endpoint takes only VXLAN and GENEVE, so it cannot be a backend itself: step 2 is needed. The collectors’ own traffic is mirrored too',
    'does not work: the endpointForwardingRule of this endpoint as --collector-ilb of gcloud. It is a rule of this server, not of Google Cloud',
    `Network Security Integration delivers GENEVE on UDP 6081 to the address of MIRROR_RULE, which must be the endpoint's, ${attach.ip}. Start the server with --endpoint-pool ADDRESS/32. The guest agent of Google's images makes the address a local one; on other images: ip route add local ADDRESS/32 dev lo`,
    'its VNI is chosen by Google: start the server with --accept-any-vni',
    ...(attach.driver === 'afpacket'
      ? ['the driver of this endpoint, afpacket, takes no GENEVE: start the server with --driver relay or afpacket-bpf']
      : []),
    'firewall: allow TCP of the health checks (35.191.0.0/16, 130.211.0.0/22), and UDP 6081 or, from the collectors, UDP 4789',
    `read ${GUIDE} for more`,
  ],
});
