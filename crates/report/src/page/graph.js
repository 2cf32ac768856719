// The causality graph: what orders the steps around those that decide, and what nothing orders.

const NODES_MAX = 48;

/** The steps that are drawn: those that decide, and what leads to them. */
function graphNodes(story) {
  const into = new Map(), out = new Map();
  for (const [from, to] of story.edges) {
    into.set(to, [...(into.get(to) || []), from]);
    out.set(from, [...(out.get(from) || []), to]);
  }
  const chosen = new Set(story.decisiveList.slice(0, NODES_MAX / 2));
  let front = [...chosen];
  if (front.length === 0) front = [story.steps.length - 1];
  front.forEach((at) => chosen.add(at));
  // Backwards from what decides: along edges, and along each thread to the next step with an edge.
  const seen = new Set(front);
  while (front.length && chosen.size < NODES_MAX) {
    const at = front.shift();
    const near = [...(into.get(at) || []), ...(out.get(at) || []).filter((to) => story.decisive.has(at) || to <= at)];
    const thread = story.steps[at][0];
    for (let n = at - 1, looked = 0; n >= 0 && looked < 4000; n--, looked++) {
      if (story.steps[n][0] === thread && (into.has(n) || out.has(n))) { near.push(n); break; }
    }
    for (const n of near) {
      if (seen.has(n) || chosen.size >= NODES_MAX) continue;
      seen.add(n);
      chosen.add(n);
      front.push(n);
    }
  }
  return [...chosen].sort((a, b) => a - b);
}

const EDGE_NAMES = { thread: "starts, joins", sync: "releases, takes", value: "writes, reads", blocked: "waits for", race: "not ordered", needed: "must come first" };

class Graph {
  constructor(story, onPick) {
    this.nodes = graphNodes(story);
    const row = new Map(this.nodes.map((at, n) => [at, n]));
    const lane = 190, step = 34, left = 20, top = 34;
    const width = left + lane * story.threads.length, height = top + step * this.nodes.length + 10;
    const x = (at) => left + story.steps[at][0] * lane + 12, y = (at) => top + row.get(at) * step + 12;
    const lines = story.threads.map((name, n) => {
      const own = this.nodes.filter((at) => story.steps[at][0] === n);
      return [s("text", { x: left + n * lane, y: 16, "font-weight": "600" }, clean(name, 24)),
        own.length > 1 && s("line", { class: "program", x1: x(own[0]), y1: y(own[0]), x2: x(own[0]), y2: y(own[own.length - 1]) })];
    });
    const kinds = new Set();
    const edges = story.edges.filter(([from, to]) => row.has(from) && row.has(to)).map(([from, to, kind]) => {
      kinds.add(kind);
      const [x1, y1, x2, y2] = [x(from), y(from), x(to), y(to)];
      // Downwards beside the labels, upwards around them.
      const bend = Math.max(14, Math.min(40, Math.abs(y2 - y1) / 2));
      const path = y2 > y1 ? `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`
        : `M${x1},${y1} C${x1 - 60},${y1} ${x2 - 60},${y2} ${x2},${y2}`;
      return s("path", { class: kind, d: path, "marker-end": kind === "race" ? null : `url(#tip-${kind})` }, s("title", {}, story.reason(from, to) || EDGE_NAMES[kind]));
    });
    this.circles = new Map();
    const nodes = this.nodes.map((at) => {
      const text = story.phrase(story.steps[at]);
      const circle = s("circle", { class: "node" + (story.decisive.has(at) ? " decisive" : ""), cx: x(at), cy: y(at), r: 7 });
      this.circles.set(at, circle);
      return s("g", { onclick: () => onPick(at), style: "cursor:pointer" }, circle, s("text", { x: x(at) + 12, y: y(at) + 4 }, clean(text, 24)), s("title", {}, `${story.place(story.steps[at])} ${text}`));
    });
    const tips = ["thread", "sync", "value", "blocked", "needed"].map((kind) => s("marker", { id: `tip-${kind}`, viewBox: "0 0 8 8", refX: 14, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse" },
      s("path", { class: kind, d: "M0,0 L8,4 L0,8" })));
    const words = this.nodes.filter((at) => story.decisive.has(at)).map((at) => `${story.thread(story.steps[at])} ${story.phrase(story.steps[at])}`);
    this.element = h("div", {}, h("div", { class: "graph", tabindex: "0", "aria-label": "Causality graph" },
      s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `What orders these steps: ${words.join("; ")}` }, s("defs", {}, tips), lines, edges, nodes)),
      h("div", { class: "legend graph-legend" }, [...kinds].map((kind) => h("span", {}, s("svg", { width: 26, height: 10, class: "graph" }, s("path", { class: kind, d: "M0,5 L26,5" })), EDGE_NAMES[kind]))));
  }

  go(step) {
    for (const [at, circle] of this.circles) circle.classList.toggle("now", at === step);
  }
}
