// A polyline some pixels wide whose points change without new buffers.
import { Color, DynamicDrawUsage, InstancedInterleavedBuffer, InterleavedBufferAttribute, type Object3D } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

export class FatLine {
  readonly object: Object3D;
  private readonly geometry = new LineSegmentsGeometry();
  private readonly material: LineMaterial;
  private readonly buffer: InstancedInterleavedBuffer;

  constructor(
    private readonly maxPoints: number,
    colour: number | string,
    width_px: number,
    opacity = 1,
  ) {
    this.buffer = new InstancedInterleavedBuffer(new Float32Array(6 * (maxPoints - 1)), 6, 1);
    this.buffer.setUsage(DynamicDrawUsage);
    this.geometry.setAttribute("instanceStart", new InterleavedBufferAttribute(this.buffer, 3, 0));
    this.geometry.setAttribute("instanceEnd", new InterleavedBufferAttribute(this.buffer, 3, 3));
    this.geometry.instanceCount = 0;
    this.material = new LineMaterial({ linewidth: width_px, transparent: opacity < 1, opacity });
    this.material.color = new Color(colour);
    const line = new LineSegments2(this.geometry, this.material);
    line.frustumCulled = false; // the bounds would have to follow the points
    this.object = line;
  }

  setPoints(points: ArrayLike<number>, count: number): void {
    const used = Math.min(count, this.maxPoints);
    const array = this.buffer.array;
    for (let i = 0; i + 1 < used; ++i) {
      for (let k = 0; k < 6; ++k) array[6 * i + k] = points[3 * i + k] ?? 0;
    }
    this.geometry.instanceCount = Math.max(0, used - 1);
    this.buffer.needsUpdate = true;
  }

  setColour(colour: number | string): void {
    this.material.color.set(colour);
  }

  setWidth(width_px: number): void {
    this.material.linewidth = width_px;
  }

  setResolution(width: number, height: number): void {
    this.material.resolution.set(width, height);
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}
