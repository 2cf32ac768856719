// The first view: what was explored, what that proves, what is left of all candidates, how it grew.

const FUNNEL = [["candidates", "candidates"], ["lsa", "locks allow it"], ["mhb", "order allows it"], ["asked", "examined"], ["ucg", "both allow it"], ["witnessed", "witnessed"], ["unknown", "unknown"]];

function overview() {
  const exploration = stats.exploration;
  const findings = report.findings || [];
  return [
    exploration ? guarantee(exploration, findings) : h("section", { class: "panel" },
      h("p", { class: "claim " + (findings.length ? "bad" : "") }, counted(findings.length, "finding")),
      skipped()),
    h("div", { class: "grid" },
      exploration && h("section", { class: "panel" }, h("h3", {}, "Explored"), explored(exploration)),
      stats.bounds && stats.bounds.length > 0 && h("section", { class: "panel" }, h("h3", {}, "Per bound"), bounds(exploration)),
      stats.growth && stats.growth.length > 1 && h("section", { class: "panel" }, h("h3", {}, "Coverage growth"), growth(stats.growth)),
      funnels(),
      stats.ranges && h("section", { class: "panel" }, h("h3", {}, "Assertions, over all interleavings of a run"), ranges(stats.ranges)),
      stats.prediction && h("section", { class: "panel" }, h("h3", {}, "Predicted from one recorded run"), prediction(stats.prediction))),
    stats.specification && specification(stats.specification),
    stats.ruled_out && stats.ruled_out.length > 0 && h("section", { class: "panel", id: "ruled-out" }, h("h3", {}, "Ruled out"), ruledOut(stats.ruled_out)),
    findings.length > 0 && h("section", { class: "panel" }, h("h3", {}, "Findings"), findingTable(findings)),
    report.repairs && report.repairs.length > 0 && h("section", { class: "panel" },
      h("h3", {}, counted(report.repairs.length, "repair")),
      h("ul", { class: "plain" }, report.repairs.slice(0, 50).map((one) =>
        h("li", {}, clean(`${one.line ? `line ${one.line}: ` : ""}${one.rule}: ${one.action}`))))),
  ];
}

