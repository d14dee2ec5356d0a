// The record of the run, remarks in it, and the run's end.
import type { Context } from "../app/context";
import { h, setText } from "../ui/dom";
import { confirmed } from "../ui/dialogs";
import { report, toast } from "../ui/toasts";
import { button, type Permits, section } from "./parts";

export function recordSection({ link, store }: Context, permits: Permits): HTMLElement {
  const name = h("input", { class: "input grow", placeholder: "Name of the file (optional)", "aria-label": "Name of the record", "data-testid": "record-name" });
  const toggle = permits.add(button("record-toggle", "Record"), "record");
  const said = h("div", { class: "hint", "data-testid": "record-state" });
  const note = h("input", { class: "input grow", placeholder: "Remark for events and record", "aria-label": "Note", "data-testid": "note-text" });
  const send = permits.add(button("note-send", "Note"), "note");
  const isOn = (): boolean => (store.status?.recording ?? "") !== "";
  toggle.addEventListener("click", () => {
    const stop = isOn();
    const request = link.control({ case: "record", value: { stop, name: stop ? "" : name.value.trim() } }).then((reply) => {
      if (reply.answer.case === "record") toast(`${stop ? "Ended" : "Recording to"} ${reply.answer.value.file}`, "good");
    });
    void report("Record", request);
  });
  const keep = (): void => {
    const text = note.value.trim();
    if (text === "") return;
    void report("Note", link.control({ case: "note", value: { text } })).then((done) => {
      if (done) note.value = "";
    });
  };
  send.addEventListener("click", keep);
  note.addEventListener("keydown", (event) => {
    if (event.key === "Enter") keep();
  });
  const show = (): void => {
    setText(toggle, isOn() ? "Stop recording" : "Record");
    setText(said, store.status?.recordTrouble || (isOn() ? `Recording to ${store.status?.recording}` : "Nothing is recorded."));
  };
  store.on("status", show);
  show();
  return section("record", "Record and notes", h("div", { class: "row" }, name, toggle), said, h("div", { class: "row" }, note, send));
}

export function endSection({ link }: Context, permits: Permits): HTMLElement {
  const end = permits.add(button("shutdown", "Shut down …", "danger"), "shutdown");
  end.addEventListener("click", () => {
    void confirmed("Shut down", "This ends the run for everybody. The plant, its record and this page's data stop.", "End the run").then((yes) => {
      if (yes) void report("Shut down", link.control({ case: "shutdown", value: {} }));
    });
  });
  return section("end", "End of the run", h("div", { class: "row" }, h("span", { class: "hint grow" }, "Ends the run for everybody."), end));
}
