// Where the energy goes, for rigs that keep an account of it.
import { quantity, sentence } from "../app/format";
import type { EnergyAccount } from "../generated/kinloop/v1/event_pb";
import { h, setAttribute, setText } from "../ui/dom";

/** Label, joule, and whether it is listed though it is zero. */
type Entry = [string, number, boolean];

const kWorthAWord = 0.01; // of what is exchanged

export function entriesOf(energy: EnergyAccount): Entry[] {
  const all: Entry[] = [
    ["Kinetic", energy.kinetic, true],
    ["Potential", energy.gravity, true],
    ["Elastic", energy.elastic, true],
    ["Lost in dampers", energy.lostInDampers, false],
    ["Lost in friction", energy.lostInFriction, false],
    ["Lost in contacts", energy.lostInContacts, false],
    ["Lost in end stops", energy.lostInStops, false],
    ["Lost in ropes", energy.lostInRopes, false],
    ["Work of actuators", energy.workOfActuators, true],
    ["Work of drives", energy.workOfDrives, false],
    ["Work from outside", energy.workFromOutside, false],
    ["Work of projection", energy.workOfProjection, false],
    ["Integrator", energy.rest, true],
  ];
  return all.filter(([, joule, always]) => always || joule !== 0);
}

export function sourceOf(energy: EnergyAccount): { tone: "good" | "warn"; text: string } {
  const share = energy.exchanged > 0 ? energy.created / energy.exchanged : 0;
  if (energy.createdBy !== "" && share > kWorthAWord) {
    const text = `${energy.createdBy} created ${quantity(energy.created, "J", 3)}, ${(100 * share).toFixed(share < 0.1 ? 1 : 0)} % of what is exchanged`;
    return { tone: "warn", text: sentence(text) };
  }
  return { tone: "good", text: "Nothing creates energy." };
}

export class EnergySection {
  private readonly verdict = h("p", { class: "verdict", "data-testid": "energy-sentence" });
  private readonly entries = h("div", { class: "facts", "data-testid": "energy-entries" });
  readonly element = h("section", { "data-testid": "energy", hidden: true }, h("h3", {}, "Energy"), this.verdict, this.entries);

  show(energy: EnergyAccount | undefined): void {
    this.element.hidden = energy === undefined;
    if (energy === undefined) return;
    const { tone, text } = sourceOf(energy);
    setText(this.verdict, text);
    setAttribute(this.verdict, "data-tone", tone);
    this.entries.replaceChildren(
      ...entriesOf(energy).map(([label, joule]) =>
        h("div", { class: "fact" }, h("div", { class: "label" }, label), h("div", { class: "num" }, quantity(joule, "J"))),
      ),
    );
  }
}
