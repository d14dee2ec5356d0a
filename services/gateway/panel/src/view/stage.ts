// The picture: makes it from the scene, keeps it up with the views, draws it only when something changed.
import {
  BasicShadowMap, DirectionalLight, Group, HemisphereLight, NeutralToneMapping, PCFSoftShadowMap, PerspectiveCamera, Raycaster,
  Scene as Picture, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Mode } from "../generated/kinloop/v1/describe_pb";
import type { Scene, View } from "../generated/kinloop/v1/panel_pb";
import { Arrows } from "./arrows";
import { Bodies } from "./bodies";
import { CameraFlight, type Preset, presetsOf } from "./cameras";
import { Ground } from "./ground";
import { Interpolator, sameNumbers } from "./interpolator";
import { Joints } from "./joints";
import { Lines } from "./lines";
import { Traces } from "./traces";

const kFieldOfView_deg = 38;
const kSlowFrame_ms = 34;
const kLeastQuality = 0.6;

export interface Shown {
  joints: boolean;
  loops: boolean;
  forces: boolean;
  shadows: boolean;
}

interface Content {
  root: Group;
  bodies: Bodies;
  joints: Joints;
  lines: Lines;
  arrows: Arrows;
  ground: Ground;
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  frames = 0;
  presets: Preset[] = [];
  traces = new Traces(0.01);
  /** In degrees about the world's z axis, for the compass. */
  onDrawn: () => void = () => {};
  private readonly renderer: WebGLRenderer;
  private readonly picture = new Picture();
  private readonly camera = new PerspectiveCamera(kFieldOfView_deg, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly flight: CameraFlight;
  private readonly sun = new DirectionalLight(0xffffff, 2.4);
  private readonly sky = new HemisphereLight(0xffffff, 0xa4a7ad, 1.25);
  private readonly interpolator = new Interpolator();
  private readonly raycaster = new Raycaster();
  private content: Content | null = null;
  private view: View | null = null;
  private shown: Shown = { joints: false, loops: true, forces: false, shadows: true };
  private follows = "";
  private dark = false;
  private pending = 0;
  private arrowsOf: View | null = null;
  private slowness_ms = 16;
  private quality = 1;
  private readonly isSoftware: boolean;
  private fence: WebGLSync | null = null;
  private fencedAt_ms = 0;
  private restUntil_ms = 0;
  private drawnQuality = 1;
  private sizeChanges = true;
  private sharpen = 0;

  constructor(private readonly holder: HTMLElement) {
    const isSoftware = (this.isSoftware = drawsInSoftware());
    this.renderer = new WebGLRenderer({ antialias: !isSoftware, alpha: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = isSoftware ? BasicShadowMap : PCFSoftShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.camera.up.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.02;
    this.picture.add(this.sun, this.sun.target, this.sky);
    this.sky.position.set(0, 0, 1);
    holder.append(this.canvas);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.16;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.invalidate());
    this.flight = new CameraFlight(this.camera, this.controls);
    new ResizeObserver(() => this.resize()).observe(holder);
    document.addEventListener("visibilitychange", () => this.invalidate());
    this.resize();
  }

  setScene(scene: Scene): void {
    const isFirst = this.content === null;
    const traced = this.content ? scene.bodies.filter((_, i) => this.traces.has(i)).map((body) => body.name) : [];
    this.removeContent();
    const root = new Group();
    // Pictures have z up; where gravity points elsewhere the world is turned.
    const gravity = new Vector3(scene.gravity[0] ?? 0, scene.gravity[1] ?? 0, scene.gravity[2] ?? 0);
    const down = gravity.lengthSq() > 0 ? gravity.normalize() : new Vector3(0, 0, -1);
    root.quaternion.setFromUnitVectors(down.clone().negate(), new Vector3(0, 0, 1));
    const centre = new Vector3(scene.centre[0] ?? 0, scene.centre[1] ?? 0, scene.centre[2] ?? 0);
    const size_m = Math.max(0.05, scene.sizeM);
    const bodies = new Bodies(scene.bodies);
    const joints = new Joints(scene.joints, bodies.groups, size_m);
    const lines = new Lines(scene.lines, bodies.groups, size_m, down.toArray(), this.dark);
    const arrows = new Arrows(size_m);
    const ground = new Ground(scene.planes.filter((plane) => plane.body === 0), size_m, centre, down.clone().negate(), this.dark);
    this.traces = new Traces(0.002 * size_m);
    for (const name of traced) this.traces.toggle(bodies.indexOf(name));
    root.add(bodies.object, lines.object, arrows.object, ground.object, this.traces.object);
    this.picture.add(root);
    this.content = { root, bodies, joints, lines, arrows, ground };
    this.placeSun(centre.clone().applyQuaternion(root.quaternion), size_m);
    this.camera.near = 0.005 * size_m;
    this.camera.far = 60 * size_m;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = 0.05 * size_m;
    this.controls.maxDistance = 12 * size_m;
    this.interpolator.isRealTime = scene.description?.mode === Mode.REAL_TIME;
    this.interpolator.clear();
    this.presets = presetsOf(scene, root.quaternion, kFieldOfView_deg);
    this.show(this.shown);
    this.resize();
    if (isFirst && this.presets[0]) this.look(this.presets[0].id, true);
    if (this.view && this.view.poses.length === 7 * (scene.bodies.length - 1)) bodies.place(this.view.poses);
    this.invalidate();
  }

  addView(view: View, now_ms: number): void {
    const isSame = this.view !== null && sameNumbers(this.view.poses, view.poses) && !this.shown.forces;
    if (this.view && view.timeS < this.view.timeS) this.traces.clear();
    this.view = view;
    this.interpolator.add({ time_s: view.timeS, poses: view.poses }, now_ms / 1000);
    if (!isSame) this.invalidate();
  }

  show(shown: Shown): void {
    this.shown = shown;
    this.sun.castShadow = shown.shadows;
    this.content?.joints.show(shown);
    if (this.content) this.content.arrows.object.visible = shown.forces;
    this.invalidate();
  }

  /** The camera stays where it is put. */
  lock(): void {
    this.controls.enabled = false;
  }

  setDark(dark: boolean): void {
    this.dark = dark;
    this.sky.color.set(dark ? 0xc9d6e6 : 0xffffff);
    this.sky.intensity = dark ? 2.0 : 1.9;
    this.sun.intensity = dark ? 1.9 : 2.2;
    this.content?.ground.setDark(dark);
    this.content?.lines.setDark(dark);
    this.invalidate();
  }

  /** By the id of a preset, or "fit": the mechanism as it is now, from where one looks. */
  look(id: string, atOnce = false): void {
    const now_ms = performance.now();
    const preset = this.presets.find((known) => known.id === id);
    if (preset) {
      this.follows = preset.follows;
      this.flight.go(preset.from, preset.to, now_ms, atOnce);
    } else if (id === "fit") {
      this.follows = "";
      const iso = this.presets.find((known) => known.id === "iso");
      if (!iso) return;
      const distance = iso.from.distanceTo(iso.to) * Math.max(1, 1 / this.camera.aspect);
      const away = this.camera.position.clone().sub(this.controls.target).normalize();
      this.flight.go(iso.to.clone().addScaledVector(away, distance), iso.to, now_ms, atOnce);
    }
    this.invalidate();
  }

  /** The name of the body under a point of the canvas; empty: none. */
  pick(x: number, y: number): string {
    if (!this.content) return "";
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    this.raycaster.setFromCamera(at, this.camera);
    this.raycaster.params.Line.threshold = 0;
    for (const hit of this.raycaster.intersectObject(this.content.bodies.object, true)) {
      for (let object = hit.object.parent; object; object = object.parent) {
        if (this.content.bodies.indexOf(object.name) >= 0 && object.name !== "") return object.name;
      }
    }
    return "";
  }

  /** Of the arrows that are shown, N and N m. */
  largestArrows(): { force_N: number; moment_Nm: number } {
    const arrows = this.content?.arrows;
    return { force_N: arrows?.largest_N ?? 0, moment_Nm: arrows?.largest_Nm ?? 0 };
  }

  bodyPose(name: string): number[] | null {
    const i = this.content?.bodies.indexOf(name) ?? -1;
    if (i < 0 || !this.view) return null;
    if (i === 0) return [0, 0, 0, 1, 0, 0, 0];
    return Array.from(this.view.poses.slice(7 * (i - 1), 7 * i));
  }

  /** Draws at the screen's next chance. */
  invalidate(): void {
    if (this.pending !== 0 || document.hidden) return;
    this.pending = requestAnimationFrame((now_ms) => this.frame(now_ms));
  }

  private frame(now_ms: number): void {
    this.pending = 0;
    if (this.isBusy(now_ms)) return this.invalidate();
    const content = this.content;
    let goesOn = false;
    if (content) {
      const played = this.interpolator.play(now_ms / 1000);
      if (played) {
        content.bodies.place(played.poses);
        this.traces.add(content.bodies.groups);
        goesOn = !played.settled;
      }
      if (this.shown.forces && this.view !== this.arrowsOf) {
        content.arrows.set(this.view?.arrows ?? []);
        this.arrowsOf = this.view;
      }
      content.lines.update(this.view?.restLengths ?? []);
      const followed = this.follows ? content.bodies.groups[content.bodies.indexOf(this.follows)] : undefined;
      const at = followed ? followed.getWorldPosition(new Vector3()) : null;
      goesOn = this.flight.update(now_ms, at) || goesOn;
    }
    goesOn = this.controls.update() || goesOn;
    this.applySize();
    const size = this.renderer.getSize(new Vector2());
    this.traces.setResolution(size.x, size.y);
    content?.lines.setResolution(size.x, size.y);
    this.renderer.render(this.picture, this.camera);
    this.setFence();
    ++this.frames;
    this.onDrawn();
    if (goesOn) this.invalidate();
    else if (this.drawnQuality < 1) this.sharpenSoon();
    if (goesOn && this.drawnQuality === 1) this.resize();
  }

  /** What stands still is drawn once more with all pixels. */
  private sharpenSoon(): void {
    clearTimeout(this.sharpen);
    this.sharpen = window.setTimeout(() => {
      if (this.pending !== 0) return;
      this.resize(1);
    }, 250);
  }

  /** The picture before is still being drawn. To wait here, not in the driver, keeps the controls and commands alive. */
  private isBusy(now_ms: number): boolean {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (this.fence) {
      if (gl.clientWaitSync(this.fence, 0, 0) === gl.TIMEOUT_EXPIRED) return true;
      gl.deleteSync(this.fence);
      this.fence = null;
      const took_ms = performance.now() - this.fencedAt_ms;
      this.judgeSpeed(took_ms);
      // Without a graphics card drawing takes a processor: most of the time is for others.
      this.restUntil_ms = this.isSoftware ? now_ms + Math.min(200, 1.5 * took_ms) : 0;
    }
    return now_ms < this.restUntil_ms;
  }

  private setFence(): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    this.fencedAt_ms = performance.now();
    gl.flush();
  }

  /** Where pictures take too long, fewer pixels. */
  private judgeSpeed(took_ms: number): void {
    this.slowness_ms += 0.1 * (Math.min(500, took_ms) - this.slowness_ms);
    if (this.frames % 12 !== 0 || this.slowness_ms < kSlowFrame_ms || this.quality <= kLeastQuality) return;
    this.quality = Math.max(kLeastQuality, this.quality * 0.85);
    this.resize();
  }

  private resize(quality = this.quality): void {
    this.drawnQuality = quality;
    this.sizeChanges = true;
    this.invalidate();
  }

  /** Only right before it is drawn: a canvas of another size is empty. */
  private applySize(): void {
    if (!this.sizeChanges) return;
    this.sizeChanges = false;
    const width = Math.max(1, this.holder.clientWidth);
    const height = Math.max(1, this.holder.clientHeight);
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio) * this.drawnQuality);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  private placeSun(centre: Vector3, size_m: number): void {
    this.sun.position.copy(centre).add(new Vector3(0.7, -0.9, 1.8).multiplyScalar(1.6 * size_m));
    this.sun.target.position.copy(centre);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -1.1 * size_m;
    shadow.right = shadow.top = 1.1 * size_m;
    shadow.near = 0.1 * size_m;
    shadow.far = 7 * size_m;
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.003 * size_m;
  }

  private removeContent(): void {
    if (!this.content) return;
    const { root, bodies, joints, lines, arrows, ground } = this.content;
    this.picture.remove(root);
    for (const part of [bodies, joints, lines, arrows, ground, this.traces]) part.dispose();
    this.content = null;
  }
}

/** Without a graphics card every pixel costs time that the controls need. */
function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
