// A machine to look at: the linkage of configs/models/excavator.yaml, solved by its triangles, moved by commands with a
// lag. No dynamics but those of a load on a rope.
const kFoot = [0.15, 0.85], kBoomCyl = [0.36, -0.71], kBoomEye = [2.4, 0.78], kBoom = 5.7, kArm = 2.9;
const kArmCyl = [2.95, 0.95], kArmEye = [-0.77, 0.467], kTip = [2.48, 0.02], kBucketCyl = [0.42, 0.72];
const kLever = 0.45, kLeverAngle = (92 * Math.PI) / 180, kTipLink = 0.68, kHLink = 0.6, kSwingHeight = 1.05;
const kRope = 2.2;
const yellow = [0.95, 0.7, 0.1], dark = [0.25, 0.25, 0.28], steel = [0.8, 0.8, 0.82], grey = [0.35, 0.35, 0.35];

const deg = Math.PI / 180;
const rot = ([x, z], a) => [x * Math.cos(a) - z * Math.sin(a), x * Math.sin(a) + z * Math.cos(a)];
const add = (a, b) => [a[0] + b[0], a[1] + b[1]];
const angle = (from, to) => Math.atan2(to[1] - from[1], to[0] - from[0]);
const length = (from, to) => Math.hypot(to[0] - from[0], to[1] - from[1]);

/** A quaternion that turns about -y by a, then about z by s. */
function quaternion(a, s) {
  const [cy, sy, cz, sz] = [Math.cos(-a / 2), Math.sin(-a / 2), Math.cos(s / 2), Math.sin(s / 2)];
  return [cz * cy, -sz * sy, cz * sy, sz * cy];
}

function box(size, p, colour, pitch = 0) {
  return { kind: "KIND_BOX", size, pose: [...p, Math.cos(pitch / 2), 0, Math.sin(pitch / 2), 0], colour };
}

/** Along from - to, by the shortest turn of z. */
function rod(kind, radius, from, to, colour) {
  const d = to.map((value, i) => value - from[i]);
  const l = Math.hypot(...d);
  const [x, y, z] = d.map((value) => value / l);
  const w = Math.sqrt((1 + z) / 2) || 1e-9;
  return { kind, size: [radius, l], pose: [...from.map((value, i) => (value + to[i]) / 2), w, -y / (2 * w), x / (2 * w), 0], colour };
}
const capsule = (...all) => rod("KIND_CAPSULE", ...all);
const cylinder = (...all) => rod("KIND_CYLINDER", ...all);

