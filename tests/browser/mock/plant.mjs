// The plant behind the mock: leases, policies, faults, snapshots, all as the protocol says.
import Long from "long";
import { bodies, Excavator, joints, kCoordinates, lines, planes } from "./excavator.mjs";
import { Times } from "./times.mjs";

const kDt_s = 1e-3;
const kMaxAge_s = 0.2; // browsers that draw without a graphics card stall for longer than 100 ms
const kSchemaHash = Long.fromString("13835058055282163713", true); // needs all of its 64 bits
const kNames = ["boom", "arm", "bucket", "swing"];
const kStale = 2, kFaulted = 8, kFrozen = 16;
const kAdmin = ["restore", "setParameters", "injectFault", "clearFaults", "override", "applyForce", "shutdown"];
const kOperator = ["acquire", "release", "start", "pause", "resume", "step", "reset", "rearm", "record", "note"];

const sensors = [
  ["boom_extension", "m", "q.boom_cylinder"], ["arm_extension", "m", "q.arm_cylinder"], ["bucket_extension", "m", "q.bucket_cylinder"],
  ["swing_angle", "rad", "q.swing"], ["swing_rate", "rad/s", "rate.seat.z"], ["boom_pressure_a", "Pa", "pressure_a.boom"],
  ["pump_pressure", "Pa", "pressure.main"], ["teeth_z", "m", "position.teeth.z"],
].map(([name, unit, signal]) => ({ name, unit, signal, lower: -Infinity, upper: Infinity, rateHz: 250, delayS: 0 }));
const actuators = kNames.map((name) => {
  const most = name === "swing" ? 65000 : 1;
  return { name, unit: name === "swing" ? "Nm" : "", kind: name === "swing" ? "force" : "cylinder", lower: -most, upper: most, initial: 0, maxAgeS: kMaxAge_s, whenStale: name === "swing" ? "ramp" : "zero", joint: name === "swing" ? "swing" : `${name}_cylinder` };
});

class Refused extends Error {
  constructor(code, message, field = "") {
    super(message);
    this.error = { code: `ERROR_CODE_${code}`, message, field };
  }
}

export class Plant {
  step = 0;
  state = "PLANT_STATE_RUNNING";
  machine = new Excavator();
  times = new Times();
  policies = kNames.map(() => ({ value: 0, age_s: 0, commanded: false, safe: false, stopped: false }));
  leases = new Map(); // by number: {owner, actuators, holder, until_s, time_s, sequence}
  faults = new Map();
  snapshots = new Map();
  parameters = new Map([["boom", "5.7 m"], ["arm", "2.9 m"], ["bucket", "1.5 m"], ["boom_mass", "1750 kg"], ["arm_mass", "900 kg"], ["bucket_mass", "950 kg"], ["load_mass", "400 kg"], ["stop_stiffness", "100 MN/m"], ["lock_time", "10 ms"]]);
  recording = "";
  events = [];
  counters = { accepted: 0, refused: 0, madeSafe: 0 };
  nextLease = 1;
  samples = [];

  constructor(tell) {
    this.tell = tell;
    this.event("started", 0);
  }

  event(kind, value = 0, text = "") {
    const event = { sequence: this.events.length + 1, timeNs: Long.fromString(String(process.hrtime.bigint())), step: this.step, kind, value, text };
    this.events.push(event);
    this.tell({ event });
  }

