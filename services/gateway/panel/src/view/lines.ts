// Ropes and springs.
import { Group, Vector3 } from "three";
import { type SceneLine, SceneLine_Kind } from "../generated/kinloop/v1/panel_pb";
import { kRopePoints, kSpringPoints, ropePoints, springPoints } from "./curves";
import { FatLine } from "./fat_line";

export class Lines {
  readonly object = new Group();
  private readonly fat: FatLine[];
  private readonly points = new Float32Array(3 * kSpringPoints);
  private readonly a = new Vector3();
  private readonly b = new Vector3();

  constructor(
    private readonly lines: SceneLine[],
    private readonly bodies: Group[],
    private readonly size_m: number,
    private readonly down: number[],
    dark: boolean,
  ) {
    this.fat = lines.map((line) => {
      const isSpring = line.kind === SceneLine_Kind.SPRING;
      const fat = new FatLine(isSpring ? kSpringPoints : kRopePoints, 0x808080, isSpring ? 2 : 3);
      this.object.add(fat.object);
      return fat;
    });
    this.setDark(dark);
  }

  setDark(dark: boolean): void {
    for (const fat of this.fat) fat.setColour(dark ? 0xd9dee5 : 0x343b44);
  }

  update(restLengths_m: ArrayLike<number>): void {
    this.lines.forEach((line, i) => {
      const fat = this.fat[i] as FatLine;
      const a = this.worldPoint(line.bodyA, line.pointA, this.a).toArray();
      const b = this.worldPoint(line.bodyB, line.pointB, this.b).toArray();
      const isSpring = line.kind === SceneLine_Kind.SPRING;
      const used = isSpring
        ? springPoints(a, b, 0.012 * this.size_m, this.points)
        : ropePoints(a, b, restLengths_m[i] ?? 0, this.down, this.points);
      fat.setPoints(this.points, used);
    });
  }

  setResolution(width: number, height: number): void {
    for (const fat of this.fat) fat.setResolution(width, height);
  }

  dispose(): void {
    for (const fat of this.fat) fat.dispose();
  }

  private worldPoint(body: number, point: number[], out: Vector3): Vector3 {
    const group = this.bodies[body];
    out.set(point[0] ?? 0, point[1] ?? 0, point[2] ?? 0);
    return group ? out.applyQuaternion(group.quaternion).add(group.position) : out;
  }
}
