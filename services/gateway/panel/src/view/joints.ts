// Where joints are and about what they move; those that close a loop stand out.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, SphereGeometry, TorusGeometry, Vector3, type BufferGeometry } from "three";
import type { SceneJoint } from "../generated/kinloop/v1/panel_pb";

const kAxisColour = 0x2f9bd6;
const kLoopColour = 0xd0499b;
const kTurning = ["revolute", "cylindrical", "screw", "helical", "universal"];
const kSliding = ["prismatic", "cylindrical"];

export class Joints {
  private readonly marks: { group: Group; closesLoop: boolean }[] = [];
  private readonly geometries: BufferGeometry[] = [];
  private readonly axisMaterial = overlay(kAxisColour);
  private readonly loopMaterial = overlay(kLoopColour);

  constructor(joints: SceneJoint[], bodies: Group[], size_m: number) {
    const r = Math.max(1e-3, 0.004 * size_m);
    const rod = this.keep(new CylinderGeometry(0.5 * r, 0.5 * r, 16 * r, 10).rotateX(Math.PI / 2));
    const head = this.keep(new ConeGeometry(1.6 * r, 4 * r, 12).rotateX(Math.PI / 2));
    const ball = this.keep(new SphereGeometry(2 * r, 16, 12));
    const ring = this.keep(new TorusGeometry(4 * r, 0.8 * r, 10, 32));
    for (const joint of joints) {
      const body = bodies[joint.predecessor];
      if (!body || joint.type === "fixed") continue;
      const group = new Group();
      const material = joint.closesLoop ? this.loopMaterial : this.axisMaterial;
      const add = (geometry: BufferGeometry, z = 0): void => {
        const mesh = new Mesh(geometry, material);
        mesh.position.z = z;
        mesh.renderOrder = 10;
        group.add(mesh);
      };
      const turns = kTurning.includes(joint.type);
      const slides = kSliding.includes(joint.type);
      if (turns || slides) add(rod);
      if (slides) add(head, 9 * r);
      if (turns || joint.closesLoop) add(ring);
      if (!turns && !slides) add(ball);
      const [x = 0, y = 0, z = 0] = joint.point;
      group.position.set(x, y, z);
      const axis = new Vector3(joint.axis[0] ?? 0, joint.axis[1] ?? 0, joint.axis[2] ?? 0);
      if (axis.lengthSq() > 0) group.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), axis.normalize());
      body.add(group);
      this.marks.push({ group, closesLoop: joint.closesLoop });
    }
  }

  show(what: { joints: boolean; loops: boolean }): void {
    for (const mark of this.marks) mark.group.visible = mark.closesLoop ? what.loops : what.joints;
  }

  dispose(): void {
    for (const mark of this.marks) mark.group.removeFromParent();
    for (const geometry of this.geometries) geometry.dispose();
    this.axisMaterial.dispose();
    this.loopMaterial.dispose();
  }

  private keep<T extends BufferGeometry>(geometry: T): T {
    this.geometries.push(geometry);
    return geometry;
  }
}

/** Seen through bodies, which would hide every pin. */
function overlay(colour: number): MeshBasicMaterial {
  return new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.9 });
}
