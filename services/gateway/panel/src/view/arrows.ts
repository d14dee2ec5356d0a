// Forces as arrows.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Vector3 } from "three";
import { type Arrow, Arrow_Kind } from "../generated/kinloop/v1/panel_pb";
import { arrowShare } from "./arrow_scale";

export const kArrowColours = {
  [Arrow_Kind.REACTION]: 0x3f8ae0,
  [Arrow_Kind.CONTACT]: 0x2fa36b,
  [Arrow_Kind.ACTUATOR]: 0xe08a1e,
} as const;

const kZ = new Vector3(0, 0, 1);

export class Arrows {
  readonly object = new Group();
  largest_N = 0;
  private readonly shaft = new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  private readonly head = new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, -0.5);
  private readonly materials = new Map<number, MeshBasicMaterial>();
  private readonly pool: { group: Group; shaft: Mesh; head: Mesh }[] = [];
  private readonly direction = new Vector3();

  constructor(private readonly size_m: number) {}

  set(arrows: Arrow[]): void {
    let used = 0;
    this.largest_N = 0;
    for (const arrow of arrows) {
      const [fx = 0, fy = 0, fz = 0] = arrow.force;
      const force_N = Math.hypot(fx, fy, fz);
      const length = arrowShare(force_N) * this.size_m;
      if (length === 0) continue;
      this.largest_N = Math.max(this.largest_N, force_N);
      const item = this.item(used++);
      const width = 0.0045 * this.size_m;
      const headLength = Math.min(0.45 * length, 5 * width);
      item.group.visible = true;
      item.group.position.set(arrow.point[0] ?? 0, arrow.point[1] ?? 0, arrow.point[2] ?? 0);
      item.group.quaternion.setFromUnitVectors(kZ, this.direction.set(fx, fy, fz).normalize());
      item.shaft.scale.set(width, width, length - headLength);
      item.head.scale.set(2.4 * width, 2.4 * width, headLength);
      item.head.position.z = length;
      item.shaft.material = item.head.material = this.material(arrow.kind);
    }
    for (let i = used; i < this.pool.length; ++i) (this.pool[i] as { group: Group }).group.visible = false;
  }

  dispose(): void {
    this.shaft.dispose();
    this.head.dispose();
    for (const material of this.materials.values()) material.dispose();
  }

  private item(i: number): { group: Group; shaft: Mesh; head: Mesh } {
    let item = this.pool[i];
    if (!item) {
      item = { group: new Group(), shaft: new Mesh(this.shaft), head: new Mesh(this.head) };
      item.shaft.renderOrder = item.head.renderOrder = 12;
      item.group.add(item.shaft, item.head);
      this.object.add(item.group);
      this.pool.push(item);
    }
    return item;
  }

  private material(kind: Arrow_Kind): MeshBasicMaterial {
    let material = this.materials.get(kind);
    if (!material) {
      const colour = (kArrowColours as Record<number, number>)[kind] ?? 0x888888;
      material = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.92 });
      this.materials.set(kind, material);
    }
    return material;
  }
}
