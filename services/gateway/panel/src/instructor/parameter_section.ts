// Parameters of the model: read, edited, applied together; what is wrong is said beside its field.
import type { Context } from "../app/context";
import { ErrorCode } from "../generated/kinloop/v1/error_pb";
import { Refusal } from "../net/link";
import { h, setHidden, setText } from "../ui/dom";
import { toast } from "../ui/toasts";
import { button, type Permits, section } from "./parts";
import { tunable } from "./tunable";

interface Row {
  name: string;
  value: string;
  input: HTMLInputElement;
  error: HTMLElement;
  element: HTMLElement;
}

export function parameterSection({ link, store }: Context, permits: Permits): HTMLElement {
  const search = h("input", { class: "input grow", type: "search", placeholder: "Search parameters", "aria-label": "Search parameters", "data-testid": "parameter-search" });
  const list = h("div", { class: "parameters", "data-testid": "parameters" });
  const apply = permits.add(button("parameters-apply", "Apply", "primary"), "setParameters");
  const revert = button("parameters-revert", "Revert");
  let rows: Row[] = [];

  const changed = (): Row[] => rows.filter((row) => row.input.value.trim() !== row.value);
  const showChanged = (): void => {
    const n = changed().length;
    for (const row of rows) row.input.classList.toggle("edited", row.input.value.trim() !== row.value);
    setText(apply, n === 0 ? "Apply" : `Apply ${n}`);
    setHidden(revert, n === 0);
  };
  const filter = (): void => {
    const wanted = search.value.toLowerCase();
    for (const row of rows) setHidden(row.element, !row.name.toLowerCase().includes(wanted));
  };

  const makeRow = (name: string, value: string): Row => {
    const input = permits.add(h("input", { class: "input num", value, "aria-label": name, "data-testid": `parameter-${name}`, spellcheck: "false" }), "setParameters");
    const error = h("div", { class: "field-error", role: "alert", hidden: true, "data-testid": `parameter-error-${name}` });
    input.addEventListener("input", () => {
      setHidden(error, true);
      input.classList.remove("wrong");
      showChanged();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void send();
    });
    return { name, value, input, error, element: h("div", { class: "parameter" }, h("label", { class: "ellipsis", title: name }, name), input, error) };
  };

  const take = (values: { name: string; value: string }[]): void => {
    const same = values.length === rows.length && values.every(({ name }, i) => rows[i]?.name === name);
    if (same) {
      values.forEach(({ value }, i) => {
        const row = rows[i] as Row;
        if (row.input.value.trim() === row.value) row.input.value = value; // an edit that was begun stays
        row.value = value;
      });
    } else {
      rows = values.map(({ name, value }) => makeRow(name, value));
      list.replaceChildren(...rows.map((row) => row.element));
      if (rows.length === 0) list.append(h("div", { class: "hint" }, "This rig has no parameters to tune."));
    }
    showChanged();
    filter();
  };

  const ask = async (): Promise<void> => {
    try {
      const reply = await link.control({ case: "getParameters", value: {} });
      if (reply.answer.case === "parameters") take(tunable(reply.answer.value));
    } catch {
      take(store.scene?.description?.parameters ?? []);
    }
  };

  const send = async (): Promise<void> => {
    const wanted = changed();
    if (wanted.length === 0) return;
    for (const row of rows) setHidden(row.error, true);
    try {
      await link.control({ case: "setParameters", value: { values: wanted.map((row) => ({ name: row.name, value: row.input.value.trim() })) } });
      for (const row of wanted) row.value = row.input.value.trim();
      toast(wanted.length === 1 ? `${wanted[0]?.name} is in force.` : `${wanted.length} parameters are in force.`, "good");
      showChanged();
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(ErrorCode.INTERNAL, String(error));
      const place = rowOf(refusal, wanted);
      if (!place) return toast(`Parameters: ${refusal.message}`, "bad");
      setText(place.error, refusal.message);
      setHidden(place.error, false);
      place.input.classList.add("wrong");
      place.input.focus();
    }
  };

  apply.addEventListener("click", () => void send());
  revert.addEventListener("click", () => {
    for (const row of rows) {
      row.input.value = row.value;
      row.input.classList.remove("wrong");
      setHidden(row.error, true);
    }
    showChanged();
  });
  search.addEventListener("input", filter);
  store.on("scene", () => void ask());
  store.on("event", (event) => {
    if (event.kind === "parameters" || event.kind === "restored") void ask();
  });
  return section("parameters", "Parameters", h("div", { class: "row" }, search, revert, apply), list);
}

/** The field names a place in the request ("values[1].value") or the parameter itself. */
function rowOf(refusal: Refusal, wanted: Row[]): Row | undefined {
  const index = /values\[(\d+)\]/.exec(refusal.field)?.[1];
  if (index !== undefined) return wanted[Number(index)];
  const named = wanted.find((row) => refusal.field.split(/[.[\]]/).includes(row.name) || refusal.message.includes(`'${row.name}'`));
  return named ?? (wanted.length === 1 ? wanted[0] : undefined);
}
