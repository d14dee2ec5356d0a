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
      instructorsOnly(scenarioSection(context)),
      instructorsOnly(snapshotSection(context, this.permits)),
      instructorsOnly(faultSection(context, this.permits)),
      instructorsOnly(push.element),
      instructorsOnly(parameterSection(context, this.permits)),
      recordSection(context, this.permits),
      instructorsOnly(endSection(context, this.permits)),
    );
  }

  /** Everybody else runs and records the plant here, and sees nothing of what is prepared. */
  setInstructor(isInstructor: boolean): void {
    this.element.classList.toggle("run-only", !isInstructor);
  }

  opened(): void {
    this.permits.update();
  }
}

function instructorsOnly(section: HTMLElement): HTMLElement {
  section.classList.add("instructors-only");
  return section;
}
