# SPDX-License-Identifier: Apache-2.0
"""Drives a server with the stock `kubernetes` client of PyPI over HTTPS with a token.

Prints JSON lines, {"check": name, "ok": bool, "detail": what went wrong}; exit code 1: a check failed.
Usage: main.py SERVER CA_FILE TOKEN OTHER_TOKEN
"""

import json
import sys
import threading

import yaml
from kubernetes import client, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException

SERVER, CA, TOKEN, OTHER = sys.argv[1:5]
NS = "python"
PATIENCE_S = 30


def api_client(token: str) -> client.ApiClient:
    config = client.Configuration()
    config.host = SERVER
    config.ssl_ca_cert = CA
    config.api_key["BearerToken"] = token
    config.api_key_prefix["BearerToken"] = "Bearer"
    return client.ApiClient(config)


API = api_client(TOKEN)
CORE = client.CoreV1Api(API)


def body(name: str, *ips: str, **metadata) -> client.V1Endpoints:
    return client.V1Endpoints(
        metadata=client.V1ObjectMeta(name=name, **metadata),
        subsets=[
            client.V1EndpointSubset(
                addresses=[client.V1EndpointAddress(ip=ip) for ip in ips],
                ports=[client.CoreV1EndpointPort(name="http", port=80, app_protocol="platform.io/h2c")],
            )
        ],
    )


def equal(what: str, got, want) -> None:
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def refused(what: str, status: int, call) -> dict:
    """The Status that a refused call answered."""
    try:
        call()
    except ApiException as error:
        equal(f"{what}: status", error.status, status)
        return json.loads(error.body)
    raise AssertionError(f"{what} was accepted")


def crud() -> None:
    CORE.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NS)))
    made = CORE.create_namespaced_endpoints(NS, body("web", "10.0.0.1", "10.0.0.2", labels={"app": "web"}))
    read = CORE.read_namespaced_endpoints("web", NS)
    equal("what was created", read, made)
    equal("protocol default", read.subsets[0].ports[0].protocol, "TCP")
    equal("time zone of creation", read.metadata.creation_timestamp.utcoffset().total_seconds(), 0)
    read.subsets[0].not_ready_addresses = [client.V1EndpointAddress(ip="10.0.0.3", hostname="c", node_name="n")]
    written = CORE.replace_namespaced_endpoints("web", NS, read)
    equal("not ready", written.subsets[0].not_ready_addresses[0].hostname, "c")
    stale = refused("a stale replace", 409, lambda: CORE.replace_namespaced_endpoints("web", NS, made))
    equal("reason", stale["reason"], "Conflict")
    ended = CORE.delete_namespaced_endpoints("web", NS)
    equal("status of the delete", ended.status, "Success")
    refused("a read after the delete", 404, lambda: CORE.read_namespaced_endpoints("web", NS))


def invalid() -> None:
    bad = body("bad", "127.0.0.1", "no ip")
    status = refused("bad addresses", 422, lambda: CORE.create_namespaced_endpoints(NS, bad))
    equal("kind", status["kind"], "Status")
    fields = sorted({cause["field"] for cause in status["details"]["causes"]})
    equal("causes", fields, ["subsets[0].addresses[0].ip", "subsets[0].addresses[1].ip"])