  scene(role) {
    return {
      description: {
        version: 1, schemaHash: kSchemaHash, rig: "excavator", model: "excavator", program: "mock", mode: "MODE_REAL_TIME", dtS: kDt_s, frameRateHz: 250,
        actuators, sensors, parameters: this.parameterValues(), bodies: bodies.slice(1).map((body) => body.name), plantHash: 7, coordinates: kCoordinates,
        speeds: kCoordinates.map((name) => name.replace("q.", "u.")),
      },
      role, bodies, joints, lines, planes, centre: [2.9, 0, 2.1], sizeM: 10.5, gravity: [0, 0, -9.81],
      panel: {
        axes: [
          { actuator: "boom", label: "Boom", up: "raise", down: "lower", keyUp: "KeyW", keyDown: "KeyS", gamepadAxis: -4, lowest: -1, highest: 1 },
          { actuator: "arm", label: "Arm", up: "out", down: "in", keyUp: "KeyR", keyDown: "KeyF", gamepadAxis: -2, lowest: -1, highest: 1 },
          { actuator: "bucket", label: "Bucket", up: "dump", down: "curl", keyUp: "KeyE", keyDown: "KeyQ", gamepadAxis: 3, lowest: -1, highest: 1 },
          { actuator: "swing", label: "Swing", up: "left", down: "right", keyUp: "KeyA", keyDown: "KeyD", gamepadAxis: -1, lowest: -65000, highest: 65000 },
        ],
        scenarios: [
          { name: "Boom valve sticks", notes: "The boom's valve stays where it is for five seconds.", requests: [{ note: { text: "boom valve sticks" } }, { injectFault: { signal: "boom", kind: "FAULT_KIND_STUCK", durationS: 5 } }] },
          { name: "Gust", notes: "2 kN sideways on the load for half a second.", requests: [{ applyForce: { body: "load", force: [0, 2000, 0], durationS: 0.5 } }] },
        ],
        cameras: [{ name: "Site", from: [9.5, -14, 6.2], to: [2.9, 0, 2.5], follows: "" }, { name: "Bucket", from: [9, -5, 2.5], to: [6.6, 0, 2], follows: "bucket" }],
        plots: [{ signals: ["sensor.boom_extension", "sensor.arm_extension", "sensor.bucket_extension"] }, { signals: ["command.boom", "command.arm", "command.bucket"] }, { signals: ["sensor.pump_pressure", "sensor.boom_pressure_a"] }],
      },
    };
  }

  get time_s() {
    return this.step * kDt_s;
  }

  get isFrozen() {
    return this.faulted;
  }

  loadMass() {
    return Number.parseFloat(this.parameters.get("load_mass")) || 400;
  }

  /** Goes on by so many steps, as the clock released them. */
  advance(steps, wall_s) {
    for (const [number, lease] of this.leases) {
      if (wall_s < lease.until_s) continue;
      this.leases.delete(number);
      this.event("lease_expired", lease.actuators.length, `the lease of "${lease.holder}" ran out`);
    }
    const n = Math.min(steps, 200);
    for (let left = n; left > 0; ) {
      const some = Math.min(4, left);
      left -= some;
      this.step += some;
      for (let i = 0; i < some; ++i) this.times.add(this.step - i, Math.random() < this.lateness);
      this.age(some * kDt_s);
      this.push(some * kDt_s);
      this.machine.step(some * kDt_s, this.commands(), this.loadMass());
      this.samples.push({ step: this.step, timeS: this.time_s, flags: this.flags(), values: this.values(), quality: Buffer.alloc(sensors.length) });
    }
    for (const [name, fault] of this.faults) if (fault.until !== 0 && this.step >= fault.until) this.faults.delete(name);
  }
  lateness = 0;

  age(dt_s) {
    let madeSafe = 0;
    this.policies.forEach((policy, i) => {
      policy.age_s += dt_s;
      if (policy.commanded && !policy.safe && policy.age_s > kMaxAge_s) {
        policy.safe = true;
        ++madeSafe;
      }
      if (!policy.safe) return;
      policy.value = i === 3 ? policy.value - Math.sign(policy.value) * Math.min(Math.abs(policy.value), 130000 * dt_s) : 0;
    });
    this.counters.madeSafe += madeSafe;
    const stale = this.policies.some((policy) => policy.safe);
    if (stale !== this.wasStale) this.event(stale ? "stale" : "fresh", this.counters.madeSafe);
    this.wasStale = stale;
  }
  wasStale = false;

  push(dt_s) {
    if (!this.force || this.step >= this.force.until) return void (this.force = null);
    if (this.force.body === "load") this.machine.kick = this.force.force;
    else this.machine.rates.swing += (dt_s * this.force.force[1]) / 20000;
  }

