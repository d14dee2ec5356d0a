// The page's arithmetic, without a page.
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { foldsOf, sentenceOfFold } from "../src/app/event_folds";
import { isForTrainees, sentenceOf } from "../src/app/event_text";
import { age, count, duration, number, plantTime, quantity, rate, sentence, tickText } from "../src/app/format";
import { refusal } from "../src/app/roles";
import { StopLatch } from "../src/app/safety";
import { agelessWarning } from "../src/drive/ageless";
import { StopCommand } from "../src/app/stop_command";
import { afterDeadZone, axesOf, commandAt, deflectionAt, OperatorInput, type Axis } from "../src/drive/axes";
import { ControlRequestSchema } from "../src/generated/kinloop/v1/control_pb";
import { Mode } from "../src/generated/kinloop/v1/describe_pb";
import { EnergyAccountSchema, EventSchema, HistogramSchema, TimingSchema } from "../src/generated/kinloop/v1/event_pb";
import { SceneSchema } from "../src/generated/kinloop/v1/panel_pb";
import { Role, Timeout } from "../src/generated/kinloop/v1/verb_pb";
import { Backoff } from "../src/net/backoff";
import { stopAddress } from "../src/net/stop_path";
import { propertiesOf, type Verb } from "../src/net/verbs";
import { decode, encode } from "../src/net/wire";
import { csvOf } from "../src/plots/csv";
import { namesOf } from "../src/plots/history";
import { Ring } from "../src/plots/ring";
import { gridOf, gridTimes, thinOut } from "../src/plots/thin_out";
import { verdictOf } from "../src/timing/deadlines";
import { entriesOf, sourceOf } from "../src/timing/energy_section";
import { logBins, quantile, since } from "../src/timing/histograms";
import { tunable } from "../src/instructor/tunable";
import { arrowShare } from "../src/view/arrow_scale";
import { ropePoints } from "../src/view/curves";
import { blend, Interpolator } from "../src/view/interpolator";
import { firstView, isLocked, presetNamed } from "../src/view/locked_view";

const nb = "\u202f";

describe("the account of energy", () => {
  it("lists what is stored and done, and losses only where there are some", () => {
    const account = create(EnergyAccountSchema, { kinetic: 3, lostInFriction: 2, workOfActuators: 5 });
    expect(entriesOf(account).map(([label]) => label)).toEqual([
      "Kinetic", "Potential", "Elastic", "Lost in friction", "Work of actuators", "Integrator",
    ]);
  });
  it("names what creates energy, where that is worth a word", () => {
    const account = create(EnergyAccountSchema, { createdBy: "the projection", created: 2, exchanged: 100 });
    expect(sourceOf(account)).toEqual({ tone: "warn", text: `The projection created 2.00${nb}J, 2.0 % of what is exchanged.` });
    account.created = 0.5;
    expect(sourceOf(account).tone).toBe("good");
  });
});

describe("numbers", () => {
  it("have few digits and a true minus sign", () => {
    expect(number(-1.23456)).toBe("\u22121.235");
    expect(number(0.00001234)).toBe("1.23e\u22125");
    expect(number(NaN)).toBe("–");
    expect(number(-0.00000001e-9).includes("e")).toBe(true);
  });
  it("carry units, with a prefix where that is shorter", () => {
    expect(quantity(24.06e6, "Pa")).toBe(`24.06${nb}MPa`);
    expect(quantity(12000, "rad")).toBe(`12000${nb}rad`);
    expect(rate(1000)).toBe(`1${nb}kHz`);
    expect(rate(250)).toBe(`250${nb}Hz`);
    expect(duration(12345)).toBe(`12.3${nb}µs`);
    expect(tickText(20e6, "Pa")).toBe(`20${nb}MPa`);
    expect(tickText(0.25, "rad")).toBe(`0.25${nb}rad`);
    expect(tickText(-1500, "m")).toBe(`\u22121500${nb}m`);
    expect(tickText(0, "Pa")).toBe("0");
    expect(count(1234567n)).toBe(`1${nb}234${nb}567`);
    expect(age(0.44)).toBe(`0.4${nb}s`);
  });
  it("of time grow into minutes and hours", () => {
    expect(plantTime(12.3456)).toBe(`12.346${nb}s`);
    expect(plantTime(187.25)).toBe("3:07.250");
    expect(plantTime(3727.3)).toBe("1:02:07.3");
  });
  it("in words end with a full stop", () => expect(sentence("the lease is over")).toBe("The lease is over."));
});

