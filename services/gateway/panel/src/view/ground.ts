// What the machine stands on: a grid that fades out, soil, and the shadow that falls onto it.
import {
  CanvasTexture, CircleGeometry, Color, DoubleSide, Group, Mesh, MeshLambertMaterial, PlaneGeometry, Quaternion,
  RepeatWrapping, ShaderMaterial, ShadowMaterial, SRGBColorSpace, Vector3,
} from "three";
import type { ScenePlane } from "../generated/kinloop/v1/panel_pb";

const gridVertex = `
varying vec2 at;
void main() {
  at = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const gridFragment = `
varying vec2 at;
uniform vec3 colour;
uniform float pitch;
uniform float reach;
float lines(vec2 p, float width) {
  vec2 d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
  return 1.0 - min(min(d.x, d.y) / width, 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(at) / reach);
  float fine = 0.32 * lines(at / pitch, 1.0);
  float coarse = 0.75 * lines(at / (5.0 * pitch), 1.3);
  gl_FragColor = vec4(colour, fade * max(fine, coarse));
}`;

/** 1, 2 or 5 times a power of ten, near a twentieth of the mechanism. */
export function gridPitch(size_m: number): number {
  const wanted = Math.max(1e-4, size_m / 12);
  const decade = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].find((n) => n * decade >= wanted * 0.999) ?? 10;
  return step * decade;
}

function soilTexture(): CanvasTexture {
  const side = 256;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.fillStyle = "#a08e78";
  context.fillRect(0, 0, side, side);
  let seed = 7;
  const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let i = 0; i < 5200; ++i) {
    const light = random();
    context.fillStyle = light < 0.5 ? `rgba(52,38,24,${0.06 + 0.12 * random()})` : `rgba(216,190,156,${0.06 + 0.12 * random()})`;
    const r = 0.5 + 2.2 * random() * random();
    context.beginPath();
    context.arc(side * random(), side * random(), r, 0, 2 * Math.PI);
    context.fill();
  }
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/** White in the middle, nothing at the rim. */
function rimTexture(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const fade = context.createRadialGradient(64, 64, 24, 64, 64, 63);
  fade.addColorStop(0, "#fff");
  fade.addColorStop(1, "#000");
  context.fillStyle = fade;
  context.fillRect(0, 0, 128, 128);
  return new CanvasTexture(canvas);
}

type Surface = Pick<ScenePlane, "point" | "normal" | "kind">;

/** Where z is up, the world's own ground; plane mechanisms, drawn in x and y, have one out of their way. */
function madeUpPlane(size_m: number, centre: Vector3, up: Vector3): Surface {
  const height_m = up.z > 0.99 ? 0 : Math.min(0, centre.dot(up) - 0.7 * size_m);
  return { point: up.clone().multiplyScalar(height_m).toArray(), normal: up.toArray(), kind: "" };
}

export class Ground {
  readonly object = new Group();
  private readonly grid: ShaderMaterial;
  private readonly soils: MeshLambertMaterial[] = [];
  private readonly shadow = new ShadowMaterial({ opacity: 0.22 });

  constructor(planes: ScenePlane[], size_m: number, centre: Vector3, up: Vector3, dark: boolean) {
    const reach = 3.2 * size_m;
    this.grid = new ShaderMaterial({
      uniforms: { colour: { value: new Color() }, pitch: { value: gridPitch(size_m) }, reach: { value: reach } },
      vertexShader: gridVertex,
      fragmentShader: gridFragment,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    const grounds = planes.length > 0 ? planes : [madeUpPlane(size_m, centre, up)];
    grounds.forEach((plane, i) => this.object.add(this.surface(plane, i, size_m, reach, centre)));
    this.setDark(dark);
  }

  setDark(dark: boolean): void {
    (this.grid.uniforms["colour"] as { value: Color }).value.set(dark ? 0x6d7c8c : 0x8b99a8);
    this.shadow.opacity = dark ? 0.45 : 0.2;
    for (const soil of this.soils) soil.color.set(dark ? 0x7b7c80 : 0xffffff);
  }

  private surface(plane: Surface, i: number, size_m: number, reach: number, centre: Vector3): Group {
    const group = new Group();
    const normal = new Vector3(...(plane.normal as [number, number, number])).normalize();
    const point = new Vector3(...(plane.point as [number, number, number]));
    // Under the mechanism, wherever the file put the plane's point.
    const below = centre.clone().addScaledVector(normal, -centre.clone().sub(point).dot(normal));
    const pitch = gridPitch(size_m) * 5;
    below.x = Math.round(below.x / pitch) * pitch;
    below.y = Math.round(below.y / pitch) * pitch;
    below.addScaledVector(normal, -below.clone().sub(point).dot(normal));
    group.position.copy(below);
    group.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
    const lift = 1e-3 * size_m;
    if (plane.kind === "soil") {
      const map = soilTexture();
      map.repeat.setScalar(reach / (0.12 * size_m));
      const material = new MeshLambertMaterial({ map, alphaMap: rimTexture(), transparent: true, depthWrite: false });
      this.soils.push(material);
      const soil = new Mesh(new CircleGeometry(0.8 * reach, 64), material);
      soil.receiveShadow = true;
      soil.position.z = -lift * (1 + i);
      soil.renderOrder = -3;
      group.add(soil);
    } else {
      const shade = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), this.shadow);
      shade.receiveShadow = true;
      shade.position.z = -lift * (1 + i);
      shade.renderOrder = -2;
      group.add(shade);
    }
    const grid = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), this.grid);
    grid.renderOrder = -1;
    grid.position.z = -0.5 * lift * (1 + i);
    group.add(grid);
    return group;
  }

  dispose(): void {
    this.object.traverse((object) => {
      if (object instanceof Mesh) (object.geometry as PlaneGeometry).dispose();
    });
    for (const soil of this.soils) {
      soil.map?.dispose();
      soil.alphaMap?.dispose();
      soil.dispose();
    }
    this.grid.dispose();
    this.shadow.dispose();
  }
}