export const bodies = [
  { name: "ground", shapes: [] },
  { name: "undercarriage", shapes: [box([4.1, 0.6, 0.9], [0, 1.15, 0.45], [0.2, 0.2, 0.2]), box([4.1, 0.6, 0.9], [0, -1.15, 0.45], [0.2, 0.2, 0.2]), box([1.6, 1.8, 0.5], [0, 0, 0.7], [0.3, 0.3, 0.3])] },
  { name: "upper", shapes: [box([3.4, 2.6, 1.0], [-0.95, 0, 0.7], yellow), box([0.7, 2.7, 1.1], [-2.4, 0, 0.8], dark), box([1.6, 0.95, 1.7], [0.5, 0.85, 1.1], [0.35, 0.4, 0.45])] },
  { name: "boom", shapes: [capsule(0.24, [0, 0, 0], [2.45, 0, 0.95], yellow), capsule(0.22, [2.45, 0, 0.95], [kBoom, 0, 0], yellow)] },
  { name: "arm", shapes: [capsule(0.18, [kArmEye[0], 0, kArmEye[1]], [0.3, 0, 0.25], yellow), capsule(0.2, [0, 0, 0], [kArm, 0, 0], yellow)] },
  { name: "bucket", shapes: [box([1.15, 1.2, 0.1], [0.85, 0, 0.45], [0.3, 0.3, 0.32], 20 * deg), box([0.1, 1.2, 0.6], [0.28, 0, 0.28], [0.3, 0.3, 0.32]), box([1.05, 0.05, 0.6], [0.8, 0.58, 0.2], [0.3, 0.3, 0.32]), box([1.05, 0.05, 0.6], [0.8, -0.58, 0.2], [0.3, 0.3, 0.32])] },
  { name: "tip_link", shapes: [capsule(0.05, [0, 0.25, 0], [kTipLink, 0.25, 0], grey), capsule(0.05, [0, -0.25, 0], [kTipLink, -0.25, 0], grey)] },
  { name: "h_link", shapes: [box([kHLink, 0.3, 0.12], [kHLink / 2, 0, 0], grey)] },
  { name: "boom_barrel", shapes: [cylinder(0.08, [0, 0.35, 0], [1.5, 0.35, 0], dark), cylinder(0.08, [0, -0.35, 0], [1.5, -0.35, 0], dark)] },
  { name: "boom_rod", shapes: [cylinder(0.04, [-1.6, 0.35, 0], [0, 0.35, 0], steel), cylinder(0.04, [-1.6, -0.35, 0], [0, -0.35, 0], steel)] },
  { name: "arm_barrel", shapes: [cylinder(0.09, [0, 0, 0], [1.8, 0, 0], dark)] },
  { name: "arm_rod", shapes: [cylinder(0.05, [-1.9, 0, 0], [0, 0, 0], steel)] },
  { name: "bucket_barrel", shapes: [cylinder(0.08, [0, 0, 0], [1.35, 0, 0], dark)] },
  { name: "bucket_rod", shapes: [cylinder(0.04, [-1.4, 0, 0], [0, 0, 0], steel)] },
  { name: "load", shapes: [{ kind: "KIND_SPHERE", size: [0.32], pose: [0, 0, 0, 1, 0, 0, 0], colour: [0.55, 0.58, 0.62], derived: true }] },
];
const bodyIndex = Object.fromEntries(bodies.map((body, i) => [body.name, i]));
const pin = (name, predecessor, successor, x, z, closesLoop = false) => ({
  name, type: "revolute", predecessor: bodyIndex[predecessor], successor: bodyIndex[successor], closesLoop, point: [x, 0, z], axis: [0, -1, 0],
});
const slide = (name, predecessor, successor, x) => ({
  name, type: "prismatic", predecessor: bodyIndex[predecessor], successor: bodyIndex[successor], closesLoop: false, point: [x, 0, 0], axis: [1, 0, 0],
});
export const joints = [
  { name: "tracks", type: "fixed", predecessor: 0, successor: 1, closesLoop: false, point: [0, 0, 0], axis: [] },
  { name: "swing", type: "revolute", predecessor: 1, successor: 2, closesLoop: false, point: [0, 0, kSwingHeight], axis: [0, 0, 1] },
  pin("boom", "upper", "boom", ...kFoot), pin("arm", "boom", "arm", kBoom, 0), pin("bucket", "arm", "bucket", kArm, 0),
  pin("tip_link", "arm", "tip_link", ...kTip), pin("h_link", "tip_link", "h_link", kTipLink, 0),
  pin("boom_trunnion", "upper", "boom_barrel", ...add(kFoot, kBoomCyl)), slide("boom_cylinder", "boom_barrel", "boom_rod", 1.9),
  pin("arm_trunnion", "boom", "arm_barrel", ...kArmCyl), slide("arm_cylinder", "arm_barrel", "arm_rod", 2.2),
  pin("bucket_trunnion", "arm", "bucket_barrel", ...kBucketCyl), slide("bucket_cylinder", "bucket_barrel", "bucket_rod", 1.68),
  pin("boom_eye", "boom", "boom_rod", ...kBoomEye, true), pin("arm_eye", "arm", "arm_rod", ...kArmEye, true),
  pin("bucket_eye", "tip_link", "bucket_rod", kTipLink, 0, true), pin("h_link_pin", "bucket", "h_link", kLever * Math.cos(kLeverAngle), kLever * Math.sin(kLeverAngle), true),
];
export const lines = [{ name: "sling", kind: "KIND_ROPE", bodyA: bodyIndex.bucket, bodyB: bodyIndex.load, pointA: [0.3, 0, 0.1], pointB: [0, 0, 0.3] }];
export const planes = [{ name: "site", point: [0, 0, 0], normal: [0, 0, 1], kind: "soil" }];
export const kCoordinates = ["q.swing", "q.boom", "q.arm", "q.bucket", "q.boom_cylinder", "q.arm_cylinder", "q.bucket_cylinder"];