describe("roles", () => {
  it("explain what they do not permit, and let everybody stop the machine", () => {
    expect(refusal("observer", "emergencyStop")).toBe("");
    expect(refusal("observer", "acquire")).toContain("operator");
    expect(refusal("operator", "injectFault")).toContain("admin");
    expect(refusal("admin", "shutdown")).toBe("");
  });
  it("of operators run the plant, and leave what was kept and what disturbs it to the instructor", () => {
    for (const verb of ["start", "pause", "resume", "step", "reset", "rearm", "record", "note"] as const) {
      expect(refusal("operator", verb), verb).toBe("");
      expect(refusal("observer", verb), verb).toContain("operator");
    }
    for (const verb of ["restore", "setParameters", "injectFault", "override", "applyForce", "shutdown"] as const) {
      expect(refusal("operator", verb), verb).toContain("admin");
    }
  });
});

describe("verbs", () => {
  it("each say in the schema who may ask for them and how long they take", () => {
    const verbs = ControlRequestSchema.oneofs.find((oneof) => oneof.name === "verb")?.fields ?? [];
    expect(verbs.length).toBeGreaterThan(20);
    for (const { localName } of verbs) {
      expect(propertiesOf(localName as Verb).role, localName).not.toBe(Role.UNSPECIFIED);
      expect(propertiesOf(localName as Verb).timeout, localName).not.toBe(Timeout.UNSPECIFIED);
    }
    expect(propertiesOf("setParameters").timeout).toBe(Timeout.LONG);
    expect(propertiesOf("pause").timeout).toBe(Timeout.SHORT);
  });
});

describe("the emergency stop's latch", () => {
  it("is what the plant tells, actuator by actuator", () => {
    const latch = new StopLatch();
    expect(latch.latched).toBe(false);
    latch.take({ safe: 0b110n, stopped: 0b100n });
    expect(latch.latched).toBe(true);
    expect([0, 1, 2].map((i) => latch.isStopped(i))).toEqual([false, false, true]);
    expect([0, 1, 2].map((i) => latch.isSafe(i))).toEqual([false, true, true]);
    latch.take({ safe: 0b010n, stopped: 0n });
    expect(latch.latched).toBe(false);
  });
});

const axis = (more: Partial<Axis> = {}): Axis => ({
  actuator: "m", index: 0, label: "M", up: "", down: "", unit: "N", keyUp: "KeyW", keyDown: "KeyS", gamepadAxis: -2, lowest: -10, highest: 30, rest: 10, holds: false, ...more,
});

describe("axes", () => {
  it("reach both ends from where they rest", () => {
    expect([-1, -0.5, 0, 0.5, 2].map((d) => commandAt(axis(), d))).toEqual([-10, 0, 10, 20, 30]);
    expect(deflectionAt(axis(), 0)).toBe(-0.5);
  });
  it("come from all actuators where the rig names none", () => {
    const scene = create(SceneSchema, { description: { actuators: [{ name: "a", lower: -5, upper: 5 }, { name: "b", lower: -Infinity, upper: Infinity }] } });
    expect(axesOf(scene).map(({ lowest, highest }) => [lowest, highest])).toEqual([[-5, 5], [-1, 1]]);
  });
  it("have a dead zone without a jump", () => {
    expect(afterDeadZone(0.1)).toBe(0);
    expect(afterDeadZone(0.13)).toBeLessThan(0.02);
    expect(afterDeadZone(-1)).toBe(-1);
  });
});

describe("the operator's input", () => {
  it("ramps keys up and lets go at once", () => {
    const input = new OperatorInput([axis()]);
    input.press("KeyW");
    input.step(0.1);
    expect(input.deflections[0]).toBeCloseTo(0.4);
    input.step(1);
    expect(input.deflections[0]).toBe(1);
    input.lift("KeyW");
    input.step(0.01);
    expect(input.deflections[0]).toBe(0);
  });
  it("turns a stick round where the axis says so", () => {
    const input = new OperatorInput([axis()]);
    input.stick([0, 1]);
    input.step(0.03);
    expect(input.deflections[0]).toBe(-1);
  });
  it("does not pass on what was held before, until it was let go", () => {
    const input = new OperatorInput([axis()]);
    input.stick([0, -1]);
    input.lock();
    input.step(0.03);
    expect(input.deflections[0]).toBe(0);
    input.stick([0, 0]);
    input.step(0.03);
    input.stick([0, -1]);
    input.step(0.03);
    expect(input.deflections[0]).toBe(1);
  });
  it("keeps what holds until everything is released", () => {
    const input = new OperatorInput([axis({ holds: true })]);
    input.slide(0, 0.5);
    input.step(0.1);
    input.slide(0, null);
    input.step(0.1);
    expect(input.deflections[0]).toBe(0.5);
    input.release();
    input.step(0.1);
    expect(input.deflections[0]).toBe(0);
  });
});

