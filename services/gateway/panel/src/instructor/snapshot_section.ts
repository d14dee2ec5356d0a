// Snapshots by name, kept by the gateway for all pages: to keep, restore and forget them takes the role for `restore`.
import type { Context } from "../app/context";
import { count, plantTime } from "../app/format";
import { type NamedSnapshot, SnapshotWish_Action as Action } from "../generated/kinloop/v1/panel_pb";
import { h } from "../ui/dom";
import { report, toast } from "../ui/toasts";
import { button, type Permits, section } from "./parts";

export function snapshotSection({ link, store }: Context, permits: Permits): HTMLElement {
  const name = h("input", { class: "input grow", maxlength: 64, placeholder: "Name", "aria-label": "Name of the snapshot", "data-testid": "snapshot-name" });
  const save = permits.add(button("snapshot-save", "Save"), "restore");
  const list = h("div", { class: "list", "data-testid": "snapshots" });
  const keep = (): void => {
    const wanted = name.value.trim() || `step ${store.view?.step ?? 0}`;
    void report("Snapshot", link.snapshot(Action.SAVE, wanted)).then((done) => {
      if (!done) return;
      name.value = "";
      toast(`Kept "${wanted}".`, "good");
    });
  };
  save.addEventListener("click", keep);
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") keep();
  });
  const show = (snapshots: NamedSnapshot[]): void => {
    list.replaceChildren(
      ...snapshots.map((snapshot) => {
        const restore = permits.add(button(`snapshot-restore-${snapshot.name}`, "Restore", "small"), "restore");
        const forget = permits.add(button(`snapshot-forget-${snapshot.name}`, "Forget", "small quiet"), "restore");
        restore.addEventListener("click", () => void report("Restore", link.snapshot(Action.RESTORE, snapshot.name)));
        forget.addEventListener("click", () => void report("Forget", link.snapshot(Action.FORGET, snapshot.name)));
        return h("div", { class: "list-row" }, h("span", { class: "grow ellipsis", title: `step ${count(snapshot.step)}` }, snapshot.name), h("span", { class: "sub num" }, plantTime(snapshot.timeS)), restore, forget);
      }),
      ...(snapshots.length === 0 ? [h("div", { class: "hint" }, "None yet.")] : []),
    );
    permits.update();
  };
  store.on("snapshots", show);
  show(store.snapshots);
  return section("snapshots", "Snapshots", h("div", { class: "row" }, name, save), list);
}