  commands() {
    return this.policies.map((policy, i) => (this.faults.get(kNames[i])?.kind === "off" ? 0 : policy.value));
  }

  /** Bit i: that is so of actuator i. */
  bits(what) {
    return this.policies.reduce((bits, policy, i) => bits + (policy[what] ? 2 ** i : 0), 0);
  }

  flags() {
    return (this.policies.some((policy) => policy.safe) ? kStale : 0) | (this.faulted ? kFaulted | kFrozen : 0);
  }

  values() {
    const { q, u, strokes } = this.machine.look();
    const noise = (size) => size * (Math.random() + Math.random() + Math.random() - 1.5);
    const work = this.commands().slice(0, 3).reduce((sum, command) => sum + Math.abs(command), 0);
    const teeth = this.machine.worldPoint("bucket", [1.5, 0]);
    const true_ = [strokes.boom, strokes.arm, strokes.bucket, q[0], u[0] + noise(0.002), 1.3e7 + 4e6 * this.policies[0].value + noise(8e4), 2.4e7 + 3e6 * Math.min(1, work) + noise(1.5e5), teeth[2]];
    return true_.map((value, i) => {
      const fault = this.faults.get(sensors[i].name);
      if (!fault) return value;
      if (fault.kind === "off") return NaN;
      if (fault.kind === "stuck") return (fault.kept ??= value);
      if (fault.kind === "override") return fault.value;
      if (fault.kind === "bias") return value + fault.value;
      if (fault.kind === "noise") return value + noise(2 * fault.value);
      if (fault.kind === "wrong_sign") return -value;
      return value;
    });
  }

  view(withArrows) {
    const { poses, q, u } = this.machine.look();
    const samples = this.samples;
    const commands = this.commands();
    return { step: this.step, timeS: this.time_s, flags: this.flags(), commandAgeTicks: 0, poses, q, u, commands, samples, arrows: withArrows ? this.machine.arrows(commands, this.loadMass()) : [], tensions: [this.machine.tension], safe: this.bits("safe"), stopped: this.bits("stopped") };
  }

  status(wall_s) {
    return {
      state: this.state, step: this.step, timeS: this.time_s, overruns: this.times.overruns, commandsAccepted: this.counters.accepted,
      commandsRefused: this.counters.refused, actuatorsMadeSafe: this.counters.madeSafe, recording: this.recording,
      leases: [...this.leases.values()].map((lease) => ({ actuators: lease.actuators, holder: lease.holder, timeLeftS: Math.max(0, lease.until_s - wall_s) })),
      faults: [...this.faults].map(([signal, { kind }]) => ({ signal, kind })),
    };
  }

  parameterValues() {
    return [...this.parameters].map(([name, value]) => ({ name, value }));
  }

  /** An ActuatorFrame of one page; an answer where it is refused. */
  frame(frame, owner, wall_s) {
    const lease = this.leases.get(Number(frame.lease));
    const refuse = (code, message) => {
      ++this.counters.refused;
      return { sequence: frame.sequence, error: { code: `ERROR_CODE_${code}`, message } };
    };
    if (kSchemaHash.toString() !== frame.schemaHash) return refuse("SCHEMA", "the frame was made for another rig");
    if (!lease || lease.owner !== owner) return refuse("NO_LEASE", "the lease is over: acquire one");
    if (Number(frame.sequence) <= lease.sequence) return refuse("REPLAYED", "the sequence number was used before");
    lease.sequence = Number(frame.sequence);
    lease.until_s = wall_s + lease.time_s;
    lease.actuators.forEach((name, i) => {
      const k = kNames.indexOf(name);
      const policy = this.policies[k];
      const rearms = ((Number(frame.rearm) >> i) & 1) === 1;
      const value = frame.value[i];
      if (policy.stopped || (policy.safe && !rearms) || !(Math.abs(value) <= actuators[k].upper)) return;
      Object.assign(policy, { value, age_s: 0, commanded: true, safe: false });
    });
    ++this.counters.accepted;
    return null;
  }