describe("the interpolator", () => {
  const pose = (x: number) => [x, 0, 0, 1, 0, 0, 0];
  it("plays evenly what arrives unevenly", () => {
    const jitter = [0, 0.004, 0.013, 0.002, 0.009, 0, 0.011, 0.005];
    const player = new Interpolator(0.06);
    const seen: number[] = [];
    for (let i = 0; i < 200; ++i) {
      const t = i / 60;
      player.add({ time_s: t, poses: pose(t) }, 5 + t + (jitter[i % jitter.length] ?? 0));
      const played = player.play(5 + t + 0.015);
      if (played && i > 120) seen.push(t + 0.015 - 0.06 - played.time_s);
    }
    // Once the least delay is known, the picture is late by the delay and by nothing else.
    expect(Math.max(...seen.map(Math.abs))).toBeLessThan(1e-3);
  });
  it("starts over after a pause and when time goes back", () => {
    const player = new Interpolator(0.05);
    player.add({ time_s: 1, poses: pose(1) }, 1);
    player.add({ time_s: 1.02, poses: pose(1.02) }, 6); // five seconds of pause
    player.add({ time_s: 1.04, poses: pose(1.04) }, 6.02);
    expect(player.play(6.06)?.time_s).toBeCloseTo(1.03, 2);
    player.add({ time_s: 0, poses: pose(0) }, 6.1);
    expect(player.play(7)?.poses[0]).toBe(0);
    expect(player.play(7)?.settled).toBe(true);
  });
  it("is settled when views say the same again and again", () => {
    const player = new Interpolator(0.05);
    for (let i = 0; i < 9; ++i) player.add({ time_s: 1, poses: pose(1) }, i / 60);
    expect(player.play(0.12)?.settled).toBe(true);
    player.add({ time_s: 1.01, poses: pose(2) }, 0.2);
    expect(player.play(0.15)?.settled).toBe(false);
  });
  it("turns the short way round", () => {
    const out = new Float32Array(7);
    blend([0, 0, 0, 1, 0, 0, 0], [2, 0, 0, -1, 0, 0, 0], 0.5, out);
    expect(out[0]).toBe(1);
    expect(Math.abs(out[3] ?? 0)).toBeCloseTo(1);
  });
});

describe("courses", () => {
  it("are bounded, and forget when time goes back", () => {
    const ring = new Ring(1, 4);
    for (let i = 0; i < 10; ++i) ring.push(i, [i * i]);
    expect(ring.length).toBe(4);
    expect(ring.value(0, 0)).toBe(36);
    expect(ring.find(7.5)).toBe(2);
    ring.push(1, [1]);
    expect(ring.length).toBe(1);
  });
  it("keep every peak when they are thinned out", () => {
    const ring = new Ring(1, 1000);
    for (let i = 0; i < 1000; ++i) ring.push(i * 0.01, [i === 500 ? 99 : 0]);
    const grid = gridOf(0, 10, 20);
    const values = thinOut(ring, 0, grid);
    expect(values.length).toBe(gridTimes(grid).length);
    expect(Math.max(...values.map((value) => value ?? 0))).toBe(99);
    expect(values.length).toBeLessThan(50);
  });
  it("become rows of text, each ring at its own times", () => {
    const a = new Ring(1, 8);
    const b = new Ring(1, 8);
    a.push(0, [1]);
    a.push(0.5, [2]);
    b.push(0.25, [NaN]);
    const signals = [{ name: "sensor.a", unit: "m", ring: a, column: 0 }, { name: "q.b", unit: "", ring: b, column: 0 }];
    expect(csvOf(signals, 0, 1)).toBe("time_s,sensor.a [m],q.b\n0.000000,1,\n0.250000,,nan\n0.500000,2,\n");
  });
  it("are named after what they are", () => {
    const scene = create(SceneSchema, {
      description: { sensors: [{ name: "s", unit: "Pa" }], actuators: [{ name: "a", unit: "N" }], coordinates: ["q.cyl"], speeds: ["u.cyl"] },
      joints: [{ name: "cyl", type: "prismatic" }],
    });
    expect(namesOf(scene).map(({ name, unit }) => `${name} ${unit}`)).toEqual(["sensor.s Pa", "command.a N", "q.cyl m", "u.cyl m/s"]);
  });
});

