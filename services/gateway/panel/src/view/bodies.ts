// Bodies as their shapes say.
import {
  BoxGeometry, type BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, EdgesGeometry, Group, LineBasicMaterial,
  LineSegments, Mesh, MeshStandardMaterial, SphereGeometry,
} from "three";
import { type SceneBody, type SceneShape, SceneShape_Kind as Kind } from "../generated/kinloop/v1/panel_pb";

function geometryOf(shape: SceneShape): BufferGeometry | null {
  const [a = 0, b = 0, c = 0] = shape.size;
  switch (shape.kind) {
    case Kind.BOX:
      return new BoxGeometry(a, b, c);
    // three.js lays both along y, the scene along z.
    case Kind.CYLINDER:
      return new CylinderGeometry(a, a, b, 40).rotateX(Math.PI / 2);
    case Kind.CAPSULE:
      return new CapsuleGeometry(a, b, 10, 28).rotateX(Math.PI / 2);
    case Kind.SPHERE:
      return new SphereGeometry(a, 36, 24);
    default:
      return null;
  }
}

function meshOf(shape: SceneShape, edges: LineBasicMaterial): Mesh | null {
  const geometry = geometryOf(shape);
  if (!geometry) return null;
  const [r = 0.55, g = 0.6, b = 0.66] = shape.colour;
  const colour = new Color().setRGB(r, g, b, "srgb");
  const material = new MeshStandardMaterial({ color: colour, roughness: 0.58, metalness: 0.12 });
  if (shape.derived) {
    material.transparent = true;
    material.opacity = 0.85;
  }
  const mesh = new Mesh(geometry, material);
  mesh.castShadow = mesh.receiveShadow = true;
  const [x = 0, y = 0, z = 0, qw = 1, qx = 0, qy = 0, qz = 0] = shape.pose;
  mesh.position.set(x, y, z);
  mesh.quaternion.set(qx, qy, qz, qw);
  // Thin edges keep parts of one colour apart, also from far away.
  if (shape.kind === Kind.BOX || shape.kind === Kind.CYLINDER) {
    mesh.add(new LineSegments(new EdgesGeometry(geometry, 35), edges));
  }
  return mesh;
}

export class Bodies {
  readonly object = new Group();
  readonly groups: Group[] = [];
  private readonly byName = new Map<string, number>();
  private readonly edges = new LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.28 });

  constructor(bodies: SceneBody[]) {
    bodies.forEach((body, i) => {
      const group = new Group();
      group.name = body.name;
      for (const shape of body.shapes) {
        const mesh = meshOf(shape, this.edges);
        if (mesh) group.add(mesh);
      }
      this.groups.push(group);
      this.byName.set(body.name, i);
      this.object.add(group);
    });
  }

  /** Seven numbers for each body but the ground. */
  place(poses: ArrayLike<number>): void {
    for (let i = 1; i < this.groups.length; ++i) {
      const at = 7 * (i - 1);
      if (at + 6 >= poses.length) return;
      const group = this.groups[i] as Group;
      group.position.set(poses[at] ?? 0, poses[at + 1] ?? 0, poses[at + 2] ?? 0);
      group.quaternion.set(poses[at + 4] ?? 0, poses[at + 5] ?? 0, poses[at + 6] ?? 0, poses[at + 3] ?? 1);
      group.updateMatrixWorld();
    }
  }

  indexOf(name: string): number {
    return this.byName.get(name) ?? -1;
  }

  dispose(): void {
    this.object.traverse((object) => {
      if (object instanceof Mesh) {
        (object.geometry as BufferGeometry).dispose();
        (object.material as MeshStandardMaterial).dispose();
      } else if (object instanceof LineSegments) (object.geometry as BufferGeometry).dispose();
    });
    this.edges.dispose();
  }
}
