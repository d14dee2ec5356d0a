"""Owns the verbs of the control socket, typed; the plant's own class adds frames and leases."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from kinloop.arrays import flat
from kinloop.channels import ControlChannel
from kinloop.errors import BadReplyError, UsageError, refusal
from kinloop.results import (
    Capture,
    Condition,
    Effect,
    FaultEffect,
    FaultKind,
    Linearization,
    MotionState,
    QuadraticCost,
    Record,
    Rollout,
    Snapshot,
    Trajectory,
    Trim,
)
from kinloop.stop import StopChannel, StopReceipt, ask_until_confirmed
from kinloop.v1 import control_pb2, describe_pb2, event_pb2, verb_pb2

_CANCEL_PATIENCE_S = 1.0
_USUAL_PATIENCE_S = 60.0
_MATRIX_BYTES = 8e6  # of an answer, half of what a plant sends at most


def properties_of(verb: Optional[str]) -> verb_pb2.VerbProperties:
    """What control.proto says of a verb; nothing is set where there is no such verb."""
    field = control_pb2.ControlRequest.DESCRIPTOR.fields_by_name.get(verb or "")
    return verb_pb2.VerbProperties() if field is None else field.GetOptions().Extensions[verb_pb2.properties]


class Verbs:
    """Every verb is asked again with the same number until it is answered or time is over, so that it is done once.

    A refusal is raised as the exception of its code (kinloop.errors), silence as NoAnswerError.
    """

    timeout: float  # s, for an answer
    job_timeout: float  # s, for what takes long: a model that is rebuilt, what is computed beside the plant
    description: describe_pb2.Description
    _control: ControlChannel

    def _stop_channel(self) -> Optional[StopChannel]:
        raise NotImplementedError

    def request(
        self, request: control_pb2.ControlRequest, timeout: Optional[float] = None
    ) -> control_pb2.ControlReply:
        """Any request, with its answer as it came; version, client and number are filled in.

        Without a timeout: as long as the schema says that this verb may take.
        """
        try:
            reply = self._control.ask(request, self._timeout_of(request) if timeout is None else timeout)
        except KeyboardInterrupt:
            self._cancel_quietly(request.request_id)
            raise
        if reply.WhichOneof("answer") == "error":
            raise refusal(reply.error)
        return reply

    def _timeout_of(self, request: control_pb2.ControlRequest) -> float:
        kind = properties_of(request.WhichOneof("verb")).timeout
        if kind == verb_pb2.TIMEOUT_PATIENCE:  # of a capture: no other verb has it
            patience_s = request.capture.patience_s
            return self.timeout + (patience_s if patience_s > 0.0 else _USUAL_PATIENCE_S)
        return max(self.timeout, self.job_timeout) if kind == verb_pb2.TIMEOUT_LONG else self.timeout

    def _cancel_quietly(self, request_id: int) -> None:
        cancel = control_pb2.ControlRequest(cancel=control_pb2.CancelRequest(request_id=request_id))
        self._control.tell(cancel, _CANCEL_PATIENCE_S)

    def _asked(
        self, answer: str, timeout: Optional[float] = None, **verb: object
    ) -> control_pb2.ControlReply:
        """The reply to a request with this verb, where it is of the kind that this verb has."""
        reply = self.request(control_pb2.ControlRequest(**verb), timeout)  # type: ignore[arg-type]
        if reply.WhichOneof("answer") != answer:
            raise BadReplyError(f"the plant answered {reply.WhichOneof('answer')} where {answer} was expected")
        return reply

    def _effect(self, **verb: object) -> Effect:
        reply = self._asked("done", **verb)
        return Effect(reply.step, reply.repeated_answer)

    def status(self) -> event_pb2.Status:
        """State of the plant: PlantState(status.state), step, leases, faults, counters."""
        return self._asked("status", status=control_pb2.StatusRequest()).status

    def timing(self) -> event_pb2.Timing:
        """How it keeps its times, since the run began."""
        return self._asked("timing", timing=control_pb2.TimingRequest()).timing

    def start(self) -> Effect:
        """Lets a plant begin that was started with --wait."""
        return self._effect(start=control_pb2.StartRequest())

    def pause(self) -> Effect:
        return self._effect(pause=control_pb2.PauseRequest())

    def resume(self) -> Effect:
        return self._effect(resume=control_pb2.ResumeRequest())

    def step_n(self, steps: int, timeout: Optional[float] = None) -> Effect:
        """So many steps while it is paused (in lockstep also else); answered when they are done.

        Without a timeout: that of short requests, since only the caller knows how long the steps take.
        """
        patience_s = self.timeout if timeout is None else timeout
        reply = self._asked("done", patience_s, step=control_pb2.StepRequest(steps=steps))
        return Effect(reply.step, reply.repeated_answer)

    def reset(self) -> Effect:
        """To the state in which the run began; actuators that were made safe stay so until they are re-armed."""
        return self._effect(reset=control_pb2.ResetRequest())

    def set_parameters(self, values: Mapping[str, Union[str, float]]) -> Effect:
        """Of the model, all at the beginning of one step, as in its file: {"pole_mass": "0.3 kg"}."""
        request = control_pb2.SetParametersRequest()
        for name, value in values.items():
            request.values.add(name=name, value=value if isinstance(value, str) else repr(float(value)))
        reply = self._asked("parameters", set_parameters=request)
        return Effect(reply.step, reply.repeated_answer)

    def get_parameters(self, names: Iterable[str] = ()) -> Dict[str, str]:
        """As they are in force; without names: all."""
        request = control_pb2.GetParametersRequest(names=list(names))
        reply = self._asked("parameters", get_parameters=request)
        return {one.name: one.value for one in reply.parameters.values}

    def snapshot(self) -> Snapshot:
        """All that alters the plant's future, as it is at the end of the last step."""
        return Snapshot(self._asked("snapshot", snapshot=control_pb2.SnapshotRequest()).snapshot)

    def restore(self, snapshot: Union[Snapshot, bytes]) -> Effect:
        """Takes effect at the next step; snapshots of another rig raise SchemaError."""
        whole = Snapshot.from_bytes(snapshot) if isinstance(snapshot, bytes) else snapshot
        return self._effect(restore=control_pb2.RestoreRequest(snapshot=whole.message))

    def inject_fault(
        self, signal: str, kind: Union[FaultKind, str], value: float = 0.0, duration_s: float = 0.0
    ) -> FaultEffect:
        """Of a sensor or an actuator; `kind` may be its name ("bias"). The meaning of `value` depends on it:

        bias: in the signal's unit, drift: per second, noise: standard deviation, delay: seconds, drop: share of samples
        that are lost. A duration of 0: until it is cleared.
        """
        request = control_pb2.InjectFaultRequest(
            signal=signal, kind=_fault_kind(kind), value=value, duration_s=duration_s
        )
        reply = self._asked("fault", inject_fault=request)
        return FaultEffect(reply.step, reply.fault.until_step)

    def clear_faults(self, signal: str = "") -> Effect:
        """Without a signal: all faults, overrides and forces."""
        return self._effect(clear_faults=control_pb2.ClearFaultsRequest(signal=signal))

    def override_signal(self, signal: str, value: float, duration_s: float = 0.0) -> Effect:
        """A value instead of the signal's own; a duration of 0: until end_override()."""
        return self._effect(
            override=control_pb2.OverrideRequest(signal=signal, value=value, duration_s=duration_s)
        )

    def end_override(self, signal: str) -> Effect:
        return self._effect(override=control_pb2.OverrideRequest(signal=signal, off=True))

    def apply_force(
        self,
        body: str,
        force: Sequence[float] = (0.0, 0.0, 0.0),
        moment: Sequence[float] = (),
        point: Sequence[float] = (),
        duration_s: float = 0.0,
    ) -> Effect:
        """N and Nm in world axes, at a point in the body's frame; a duration of 0: one step."""
        request = control_pb2.ApplyForceRequest(
            body=body, force=flat(force), moment=flat(moment), point=flat(point), duration_s=duration_s
        )
        return self._effect(apply_force=request)

    def capture(
        self,
        sensor: str,
        condition: Condition = Condition.RISES,
        level: float = 0.0,
        steps_before: int = 0,
        steps_after: int = 0,
        patience_s: float = _USUAL_PATIENCE_S,
    ) -> Capture:
        """Waits until the condition was met; raises CancelledError where that takes longer than `patience_s`."""
        request = control_pb2.CaptureRequest(
            sensor=sensor,
            condition=int(condition),  # type: ignore[arg-type]
            level=level,
            steps_before=steps_before,
            steps_after=steps_after,
            patience_s=patience_s,
        )
        reply = self._asked("capture", capture=request)
        return Capture.from_message(reply.capture, len(self.description.sensors))

    def rearm(self, actuators: Iterable[str] = ()) -> Effect:
        """These may be moved again after they were made safe; without names: all."""
        return self._effect(rearm=control_pb2.RearmRequest(actuators=list(actuators)))

    def emergency_stop(self) -> Effect:
        """All actuators are made safe at once, and stay so until they are re-armed, whatever commands arrive.

        Asked through io and at the supervisor's stop socket at once, again and again until one of them confirms it: the
        first that arrives counts, and io may be dead. Everybody who is let in may stop.
        """
        confirmed = ask_until_confirmed(self._stop_channel(), self._control, self.timeout)
        if isinstance(confirmed, StopReceipt):
            return Effect(confirmed.step, tick=confirmed.tick)
        if confirmed is None:
            raise self._control.no_answer(self.timeout)
        if confirmed.WhichOneof("answer") == "error":
            raise refusal(confirmed.error)
        return Effect(confirmed.step, confirmed.repeated_answer, confirmed.tick)

    def linearize(
        self,
        state: Optional[MotionState] = None,
        commands: Optional[Sequence[float]] = None,
        method: str = "exact",
        independent: Sequence[str] = (),
        parameters: Sequence[str] = (),
        side: str = "either",
    ) -> Linearization:
        """One step as matrices, around a state (None: the present one) and commands (None: those in force).

        `method` is "exact" or "differences"; `independent` names the coordinates to take as independent (none: chosen).
        `parameters` names numbers of the mechanism to differentiate by as well: "mass.boom", "friction.*". `side`: of an edge
        that the state or a command stands on, "below" or "above" it.
        """
        request = control_pb2.LinearizeRequest(
            commands=[] if commands is None else flat(commands),
            method=method,
            independent=independent,
            parameters=parameters,
            side=side,
        )
        if state is not None:
            request.state.CopyFrom(state.to_message())
        reply = self._asked("linearization", linearize=request)
        return Linearization.from_message(reply.linearization)

    def rollout(
        self,
        sequences: Iterable[Sequence[float]],
        steps_per_command: int = 1,
        state: Optional[MotionState] = None,
        cost: Optional[QuadraticCost] = None,
    ) -> Rollout:
        """What the plant would do from one state (None: the present one), away from the running plant.

        Each sequence holds rows of one command for each actuator; an array [sequence, command, actuator] is one way to
        write it. Each command is held for `steps_per_command` steps. With a cost, each result has it and its gradient by the
        commands, from exact derivatives.
        """
        actuators = len(self.description.actuators)
        request = control_pb2.RolloutRequest(steps_per_command=steps_per_command)
        lengths = []
        for sequence in sequences:
            commands = flat(sequence)
            if actuators == 0 or len(commands) % actuators != 0:
                message = f"a sequence has rows of {actuators} commands, one for each actuator"
                raise UsageError(message, field="sequences")
            request.sequences.add(commands=commands)
            lengths.append(len(commands) // actuators)
        if state is not None:
            request.state.CopyFrom(state.to_message())
        if cost is not None:
            request.cost.CopyFrom(cost.to_message())
        reply = self._asked("rollout", rollout=request)
        return Rollout.from_message(
            reply.rollout, lengths, len(self.description.sensors), actuators, cost is not None, reply.step
        )

    def linearize_trajectory(
        self,
        commands: Any,
        steps_per_command: int = 1,
        state: Optional[MotionState] = None,
        independent: Sequence[str] = (),
        commands_per_request: int = 0,
    ) -> Trajectory:
        """A roll-out under rows of commands [command, actuator] with the matrices of each, away from the running plant.

        A long one is asked for in parts, each going on where the one before it ended; `commands_per_request` says how many
        (0: as many as an answer surely holds).
        """
        actuators = len(self.description.actuators)
        numbers = flat(commands)
        if actuators == 0 or not numbers or len(numbers) % actuators != 0:
            raise UsageError(f"rows of {actuators} commands, one for each actuator", field="commands")
        states = self.description.state_size
        row = 8.0 * (states + len(self.description.sensors)) * (states + actuators + 1)
        width = actuators * (commands_per_request or max(1, int(_MATRIX_BYTES / row)))
        request = control_pb2.LinearizeTrajectoryRequest(steps_per_command=steps_per_command, independent=independent)
        if state is not None:
            request.state.CopyFrom(state.to_message())
        parts: List[control_pb2.LinearizeTrajectoryReply] = []
        for first in range(0, len(numbers), width):
            request.commands[:] = numbers[first : first + width]
            reply = self._asked("trajectory", linearize_trajectory=request).trajectory
            parts.append(reply)
            if not reply.complete:
                break
            request.ClearField("state")
            request.independent[:] = reply.independent
            request.block[:] = reply.end
        return Trajectory.from_messages(parts)

    def trim(
        self,
        *,
        coordinates: Optional[Mapping[str, float]] = None,
        speeds: Optional[Mapping[str, float]] = None,
        commands: Optional[Mapping[str, float]] = None,
        hold: bool = False,
        state: Optional[MotionState] = None,
        max_iterations: int = 0,
    ) -> Trim:
        """Where the plant would stand still, or move on steadily, away from it; restore(trim.snapshot) goes there.

        Coordinates, speeds and commands that are given stay so; hold: all coordinates stay where they are. All else is
        sought, beginning at `state` (None: the present one).
        """
        request = control_pb2.TrimRequest(hold=hold, max_iterations=max_iterations)
        lists = (request.coordinates, request.speeds, request.commands)
        for given, numbers in zip((coordinates, speeds, commands), lists):
            for name, value in (given or {}).items():
                numbers.add(name=name, value=value)
        if state is not None:
            request.state.CopyFrom(state.to_message())
        return Trim.from_message(self._asked("trim", trim=request).trim)

    def start_record(self, name: str = "") -> Record:
        """In the directory of the run, on the plant's host; without a name: "record-<n>.mcap"."""
        return self._record(control_pb2.RecordRequest(name=name))

    def stop_record(self) -> Record:
        return self._record(control_pb2.RecordRequest(stop=True))

    def _record(self, request: control_pb2.RecordRequest) -> Record:
        reply = self._asked("record", record=request).record
        return Record(reply.file, reply.steps, reply.dropped)

    def note(self, text: str) -> Effect:
        """A remark of an operator, into events and record."""
        return self._effect(note=control_pb2.NoteRequest(text=text))

    def cancel(self, request_id: int) -> Effect:
        """Of a linearize, linearize_trajectory, trim, rollout or capture of this very client: ControlRequest.request_id of request()."""
        return self._effect(cancel=control_pb2.CancelRequest(request_id=request_id))

    def shutdown(self) -> Effect:
        """Ends the run."""
        return self._effect(shutdown=control_pb2.ShutdownRequest())


def _fault_kind(kind: Union[FaultKind, str]) -> FaultKind:
    if not isinstance(kind, str):
        return kind
    try:
        return FaultKind[kind.upper()]
    except KeyError:
        names = ", ".join(one.name.lower() for one in FaultKind)
        raise UsageError(f"there is no fault '{kind}': {names}", field="kind") from None