describe("times", () => {
  const histogram = (pairs: [bigint, bigint][]) => create(HistogramSchema, { atMostNs: pairs.map(([edge]) => edge), count: pairs.map(([, n]) => n) });
  it("are differences bin by bin", () => {
    const fine = since(histogram([[100n, 5n], [200n, 7n]]), histogram([[100n, 5n], [200n, 3n]]));
    expect(fine).toEqual([{ atMost_ns: 200, count: 4 }]);
    expect(quantile([{ atMost_ns: 10, count: 99 }, { atMost_ns: 50, count: 1 }], 0.99)).toBe(10);
    expect(logBins([{ atMost_ns: 1000, count: 2 }, { atMost_ns: 990, count: 1 }])).toEqual([{ end: 36, count: 3 }]);
  });
  it("are judged in plain words", () => {
    const good = create(TimingSchema, { steps: 1000n, periodNs: 1_000_000n, slackNs: { min: 700_000n } });
    expect(verdictOf(good, Mode.REAL_TIME).long).toContain("keeps its deadlines");
    expect(verdictOf(good, Mode.REAL_TIME).tone).toBe("good");
    const late = create(TimingSchema, { steps: 1000n, periodNs: 1_000_000n, overruns: 1n, worst: [{ executionNs: 1_500_000n }] });
    expect(verdictOf(late, Mode.REAL_TIME).long).toContain("missed a deadline");
    expect(verdictOf(good, Mode.LOCKSTEP).tone).toBe("none");
  });
});

describe("small things", () => {
  it("wait longer after each failure, up to a bound", () => {
    const backoff = new Backoff(100, 1000, () => 1);
    expect([1, 2, 3, 4, 5].map(() => backoff.next_ms())).toEqual([100, 200, 400, 800, 1000]);
    backoff.reset();
    expect(backoff.next_ms()).toBe(100);
  });
  it("draw ten times the force one notch longer", () => {
    expect(arrowShare(1e4) - arrowShare(1e3)).toBeCloseTo(arrowShare(1e3) - arrowShare(1e2));
    expect(arrowShare(0)).toBe(0);
  });
  it("hang slack ropes as long as they are, taut ones straight", () => {
    const out = new Float32Array(75);
    const lengthOf = (): number => {
      let sum = 0;
      for (let i = 3; i < 75; i += 3) sum += Math.hypot(...[0, 1, 2].map((k) => (out[i + k] ?? 0) - (out[i - 3 + k] ?? 0)));
      return sum;
    };
    const down = [0, 0, -1];
    for (const [b, length] of [[[1, 0, 1], 1.2], [[0.4, 0.3, 2.5], 3], [[0, 0, -1], 2.4], [[1e-9, 0, 1], 4], [[1, 0, 1], 1.0001], [[3, 1, 0], 90]] as const) {
      ropePoints([0, 0, 1], [...b], length, down, out);
      expect(lengthOf() / length).toBeCloseTo(1, 1.5);
      for (let k = 0; k < 3; ++k) expect(out[72 + k]).toBeCloseTo(b[k] ?? 0, 3);
      expect([...out].every(Number.isFinite)).toBe(true);
    }
    ropePoints([0, 0, 1], [1, 0, 1], 1.2, down, out);
    expect(out[3 * 12 + 2]).toBeLessThan(0.75);
    ropePoints([0, 0, 1], [1, 0, 2], 1.4, down, out);
    expect(out[3 * 12 + 2]).toBeCloseTo(1.5, 5);
  });
  it("say what an event of the plant means", () => expect(sentenceOf(create(EventSchema, { kind: "overrun", value: 12_000n }))).toContain("12.0"));
  it("keep all bits of a hash on the wire", () => {
    const bytes = encode({ case: "frame", value: { schemaHash: 0xc000000000000001n, lease: 1n, sequence: 2n, value: [0.5] } });
    expect(bytes.length).toBeGreaterThan(20);
    expect(() => decode(new Uint8Array([255, 255]).buffer)).toThrow();
  });
});

describe("commands that never grow old", () => {
  it("are warned of by the name of their actuator", () => {
    expect(agelessWarning([{ name: "belt", maxAgeS: 0.2 }])).toBe("");
    expect(agelessWarning([{ name: "belt", maxAgeS: 0.2 }, { name: "hand", maxAgeS: 0 }])).toContain("Commands of hand never grow old");
  });
});

