// The strip across the picture that says why the plant is not simply running.
import type { Context } from "../app/context";
import { h, setAttribute, setHidden, setText } from "./dom";
import { noticeOf } from "./conditions";
import { rearmButton } from "./estop";

export class Banner {
  readonly element: HTMLElement;
  private readonly title = h("strong", {});
  private readonly text = h("span", { class: "banner-text" });

  constructor(private readonly context: Context) {
    this.element = h(
      "div",
      { class: "banner", role: "alert", "data-testid": "banner", hidden: true },
      this.title,
      this.text,
      rearmButton(context),
    );
  }

  update(now_ms: number): void {
    const notice = noticeOf(this.context.store, this.context.link, now_ms);
    setHidden(this.element, notice === null);
    if (!notice) return;
    setAttribute(this.element, "data-tone", notice.tone);
    setText(this.title, notice.title);
    setText(this.text, notice.text);
  }
}