const kLimits = { boom: [-45 * deg, 55 * deg], arm: [-135 * deg, -22 * deg], bucket: [-138 * deg, 28 * deg] };

export class Excavator {
  constructor() {
    this.angles = { swing: 0, boom: 35 * deg, arm: -85 * deg, bucket: -40 * deg };
    this.rates = { swing: 0, boom: 0, arm: 0, bucket: 0 };
    this.load = { x: 7.2, y: 0.35, z: 1.2, vx: 0, vy: 0, vz: 0 };
    this.tension = 1;
    this.kick = [0, 0, 0];
  }

  /** Commands as they are in force, in the order boom, arm, bucket, swing. */
  step(dt, [boom, arm, bucket, swing], loadMass) {
    const wanted = { boom: 0.4 * boom, arm: 0.7 * arm, bucket: 0.9 * bucket };
    for (const [name, rate] of Object.entries(wanted)) {
      this.rates[name] += Math.min(1, dt / 0.12) * (rate - this.rates[name]);
      const next = this.angles[name] + dt * this.rates[name];
      const [low, high] = kLimits[name];
      if (next <= low || next >= high) this.rates[name] = 0;
      this.angles[name] = Math.min(high, Math.max(low, next));
    }
    this.rates.swing += dt * (swing / 60000 - 0.9 * this.rates.swing - 0.25 * Math.sign(this.rates.swing) * Math.min(1, Math.abs(this.rates.swing) / 0.05));
    this.angles.swing += dt * this.rates.swing;
    this.swingLoad(dt, loadMass);
  }

  swingLoad(dt, mass) {
    const hook = this.worldPoint("bucket", [0.3, 0.1]);
    const l = this.load;
    const n = Math.max(1, Math.ceil(dt / 0.002));
    const h = dt / n;
    for (let i = 0; i < n; ++i) {
      const d = [l.x - hook[0], l.y - hook[1], l.z + 0.3 - hook[2]];
      const r = Math.hypot(...d);
      const e = d.map((value) => value / r);
      const along = e[0] * l.vx + e[1] * l.vy + e[2] * l.vz;
      const pull = r > kRope ? Math.max(0, 60000 * (r - kRope) + 2500 * along) : 0;
      const onGround = Math.max(0, 0.32 - l.z);
      const drag = onGround > 0 ? 4 : 0.12;
      l.vx += h * (-(pull / mass) * e[0] - drag * l.vx + this.kick[0] / mass);
      l.vy += h * (-(pull / mass) * e[1] - drag * l.vy + this.kick[1] / mass);
      l.vz += h * (-9.81 - (pull / mass) * e[2] - 0.12 * l.vz + this.kick[2] / mass + (onGround * 40000 - (onGround > 0 ? 900 * l.vz : 0)) / mass);
      l.x += h * l.vx;
      l.y += h * l.vy;
      l.z += h * l.vz;
      this.tension = pull;
    }
    this.kick = [0, 0, 0];
  }

