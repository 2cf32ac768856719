// The frame: views, keys, the theme.

const findings = report.findings || [];
let view = null;
let current = 0;

function theme(name) {
  document.documentElement.dataset.theme = name;
  document.getElementById("theme").setAttribute("aria-pressed", String(name === "dark"));
}

function toggleTheme() {
  theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}

function header() {
  const n = findings.length;
  document.getElementById("top").append(h("h1", {}, "Raddle"), h("span", { class: "subject", title: clean(report.input.name) }, clean(report.input.name)),
    h("span", { class: "badge " + (n ? "bad" : "good") }, n ? counted(n, "finding") : "no findings"),
    h("button", { id: "theme", onclick: toggleTheme }, "Theme ", h("kbd", {}, "t")), h("button", { id: "help", onclick: help }, "Keys ", h("kbd", {}, "?")));
}

const NAV_MAX = 300;

function navigation() {
  const link = (n, text, small) => h("a", { href: n ? `#finding-${n}` : "#overview", "data-view": n }, h("b", {}, text), small && h("small", {}, small));
  document.getElementById("nav").append(link(0, "Overview"), ...findings.slice(0, NAV_MAX).map((finding, n) =>
    link(n + 1, title(finding), `${clean(finding.property)} · ${clean(finding.verdict)}`)),
    findings.length > NAV_MAX ? h("p", { class: "empty" }, `… and ${count(findings.length - NAV_MAX)} more`) : "");
}

/** Shows the view that the address names. */
function route() {
  const match = /^#finding-(\d+)$/.exec(location.hash);
  const n = match ? Math.min(Number(match[1]), findings.length) : 0;
  current = n;
  const main = document.getElementById("main");
  view = n > 0 ? new FindingView(findings[n - 1], stories[n - 1]) : null;
  main.replaceChildren(...(view ? view.parts : overview().flat().filter(Boolean)));
  main.dataset.view = String(n);
  document.querySelectorAll("#nav a").forEach((one) => {
    if (Number(one.dataset.view) === n) one.setAttribute("aria-current", "page"); else one.removeAttribute("aria-current");
  });
  document.title = n > 0 ? `${title(findings[n - 1])} – Raddle` : `Raddle: ${clean(report.input.name)}`;
  if (view) view.start();
  scrollTo(0, 0);
}

function show(n) {
  location.hash = n > 0 ? `#finding-${n}` : "#overview";
}

const KEYS = [["j, ↓", "next step"], ["k, ↑", "previous step"], ["n, p", "next, previous decisive step"], ["Home, End", "first, last step"],
  ["f", "fold steps that do not matter, or show everything"], ["Enter", "open the next fold"], ["c", "copy the replay command"],
  ["], [", "next, previous finding"], ["0", "overview"], ["t", "light or dark"], ["?", "this help"]];

function help() {
  const dialog = h("dialog", { "aria-label": "Keys", onclose: () => dialog.remove() }, h("h2", {}, "Keys"),
    h("table", {}, h("tbody", {}, KEYS.map(([key, what]) => h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", {}, what))))), h("button", { onclick: () => dialog.close(), autofocus: true }, "Close"));
  document.body.append(dialog);
  dialog.showModal();
}

const ACTIONS = {
  j: () => view && view.lanes && view.lanes.move(1), ArrowDown: () => view && view.lanes && view.lanes.move(1),
  k: () => view && view.lanes && view.lanes.move(-1), ArrowUp: () => view && view.lanes && view.lanes.move(-1),
  n: () => view && view.lanes && view.nextDecisive(), p: () => view && view.lanes && view.lanes.moveDecisive(-1),
  Home: () => view && view.lanes && view.lanes.go(view.lanes.firstStep(0)), End: () => view && view.lanes && view.lanes.go(view.story.steps.length - 1),
  f: () => view && view.lanes && view.toggleFold(), Enter: () => view && view.lanes && view.lanes.openNear(), c: () => view && view.copy(),
  "]": () => show(Math.min(current + 1, findings.length)), "[": () => show(Math.max(current - 1, 0)), 0: () => show(0), t: toggleTheme, "?": help,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  // Buttons and links have Enter for themselves; the source scrolls by arrows.
  const on = event.target.closest && event.target.closest("button, a, pre, .graph");
  if (on && ["Enter", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
  const action = ACTIONS[event.key];
  if (!action || (!view && !["]", "[", "0", "t", "?"].includes(event.key))) return;
  event.preventDefault();
  action();
});

header();
navigation();
theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
addEventListener("hashchange", route);
if (!location.hash && findings.length === 1) history.replaceState(null, "", "#finding-1");
route();
document.documentElement.dataset.ready = "yes";
