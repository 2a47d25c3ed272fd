import * as cloudnative from "@palisade/cloudnative";
import * as platform from "@palisade/platform";
import * as pulumi from "@pulumi/pulumi";

// Who serves the shop: two instances are ready, one is still starting. Every address offers both ports.
const web = new platform.core.v1.Endpoints("web", {
    metadata: { name: "web", namespace: "default", labels: { app: "shop", tier: "web" } },
    subsets: [
        {
            addresses: [
                { ip: "10.20.0.10", hostname: "web-0", nodeName: "node-1" },
                { ip: "10.20.0.11", hostname: "web-1", nodeName: "node-2" },
            ],
            notReadyAddresses: [{ ip: "10.20.0.12", hostname: "web-2", nodeName: "node-2" }],
            ports: [
                { name: "http", port: 80, appProtocol: "http" },
                { name: "metrics", port: 9090 },
            ],
        },
    ],
});

// What watches the shop's network: threats of MEDIUM and above become threat logs, but for one that is known and accepted.
const guard = new cloudnative.intrusion.v1.Endpoint(
    "guard",
    {
        endpointId: "shop-guard",
        project: "shop",
        location: "local",
        network: "projects/shop/global/networks/default",
        severity: cloudnative.intrusion.v1.EndpointSeverity.Medium,
        description: "Inspects what is mirrored from the shop's web servers",
        labels: { app: "shop" },
        // The shop's own vulnerability scanner calls itself sqlmap: expected, so no alert.
        threatExceptions: ["1:9000106"],
        trafficLogs: true,
    },
    { dependsOn: [web] },
);

export const endpointsId = web.id;
export const readyAddresses = web.subsets.apply(subsets => (subsets ?? []).flatMap(s => (s.addresses ?? []).map(a => a.ip)));
export const guardName = guard.name;
export const guardState = guard.state;
export const mirrorTo = pulumi.interpolate`${guard.endpointIp}:4789`;
export const forwardingRule = guard.endpointForwardingRule;
