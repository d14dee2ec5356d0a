// Puts the page together.
import "./styles/base.css";
import "./styles/topbar.css";
import "./styles/view.css";
import "./styles/panels.css";
import type { Context } from "./app/context";
import { EventsPanel } from "./app/events_panel";
import { installProbe } from "./app/probe";
import { Store } from "./app/store";
import { Tabs } from "./app/tabs";
import { DrivePanel } from "./drive/drive_panel";
import { InstructorPanel } from "./instructor/instructor_panel";
import { Link } from "./net/link";
import { setToken, takeTokenFromUrl, token } from "./net/token";
import { PlotsPanel } from "./plots/plots_panel";
import { TimingPanel } from "./timing/timing_panel";
import { askToken } from "./ui/dialogs";
import { h } from "./ui/dom";
import { stopCommand } from "./ui/estop";
import { openHelp } from "./ui/help";
import { mountToasts } from "./ui/toasts";
import { TopBar } from "./ui/topbar";
import { isTyping } from "./ui/typing";
import { isLocked } from "./view/locked_view";
import { ViewPanel } from "./view/view_panel";

const kWords_ms = 100; // the top bar and banners; pictures and charts keep their own time

takeTokenFromUrl();
const link = new Link();
const store = new Store(link);
const context: Context = { link, store, stop: stopCommand(link, store) };

const topBar = new TopBar(context);
const view = new ViewPanel(context);
const drive = new DrivePanel(context);
const plots = new PlotsPanel(context);
const timing = new TimingPanel(context);
const instructor = new InstructorPanel(context);
const events = new EventsPanel(context);
const tabs = new Tabs([
  { id: "drive", label: "Drive", element: drive.element },
  { id: "plots", label: "Plots", element: plots.element, opened: () => plots.opened() },
  { id: "timing", label: "Timing", element: timing.element, opened: () => timing.opened() },
  { id: "instructor", label: "Instructor", element: instructor.element, opened: () => instructor.opened() },
  { id: "events", label: "Events", element: events.element, opened: () => events.opened() },
]);
document.body.append(topBar.element, h("main", { class: "main" }, view.element, tabs.splitter, tabs.element));
mountToasts(document.body);
tabs.open(tabs.current); // once more, now that there is room to draw in
view.onPick = (body) => {
  if (!store.isInstructor) return;
  instructor.pick(body);
  tabs.open("instructor");
};
// A trainee is not to see what is prepared for him; who may run the plant keeps what that takes.
store.on("scene", () => {
  tabs.offer("instructor", store.role !== "observer", store.isInstructor ? "Instructor" : "Run");
  instructor.setInstructor(store.isInstructor);
});
if (isLocked(location.search)) {
  view.stage.lock();
  document.body.classList.add("locked");
}
installProbe(context.store, view.stage);

setInterval(() => {
  if (document.hidden) return;
  const now_ms = performance.now();
  topBar.update(now_ms);
  view.update(now_ms);
}, kWords_ms);

window.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
  if (event.key === "?") openHelp();
  else if (/^Digit[1-5]$/.test(event.code) && !event.shiftKey) tabs.openNumber(Number(event.code.slice(5)));
  else if (event.shiftKey && event.code === "KeyC") drive.toggle();
  else if (event.shiftKey && event.code === "KeyF") view.stage.look("fit");
  else if (event.code === "Space" && tabs.current === "plots" && !(event.target instanceof HTMLButtonElement)) plots.togglePause();
  else return;
  event.preventDefault();
});

context.store.on("link", (state) => {
  if (state !== "unauthorized") return;
  void askToken(token() !== "").then((given) => {
    if (given === null) return;
    setToken(given);
    link.open();
  });
});
link.open();