  releaseOwner(owner) {
    for (const [number, lease] of this.leases) {
      if (lease.owner !== owner) continue;
      this.leases.delete(number);
      this.event("released", lease.actuators.length, `"${lease.holder}" gave back ${lease.actuators.join(", ")}`);
    }
  }

  /** A ControlRequest: the answer, as the oneof of ControlReply. */
  control(request, owner, role, wall_s) {
    const verb = request.verb;
    const body = request[verb];
    const rank = ["observer", "operator", "admin"].indexOf(role);
    try {
      if ((kAdmin.includes(verb) && rank < 2) || (kOperator.includes(verb) && rank < 1)) throw new Refused("FORBIDDEN", `the role ${role} does not permit ${verb}`);
      const done = this[`do_${verb}`]?.(body, owner, wall_s);
      if (done === undefined) throw new Refused("INVALID", `the mock does not know ${verb}`);
      return done;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { error: error.error };
    }
  }

  do_acquire({ actuators: names, timeS, holder }, owner, wall_s) {
    const wanted = names.length > 0 ? names : kNames;
    for (const lease of this.leases.values()) {
      const taken = lease.actuators.filter((name) => wanted.includes(name));
      if (taken.length > 0) throw new Refused("LEASED", `${taken.join(", ")}: held by "${lease.holder}"`);
    }
    const lease = this.nextLease++;
    this.leases.set(lease, { owner, actuators: [...wanted], holder, time_s: timeS || 1, until_s: wall_s + (timeS || 1), sequence: 0 });
    this.event("leased", wanted.length, `"${holder}" commands ${wanted.join(", ")}`);
    return { acquired: { lease, actuators: wanted, timeS } };
  }
  do_release({ lease }) {
    const known = this.leases.get(Number(lease));
    if (!known) throw new Refused("NO_LEASE", "there is no such lease");
    this.leases.delete(Number(lease));
    this.event("released", known.actuators.length, `"${known.holder}" gave back ${known.actuators.join(", ")}`);
    return { done: {} };
  }
  do_start() {
    throw new Refused("NOT_NOW", "the plant runs already");
  }
  do_pause() {
    if (this.state !== "PLANT_STATE_RUNNING") throw new Refused("NOT_NOW", "the plant is not running");
    this.state = "PLANT_STATE_PAUSED";
    this.event("paused");
    return { done: {} };
  }
  do_resume() {
    if (this.state !== "PLANT_STATE_PAUSED") throw new Refused("NOT_NOW", "the plant is not paused");
    this.state = "PLANT_STATE_RUNNING";
    this.event("resumed");
    return { done: {} };
  }
  do_step({ steps }, _, wall_s) {
    if (this.state !== "PLANT_STATE_PAUSED") throw new Refused("NOT_NOW", "pause first");
    for (let left = Number(steps); left > 0; left -= 200) this.advance(Math.min(200, left), wall_s);
    return { done: {} };
  }
  do_reset() {
    this.machine = new Excavator();
    this.faulted = false;
    this.step = 0;
    this.event("reset");
    return { done: {} };
  }
  do_getParameters() {
    return { parameters: { values: this.parameterValues() } };
  }
  do_setParameters({ values }) {
    values.forEach(({ name, value }, i) => {
      if (!this.parameters.has(name)) throw new Refused("UNKNOWN_NAME", `there is no parameter '${name}'`, `values[${i}].name`);
      if (!/^-?\d+(\.\d+)?(e-?\d+)?\s*(m|mm|kg|t|ms|s|MN\/m|N\/m)?$/.test(value)) throw new Refused("INVALID", `'${value}': unknown unit or no number; did you mean '1 kg'?`, `values[${i}].value`);
    });
    for (const { name, value } of values) this.parameters.set(name, value);
    this.event("parameters");
    return { done: {} };
  }
  do_snapshot() {
    return { snapshot: { version: 1, step: this.step, timeS: this.time_s } };
  }
  do_injectFault({ signal, kind, value, durationS }) {
    this.needSignal(signal);
    const until = durationS > 0 ? this.step + Math.round(durationS / kDt_s) : 0;
    this.faults.set(signal, { kind: String(kind).replace("FAULT_KIND_", "").toLowerCase(), value, until });
    this.event("fault", 0, `${signal}: ${this.faults.get(signal).kind}`);
    return { fault: { untilStep: until } };
  }
  do_clearFaults({ signal }) {
    if (signal) this.faults.delete(signal);
    else this.faults.clear();
    this.event("changed");
    return { done: {} };
  }
  do_override({ signal, value, off, durationS }) {
    this.needSignal(signal);
    if (off) this.faults.delete(signal);
    else this.faults.set(signal, { kind: "override", value, until: durationS > 0 ? this.step + Math.round(durationS / kDt_s) : 0 });
    this.event("changed");
    return { done: {} };
  }
  needSignal(name) {
    if (![...sensors, ...actuators].some((known) => known.name === name)) throw new Refused("UNKNOWN_NAME", `there is no signal '${name}'`, "signal");
  }
  do_applyForce({ body, force, durationS }) {
    if (!bodies.some((known) => known.name === body)) throw new Refused("UNKNOWN_NAME", `there is no body '${body}'`, "body");
    if (Math.hypot(...force) === 0) throw new Refused("INVALID", "a force of nothing does nothing", "force");
    this.force = { body, force, until: this.step + Math.max(4, Math.round(durationS / kDt_s)) };
    this.event("changed");
    return { done: {} };
  }
  do_rearm({ actuators: names }) {
    let mask = 0;
    this.policies.forEach((policy, i) => {
      if (names.length > 0 && !names.includes(kNames[i])) return;
      mask |= 1 << i;
      Object.assign(policy, { safe: false, stopped: false, age_s: 0, commanded: false });
    });
    this.event("rearmed", mask);
    return { done: {} };
  }
  do_emergencyStop() {
    for (const policy of this.policies) Object.assign(policy, { safe: true, stopped: true });
    this.event("made_safe");
    return { done: {} };
  }
  do_record({ stop, name }) {
    const file = stop ? this.recording : `${name || "record-1"}.mcap`;
    if (stop && !this.recording) throw new Refused("NOT_NOW", "nothing is recorded");
    this.recording = stop ? "" : file;
    this.event("recording", 0, stop ? `${file} ended` : `recording to ${file}`);
    return { record: { file, steps: this.step, dropped: 0 } };
  }
  do_note({ text }) {
    this.event("note", 0, text);
    if (text === "mock: fault") this.faulted = true; // so that tests can see what a failed step looks like
    if (text === "mock: late") this.lateness = 0.002;
    return { done: {} };
  }
  do_shutdown() {
    this.state = "PLANT_STATE_ENDED";
    this.event("ended");
    return { done: {} };
  }

  snapshotWish({ action, name }, role) {
    if (!name || name.length > 64) return { error: { code: "ERROR_CODE_INVALID", message: "a name has 1 to 64 characters", field: "name" } };
    if (action === "ACTION_SAVE") {
      this.snapshots.set(name, { step: this.step, kept: this.machine.keep() });
      return { done: {} };
    }
    const known = this.snapshots.get(name);
    if (!known) return { error: { code: "ERROR_CODE_UNKNOWN_NAME", message: `there is no snapshot '${name}'`, field: "name" } };
    if (action === "ACTION_FORGET") this.snapshots.delete(name);
    else if (role !== "admin") return { error: { code: "ERROR_CODE_FORBIDDEN", message: "restore needs the role admin" } };
    else {
      this.machine.restore(known.kept);
      this.step = known.step;
      this.event("restored", known.step);
    }
    return { done: {} };
  }

  snapshotList() {
    return { snapshots: [...this.snapshots].map(([name, { step }]) => ({ name, step, timeS: step * kDt_s })) };
  }
}
