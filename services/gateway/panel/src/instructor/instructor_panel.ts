// The tab of whoever sets the exercise.
import type { Context } from "../app/context";
import { h } from "../ui/dom";
import { faultSection } from "./fault_section";
import { parameterSection } from "./parameter_section";
import { Permits } from "./parts";
import { pushSection } from "./push_section";
import { endSection, recordSection } from "./record_section";
import { runSection } from "./run_section";
import { scenarioSection } from "./scenario_section";
import { snapshotSection } from "./snapshot_section";

export class InstructorPanel {
  readonly element: HTMLElement;
  readonly pick: (body: string) => void;
  private readonly permits: Permits;

  constructor(context: Context) {
    this.permits = new Permits(context);
    const push = pushSection(context, this.permits);
    this.pick = push.pick;
    this.element = h(
      "div",
      { class: "panel instructor" },
      runSection(context, this.permits),
      scenarioSection(context),
      snapshotSection(context, this.permits),
      faultSection(context, this.permits),
      push.element,
      parameterSection(context, this.permits),
      recordSection(context, this.permits),
      endSection(context, this.permits),
    );
  }

  opened(): void {
    this.permits.update();
  }
}