  /** Every body's place in the plane of the boom, then turned by the swing. */
  place() {
    const { boom, arm, bucket } = this.angles;
    const at = {};
    at.boom = [kFoot, boom];
    const armAngle = boom + arm;
    const inBoom = (p) => add(kFoot, rot(p, boom));
    const armPin = inBoom([kBoom, 0]);
    at.arm = [armPin, armAngle];
    const inArm = (p) => add(armPin, rot(p, armAngle));
    at.bucket = [inArm([kArm, 0]), armAngle + bucket];
    const lever = add([kArm, 0], rot([kLever, 0], bucket + kLeverAngle));
    const diagonal = length(kTip, lever);
    const inside = Math.max(-1, Math.min(1, (kTipLink ** 2 + diagonal ** 2 - kHLink ** 2) / (2 * kTipLink * diagonal)));
    const tip = angle(kTip, lever) + Math.acos(inside);
    const knuckle = add(kTip, rot([kTipLink, 0], tip));
    at.tip_link = [inArm(kTip), armAngle + tip];
    at.h_link = [inArm(knuckle), armAngle + angle(knuckle, lever)];
    const cylinders = { boom: [add(kFoot, kBoomCyl), inBoom(kBoomEye), 1.9], arm: [inBoom(kArmCyl), inArm(kArmEye), 2.2], bucket: [inArm(kBucketCyl), inArm(knuckle), 1.68] };
    const strokes = {};
    for (const [name, [foot, eye, closed]] of Object.entries(cylinders)) {
      at[`${name}_barrel`] = [foot, angle(foot, eye)];
      at[`${name}_rod`] = [eye, angle(foot, eye)];
      strokes[name] = length(foot, eye) - closed;
    }
    return { at, strokes };
  }

  worldPoint(body, [x, z]) {
    const [p, a] = this.place().at[body];
    const [px, pz] = add(p, rot([x, z], a));
    const s = this.angles.swing;
    return [px * Math.cos(s), px * Math.sin(s), pz + kSwingHeight];
  }

  look() {
    const { at, strokes } = this.place();
    const s = this.angles.swing;
    const poses = [];
    for (const body of bodies.slice(1)) {
      if (body.name === "undercarriage") poses.push(0, 0, 0, 1, 0, 0, 0);
      else if (body.name === "upper") poses.push(0, 0, kSwingHeight, ...quaternion(0, s));
      else if (body.name === "load") poses.push(this.load.x, this.load.y, this.load.z, 1, 0, 0, 0);
      else {
        const [[x, z], a] = at[body.name];
        poses.push(x * Math.cos(s), x * Math.sin(s), z + kSwingHeight, ...quaternion(a, s));
      }
    }
    const { swing, boom, arm, bucket } = this.angles;
    const q = [swing, boom, arm, bucket, strokes.boom, strokes.arm, strokes.bucket];
    const u = [this.rates.swing, this.rates.boom, this.rates.arm, this.rates.bucket, 0, 0, 0];
    return { poses, q, u, strokes };
  }

  arrows(commands, mass) {
    const weight = mass * 9.81;
    const hook = this.worldPoint("bucket", [0.3, 0.1]);
    const d = [this.load.x - hook[0], this.load.y - hook[1], this.load.z + 0.3 - hook[2]];
    const r = Math.hypot(...d) || 1;
    const boomEye = this.worldPoint("boom", kBoomEye);
    const armEye = this.worldPoint("arm", kArmEye);
    const armPin = this.worldPoint("arm", [0, 0]);
    const foot = this.worldPoint("boom", [0, 0]);
    return [
      { kind: "KIND_ACTUATOR", of: 0, point: boomEye, force: [60000 + 30000 * commands[0], 0, 280000] },
      { kind: "KIND_ACTUATOR", of: 1, point: armEye, force: [-36000, 0, -12000 + 9000 * commands[1]] },
      { kind: "KIND_REACTION", of: 2, point: foot, force: [-52000, 0, -210000] },
      { kind: "KIND_REACTION", of: 3, point: armPin, force: [33000, 0, 26000 + weight] },
      { kind: "KIND_REACTION", of: 4, point: hook, force: d.map((value) => (this.tension * value) / r) },
      ...(this.load.z < 0.32 ? [{ kind: "KIND_CONTACT", of: 0, point: [this.load.x, this.load.y, 0], force: [0, 0, weight] }] : []),
    ];
  }

  keep() {
    return structuredClone({ angles: this.angles, rates: this.rates, load: this.load });
  }
  restore(kept) {
    Object.assign(this, structuredClone(kept));
  }
}
