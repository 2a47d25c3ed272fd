// SPDX-License-Identifier: Apache-2.0
/** The packets as a capture file; a click that fails says why they are not kept. */
import type {PcapSource, ThreatMessage} from '@palisade/ids-wire';
import {useMutation} from '@tanstack/react-query';
import type {ReactNode} from 'react';
import {errorText, useApi, usePermission} from '../../../api/index.ts';
import {Button, icons, toast} from '../../../ui/index.ts';

const SOURCE_WORD: Readonly<Record<PcapSource, string>> = {
  flow: 'The file has the packets of the flow.',
  'flow-cut': 'The file has the first packets of the flow; there were more.',
  packet: 'The file has the packet of the alert. The packets of its flow are not kept.',
  payload: 'The file has the payload in a packet that was generated for it. The packets of the flow are not kept.',
};
const TYPE = 'application/vnd.tcpdump.pcap';

function save(file: Uint8Array, name: string): void {
  const url = URL.createObjectURL(new Blob([file as Uint8Array<ArrayBuffer>], {type: TYPE}));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

export function PcapButton({threat}: {readonly threat: ThreatMessage}): ReactNode {
  const {ids} = useApi();
  const right = usePermission(threat.endpoint, 'ids.threats.getEvidence');
  const load = useMutation({
    mutationFn: () => ids.getThreatPcap(threat.endpoint, threat.id),
    onSuccess: ({source, file}) => {
      save(file, `${threat.threat_id.replace(':', '-')}-${threat.id}.pcap`);
      toast('ok', SOURCE_WORD[source]);
    },
    onError: error => toast('bad', errorText(error)),
  });
  return (
    <Button
      small
      icon={<icons.DownloadIcon />}
      busy={load.isPending}
      whyDisabled={right.why}
      onClick={() => load.mutate()}
    >
      Packets (pcap)
    </Button>
  );
}