function guarantee(exploration, findings) {
  const mood = findings.length ? "bad" : exploration.complete ? "good" : "";
  const lead = findings.length ? `${counted(findings.length, "finding")}. ` : "";
  return h("section", { class: "panel" },
    h("p", { class: "claim " + mood }, lead + capital(clean(exploration.claim || ""))),
    h("ul", { class: "plain" }, (exploration.conditions || []).map((one) => h("li", {}, clean(one)))), skipped());
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function skipped() {
  const all = report.skipped || [];
  return all.length > 0 && h("ul", { class: "plain" }, all.map((one) => h("li", {}, clean(`${one.property} was not checked: ${one.reason}`))));
}

function facts(list) {
  return h("dl", { class: "facts" }, list.filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

function explored(exploration) {
  const maxima = exploration.maxima || {};
  const seconds = report.timing && report.timing.total_s;
  const rate = report.timing && report.timing.executions_per_s;
  const strategy = clean(exploration.strategy);
  return [facts([
    ["executions", count(exploration.executions)], ["strategy", strategy === "portfolio" ? undefined : strategy],
    ["time", seconds === undefined ? undefined : `${seconds.toFixed(seconds < 1 ? 3 : 1)} s`],
    ["per second", rate === undefined ? undefined : count(Math.round(rate))],
    ["threads", maxima.threads && count(maxima.threads)], ["most steps", maxima.steps && count(maxima.steps)],
    ["most preemptions", maxima.preemptions === undefined ? undefined : count(maxima.preemptions)],
    ["seed", report.seed === undefined ? undefined : String(report.seed)],
  ]), h("details", {}, h("summary", {}, "Details"), facts([["strategy", strategy], ["steps (K)", maxima.steps && count(maxima.steps)],
    ["blocking steps (B)", maxima.blocking_steps === undefined ? undefined : count(maxima.blocking_steps)],
    ["preemptions (c)", maxima.preemptions === undefined ? undefined : count(maxima.preemptions)]]), theorem())];
}

/** How many executions there can be at each bound. */
function theorem() {
  const rows = (stats.bounds || []).filter((row) => row.theorem_1);
  return rows.length > 0 && h("table", {}, h("thead", {}, h("tr", {}, ["bound", "executions at most (Theorem 1)"].map((text) => h("th", {}, text)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("td", {}, String(row.bound)), h("td", {}, clean(row.theorem_1))))));
}

function bounds(exploration) {
  const rows = stats.bounds;
  const name = (row) => (row.bound === null ? (exploration.strategy === "dfs" ? "all" : "sampled") : String(row.bound));
  const table = h("table", {}, h("thead", {}, h("tr", {}, [clean(exploration.unit || "bound"), "executions", "states", ""].map((text) => h("th", {}, text)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("td", {}, name(row)), h("td", {}, count(row.executions)),
      h("td", {}, row.states === null ? "–" : count(row.states)), h("td", {}, row.complete ? h("span", { class: "badge good" }, "complete") : "")))));
  return [bars(rows.map((row) => [name(row), row.executions])), table];
}

/** Bars on a logarithmic scale: bounds grow by factors. */
function bars(values) {
  const width = 420, step = 24, left = 64;
  const most = Math.log10(Math.max(...values.map(([, n]) => n), 1) + 1);
  const rows = values.slice(0, 12);
  return s("svg", { viewBox: `0 0 ${width} ${rows.length * step + 4}`, role: "img", "aria-label": "Executions per bound, on a logarithmic scale" },
    rows.map(([name, n], at) => {
      const w = Math.max(2, ((width - left - 90) * Math.log10(n + 1)) / (most || 1));
      return [s("text", { x: left - 8, y: at * step + 16, "text-anchor": "end", class: "soft" }, name),
        s("rect", { x: left, y: at * step + 4, width: w, height: step - 8, rx: 3, class: "mark" }),
        s("text", { x: left + w + 6, y: at * step + 16 }, count(n))];
    }));
}

function growth(points) {
  const width = 420, height = 190, left = 58, bottom = 26, top = 12, right = 12;
  const maxX = points[points.length - 1][0] || 1, maxY = Math.max(...points.map((p) => p[1]), 1);
  const x = (n) => left + ((width - left - right) * n) / maxX;
  const y = (n) => height - bottom - ((height - bottom - top) * n) / maxY;
  const line = points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Distinct states grow to ${count(maxY)} in ${counted(maxX, "execution")}` },
    s("polygon", { class: "area", points: `${x(points[0][0])},${y(0)} ${line} ${x(maxX)},${y(0)}` }),
    s("line", { class: "axis", x1: left, y1: y(0), x2: width - right, y2: y(0) }), s("line", { class: "axis", x1: left, y1: y(0), x2: left, y2: top }),
    s("polyline", { class: "curve", points: line }),
    s("text", { x: left - 6, y: y(maxY) + 4, "text-anchor": "end", class: "soft" }, count(maxY)), s("text", { x: left - 6, y: y(0), "text-anchor": "end", class: "soft" }, "0"),
    s("text", { x: width - right, y: height - 8, "text-anchor": "end", class: "soft" }, counted(maxX, "execution")), s("text", { x: left, y: height - 8, class: "soft" }, "states"));
}

function funnels() {
  return Object.entries(stats).filter(([, counts]) => counts && counts.witnessed !== undefined).map(([name, counts]) =>
    h("section", { class: "panel" }, h("h3", {}, `Candidates: ${clean(name.replace("_", "-"))}`),
      bars(FUNNEL.filter(([key]) => counts[key] !== undefined).map(([key, label]) => [label, counts[key]]).map(([label, n]) => [short(label), n]))));
}

const short = (label) => ({ "locks allow it": "locks", "order allows it": "order", "both allow it": "both", candidates: "all", witnessed: "shown" }[label] || label);

function ranges(ranges) {
  const style = { proved: "good", refuted: "bad", unknown: "warn" };
  return h("table", {}, h("tbody", {}, (ranges.assertions || []).map((one) => h("tr", {}, h("td", {}, clean(one.text)),
    h("td", {}, h("span", { class: "badge " + (style[one.verdict] || "") }, clean(one.verdict)), one.by ? `by ${clean(one.by)}` : "",
      one.found && one.verdict === "proved" ? "; it fails on another path" : "")))));
}

/** What cannot happen, each with the orders that leave no interleaving. */
function ruledOut(all) {
  const order = (one) => h("li", {}, h("code", {}, clean(one.before)), " before ", h("code", {}, clean(one.after)), h("span", { class: "soft" }, ` ${clean(one.because)}`));
  return all.map((one) => h("details", {}, h("summary", {}, clean(one.message)), h("p", {}, clean(one.why)),
    one.core && one.core.length > 0 && h("ol", { class: "core" }, one.core.map(order))));
}

function prediction(told) {
  return facts([["events", count(told.events)], ["findings", count(told.findings)], ["replayed", count(told.replayed)], ["also found by searching", count(told.found_by_search)]]);
}

function findingTable(findings) {
  return h("table", {}, h("thead", {}, h("tr", {}, ["finding", "kind", "verdict", "preemptions"].map((text) => h("th", {}, text)))),
    h("tbody", {}, findings.slice(0, 500).map((finding, n) => h("tr", {}, h("td", {}, h("a", { href: `#finding-${n + 1}` }, title(finding))),
      h("td", {}, clean(finding.property)), h("td", {}, h("span", { class: "badge " + mood(finding) }, clean(finding.verdict))),
      h("td", {}, finding.preemptions === undefined ? "–" : finding.preemptions)))));
}