describe("the emergency stop", () => {
  /** Timers that go off when they are told to. */
  class Timers {
    private pending: (() => void)[] = [];
    setTimeout = ((run: () => void) => this.pending.push(run)) as typeof window.setTimeout;
    clearTimeout = (() => (this.pending = [])) as typeof window.clearTimeout;
    get waits(): boolean {
      return this.pending.length > 0;
    }
    async next(): Promise<void> {
      const [run] = this.pending.splice(0, 1);
      run?.();
      await Promise.resolve();
      await Promise.resolve();
    }
  }
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

  it("is asked over every way, again and again, until one confirms it", async () => {
    const timers = new Timers();
    let asked = 0;
    let isUp = false;
    const dead = (): Promise<string> => new Promise(() => undefined); // never answers
    const other = (): Promise<string> => (++asked, isUp ? Promise.resolve("latched in tick 7") : Promise.reject(new Error("no")));
    const stop = new StopCommand([dead, other], timers);
    stop.press();
    await settled();
    for (let i = 0; i < 100; ++i) await timers.next();
    expect(asked).toBe(101);
    expect(stop.state).toBe("asked");
    isUp = true;
    await timers.next();
    await settled();
    expect(stop.state).toBe("confirmed");
    expect(stop.confirmation).toBe("latched in tick 7");
    expect(timers.waits).toBe(false);
  });
  it("is confirmed by a frame, and sent again by every press", async () => {
    const timers = new Timers();
    let asked = 0;
    const stop = new StopCommand([() => (++asked, Promise.reject(new Error("no")))], timers);
    stop.seen();
    expect(stop.state).toBe("none");
    stop.press();
    stop.press();
    expect(asked).toBe(2);
    stop.seen();
    expect(stop.state).toBe("confirmed");
    stop.press();
    expect(asked).toBe(3);
    expect(stop.state).toBe("asked");
    stop.seen();
    stop.lifted();
    expect(stop.state).toBe("none");
  });
  it("finds the supervisor at the page's own host", () => {
    const endpoints = [
      { socket: "stop", address: "unix:///run/stop" },
      { socket: "stop", address: "http://0.0.0.0:8081" },
      { socket: "panel", address: "http://0.0.0.0:8080" },
    ];
    expect(stopAddress(endpoints, { protocol: "http:", hostname: "plant" })).toBe("http://plant:8081/stop");
    expect(stopAddress([], { protocol: "http:", hostname: "plant" })).toBe("");
  });
});

describe("the log", () => {
  const event = (kind: string, value = 0n) => create(EventSchema, { kind, value });
  it("counts late steps that follow each other in one line", () => {
    const folds = foldsOf([event("started"), event("overrun", 1_000_000n), event("overrun", 3_000_000n), event("overrun", 2_000_000n), event("stale"), event("stale"), event("overrun", 5n)]);
    expect(folds.map(({ times }) => times)).toEqual([1, 3, 1, 1, 1]);
    expect(folds[1] && sentenceOfFold(folds[1])).toBe(`3 steps ended too late, by 3.00${nb}ms at most.`);
    expect(folds[4] && sentenceOfFold(folds[4])).toBe(`A step ended 5.00${nb}ns too late.`);
  });
  it("keeps from trainees what the instructor prepares", () => {
    expect(["fault", "note", "parameters"].some(isForTrainees)).toBe(false);
    expect(["made_safe", "overrun", "plant_died", "paused"].every(isForTrainees)).toBe(true);
  });
});

describe("parameters", () => {
  it("that follow from others are not offered", () => {
    const values = [{ name: "mass", value: "2 kg" }, { name: "weight", value: "mass * 9.81" }];
    expect(tunable({ values, derived: ["weight"] })).toEqual([values[0]]);
  });
});

describe("a window of one camera", () => {
  const presets = [{ id: "rig-0", label: "Yard" }, { id: "rig-1", label: "Cab" }, { id: "iso", label: "Iso" }];
  it("is asked for by the address", () => {
    expect(isLocked("?view=cab&locked")).toBe(true);
    expect(isLocked("?view=cab")).toBe(false);
    expect(firstView("?view=cab")).toBe("cab");
  });
  it("knows cameras by the rig's names and the usual ids", () => {
    expect(presetNamed(presets, "cab")?.id).toBe("rig-1");
    expect(presetNamed(presets, "iso")?.id).toBe("iso");
    expect(presetNamed(presets, "moon")).toBeUndefined();
  });
});
