// Forces as arrows, torques as arcs with a head.
import { type BufferGeometry, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, TorusGeometry, Vector3 } from "three";
import { type Arrow, Arrow_Kind } from "../generated/kinloop/v1/panel_pb";
import { arrowShare, turnShare } from "./arrow_scale";

export const kArrowColours = {
  [Arrow_Kind.REACTION]: 0x3f8ae0,
  [Arrow_Kind.CONTACT]: 0x2fa36b,
  [Arrow_Kind.ACTUATOR]: 0xe08a1e,
} as const;

const kZ = new Vector3(0, 0, 1);
const kTurn_rad = 1.5 * Math.PI; // of an arc

interface Item {
  group: Group;
  shaft: Mesh;
  head: Mesh;
}

export class Arrows {
  readonly object = new Group();
  largest_N = 0;
  largest_Nm = 0;
  private readonly shaft = new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  private readonly head = new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, -0.5);
  private readonly arc = new TorusGeometry(1, 0.06, 8, 40, kTurn_rad);
  private readonly arcHead = new ConeGeometry(0.16, 0.4, 16).translate(0, 0.2, 0).rotateZ(kTurn_rad);
  private readonly materials = new Map<number, MeshBasicMaterial>();
  private readonly forces: Item[] = [];
  private readonly torques: Item[] = [];
  private readonly direction = new Vector3();

  constructor(private readonly size_m: number) {}

  set(arrows: Arrow[]): void {
    let forces = 0;
    let torques = 0;
    this.largest_N = this.largest_Nm = 0;
    for (const arrow of arrows) {
      if (this.showForce(arrow, forces)) ++forces;
      else if (this.showTorque(arrow, torques)) ++torques;
    }
    for (const item of [...this.forces.slice(forces), ...this.torques.slice(torques)]) item.group.visible = false;
  }

  dispose(): void {
    for (const geometry of [this.shaft, this.head, this.arc, this.arcHead]) geometry.dispose();
    for (const material of this.materials.values()) material.dispose();
  }

  private showForce(arrow: Arrow, i: number): boolean {
    const force_N = Math.hypot(...arrow.force);
    const length = arrowShare(force_N) * this.size_m;
    if (length === 0) return false;
    this.largest_N = Math.max(this.largest_N, force_N);
    const item = this.item(this.forces, i, this.shaft, this.head);
    this.place(item, arrow, arrow.force);
    const width = 0.0045 * this.size_m;
    const headLength = Math.min(0.45 * length, 5 * width);
    item.shaft.scale.set(width, width, length - headLength);
    item.head.scale.set(2.4 * width, 2.4 * width, headLength);
    item.head.position.z = length;
    return true;
  }

  private showTorque(arrow: Arrow, i: number): boolean {
    const moment_Nm = Math.hypot(...arrow.moment);
    const radius = turnShare(moment_Nm) * this.size_m;
    if (radius === 0) return false;
    this.largest_Nm = Math.max(this.largest_Nm, moment_Nm);
    const item = this.item(this.torques, i, this.arc, this.arcHead);
    this.place(item, arrow, arrow.moment);
    item.group.scale.setScalar(radius);
    item.head.position.set(Math.cos(kTurn_rad), Math.sin(kTurn_rad), 0);
    return true;
  }

  private place(item: Item, arrow: Arrow, along: number[]): void {
    item.group.visible = true;
    item.group.position.set(arrow.point[0] ?? 0, arrow.point[1] ?? 0, arrow.point[2] ?? 0);
    this.direction.set(along[0] ?? 0, along[1] ?? 0, along[2] ?? 0).normalize();
    item.group.quaternion.setFromUnitVectors(kZ, this.direction);
    item.shaft.material = item.head.material = this.material(arrow.kind);
  }

  private item(pool: Item[], i: number, shaft: BufferGeometry, head: BufferGeometry): Item {
    let item = pool[i];
    if (!item) {
      item = { group: new Group(), shaft: new Mesh(shaft), head: new Mesh(head) };
      item.shaft.renderOrder = item.head.renderOrder = 12;
      item.group.add(item.shaft, item.head);
      this.object.add(item.group);
      pool.push(item);
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
