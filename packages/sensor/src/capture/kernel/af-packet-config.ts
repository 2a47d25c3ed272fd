// SPDX-License-Identifier: Apache-2.0
/** The sections of suricata.yaml for a capture of the kernel's packet sockets. Ref: contracts of the data plane, sections 3.1 and 8. */

const RING_PACKETS = 2048;
const BLOCK_BYTES = 262_144;
/** Cluster ids are 16 bits; those of the first interfaces are Suricata's defaults for others. */
const CLUSTER_ID_FIRST = 100;
const CLUSTER_IDS = 60_000;

export const AF_PACKET_ARGS = ['--af-packet', '--runmode', 'workers'] as const;

/** `seed`: makes the cluster ids of this process other than those of its neighbours. */
export const afPacketConfig = (
  interfaces: readonly {readonly name: string; readonly filter?: string | undefined}[],
  seed: number,
): string => {
  const section = interfaces.map(({name, filter}, index) =>
    [
      `  - interface: ${JSON.stringify(name)}`,
      '    threads: 1',
      `    cluster-id: ${CLUSTER_ID_FIRST + ((seed * interfaces.length + index) % CLUSTER_IDS)}`,
      '    cluster-type: cluster_flow',
      '    defrag: yes',
      '    use-mmap: yes',
      '    tpacket-v3: yes',
      `    ring-size: ${RING_PACKETS}`,
      `    block-size: ${BLOCK_BYTES}`,
      '    checksum-checks: no',
      '    disable-promisc: yes',
      ...(filter === undefined ? [] : [`    bpf-filter: ${JSON.stringify(filter)}`]),
    ].join('\n'),
  );
  return `af-packet:\n${section.join('\n')}\ncapture: {disable-offloading: false, checksum-validation: none}\n`;
};
