"""A gRPC client that is not ours: grpcio, with messages made from our .proto files when it is started.

client.py ADDRESS CA PROTOS METHOD REQUEST: prints the status of the call and the answer as JSON. CA is a file with the
authority to trust. What TOKEN holds is sent as bearer.
"""

import json
import os
import sys

import grpc
from google.protobuf import json_format

address, authority, protos, method, request = sys.argv[1:]
sys.path.insert(0, protos)
messages, services = grpc.protos_and_services("proompteng/jangar/v1/agentctl.proto")

with open(authority, "rb") as file:
    secured = grpc.ssl_channel_credentials(root_certificates=file.read())
token = os.environ.get("TOKEN")
metadata = [("authorization", f"Bearer {token}")] if token else []
with grpc.secure_channel(address, secured) as channel:
    call = getattr(services.AgentctlServiceStub(channel), method)
    asked = json_format.Parse(request, getattr(messages, f"{method}Request")())
    try:
        answer = json_format.MessageToDict(call(asked, metadata=metadata, timeout=90))
        print(json.dumps({"code": "OK", "answer": answer}))
    except grpc.RpcError as error:
        print(json.dumps({"code": error.code().name, "message": error.details()}))