def paging() -> None:
    for i in range(5):
        CORE.create_namespaced_endpoints(NS, body(f"page-{i}", "10.0.0.1", labels={"paged": "yes"}))
    names, sizes, token = [], [], None
    while True:
        page = CORE.list_namespaced_endpoints(NS, label_selector="paged=yes", limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        sizes.append(len(page.items))
        token = page.metadata._continue
        if not token:
            break
        equal("remaining items are unknown with a selector", page.metadata.remaining_item_count, None)
    equal("names", names, [f"page-{i}" for i in range(5)])
    equal("sizes", sizes, [2, 2, 1])
    everywhere = CORE.list_endpoints_for_all_namespaces(field_selector="metadata.name=page-3")
    equal("by field, in all namespaces", [item.metadata.namespace for item in everywhere.items], [NS])


def watching() -> None:
    """A watch from a list's version brings the changes after it, and ends by its own time limit."""
    since = CORE.list_namespaced_endpoints(NS).metadata.resource_version

    def change() -> None:
        CORE.create_namespaced_endpoints(NS, body("seen", "10.0.0.1"))
        CORE.patch_namespaced_endpoints("seen", NS, {"metadata": {"labels": {"a": "b"}}})
        CORE.delete_namespaced_endpoints("seen", NS)

    thread = threading.Thread(target=change)
    thread.start()
    stream = watch.Watch()
    words = []
    for event in stream.stream(
        CORE.list_namespaced_endpoints, NS, resource_version=since, timeout_seconds=PATIENCE_S
    ):
        words.append(f"{event['type']} {event['object'].metadata.name} {event['object'].metadata.labels}")
        if event["type"] == "DELETED":
            stream.stop()
    thread.join()
    equal("events", words, ["ADDED seen None", "MODIFIED seen {'a': 'b'}", "DELETED seen {'a': 'b'}"])
    quiet = list(watch.Watch().stream(CORE.list_namespaced_endpoints, NS, label_selector="none", timeout_seconds=1))
    equal("a watch that sees nothing", quiet, [])


def patching() -> None:
    CORE.create_namespaced_endpoints(NS, body("patched", "10.0.0.1"))
    # A dict is sent as a strategic merge patch, a list as a JSON patch.
    CORE.patch_namespaced_endpoints("patched", NS, {"metadata": {"labels": {"strategic": "yes"}}})
    CORE.patch_namespaced_endpoints(
        "patched", NS, [{"op": "replace", "path": "/subsets/0/addresses/0/ip", "value": "10.0.0.9"}]
    )
    CORE.patch_namespaced_endpoints(
        "patched", NS, {"metadata": {"annotations": {"by": "merge"}}}, _content_type="application/merge-patch+json"
    )
    applied = CORE.patch_namespaced_endpoints(
        "patched",
        NS,
        {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"labels": {"apply": "yes"}}},
        _content_type="application/apply-patch+yaml",
        field_manager="python",
    )
    equal("labels", applied.metadata.labels, {"strategic": "yes", "apply": "yes"})
    equal("annotations", applied.metadata.annotations, {"by": "merge"})
    equal("address", applied.subsets[0].addresses[0].ip, "10.0.0.9")
    owners = [entry.operation for entry in applied.metadata.managed_fields if entry.manager == "python"]
    equal("manager", owners, ["Apply"])


def from_yaml() -> None:
    text = """
apiVersion: v1
kind: Endpoints
metadata: {name: from-yaml}
subsets:
  - addresses: [{ip: 10.0.0.1}]
    ports: [{port: 443}]
"""
    utils.create_from_dict(API, yaml.safe_load(text), namespace=NS)
    equal("port", CORE.read_namespaced_endpoints("from-yaml", NS).subsets[0].ports[0].port, 443)


def dynamic_client() -> None:
    resources = dynamic.DynamicClient(API).resources
    endpoints = resources.get(api_version="v1", kind="Endpoints")
    equal("namespaced", endpoints.namespaced, True)
    manifest = {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {"name": "dynamic"},
        "subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 1}]}],
    }
    for _ in range(2):
        made = endpoints.server_side_apply(body=manifest, namespace=NS, field_manager="dyn")
    equal("name", made.metadata.name, "dynamic")
    equal("found again", endpoints.get(name="dynamic", namespace=NS).subsets[0].ports[0].port, 1)
    endpoints.delete(name="dynamic", namespace=NS)


def collection() -> None:
    CORE.delete_collection_namespaced_endpoints(NS, label_selector="paged=yes")
    left = CORE.list_namespaced_endpoints(NS, label_selector="paged").items
    equal("left", left, [])


def rights() -> None:
    weak = client.CoreV1Api(api_client(OTHER))
    status = refused("a list without rights", 403, lambda: weak.list_namespaced_endpoints(NS))
    equal("reason", status["reason"], "Forbidden")
    review = client.V1SelfSubjectAccessReview(
        spec=client.V1SelfSubjectAccessReviewSpec(
            resource_attributes=client.V1ResourceAttributes(namespace=NS, resource="endpoints", verb="list")
        )
    )
    for token, allowed in ((TOKEN, True), (OTHER, False)):
        answer = client.AuthorizationV1Api(api_client(token)).create_self_subject_access_review(review)
        equal("may list", answer.status.allowed, allowed)
    nobody = client.CoreV1Api(api_client("nobody"))
    refused("an unknown token", 401, lambda: nobody.list_namespaced_endpoints(NS))
    equal("version", client.VersionApi(API).get_code().major, "1")


CHECKS = [crud, invalid, paging, watching, patching, from_yaml, dynamic_client, collection, rights]


def main() -> int:
    failed = 0
    for check in CHECKS:
        line = {"check": check.__name__, "ok": True}
        try:
            check()
        except Exception as error:  # every fault of a check is its result
            line = {"check": check.__name__, "ok": False, "detail": f"{type(error).__name__}: {error}"}
            failed += 1
        print(json.dumps(line), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
