"""A client that knows nothing but the .proto files: describes, acquires, makes 100 steps in lockstep, prints the hash.

    protoc -I proto --python_out=OUT proto/kinloop/v1/*.proto
    PYTHONPATH=OUT minimal_client.py CONTROL_ADDRESS          (the line "control" of the plant's file "endpoints")
"""
import random
import sys

import zmq

from kinloop.v1 import control_pb2, frames_pb2

STEPS = 100
PATIENCE_MS = 20_000


def socket_to(context, address):
    socket = context.socket(zmq.DEALER)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.RCVTIMEO, PATIENCE_MS)
    socket.connect(address)
    return socket


def ask(control, client, number, **verb):
    control.send(control_pb2.ControlRequest(version=1, client=client, request_id=number, **verb).SerializeToString())
    reply = control_pb2.ControlReply.FromString(control.recv())
    if reply.HasField("error"):
        raise SystemExit(f"refused: {reply.error.message}")
    return reply


def main(address):
    context = zmq.Context()
    control = socket_to(context, address)
    client = random.getrandbits(63) + 1

    plant = ask(control, client, 1, describe=control_pb2.DescribeRequest()).description
    where = {endpoint.socket: endpoint.address for endpoint in reversed(plant.endpoints)}
    lease = ask(control, client, 2, acquire=control_pb2.AcquireRequest(time_s=10.0, holder="minimal")).acquired
    print(f"{plant.rig}: steps of {plant.dt_s:g} s, {len(plant.sensors)} sensors, commands {list(lease.actuators)}")

    actuators = socket_to(context, where["actuators"])
    frame = None
    for sequence in range(1, STEPS + 1):
        command = frames_pb2.ActuatorFrame(schema_hash=plant.schema_hash, lease=lease.lease, sequence=sequence)
        command.value.extend([0.0] * len(lease.actuators))
        actuators.send(command.SerializeToString())
        answer = frames_pb2.ActuatorReply.FromString(actuators.recv())
        if answer.HasField("error"):
            raise SystemExit(f"frame {sequence} refused: {answer.error.message}")
        frame = answer.frame

    print(f"step {frame.step}, {dict(zip((s.name for s in plant.sensors), frame.value))}")
    print(f"hash {frame.state_hash:016x}")
    ask(control, client, 3, release=control_pb2.ReleaseRequest(lease=lease.lease))
    context.destroy()


if __name__ == "__main__":
    main(sys.argv[1])
