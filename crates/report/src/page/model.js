// The report, and what a story is made of.

const data = JSON.parse(document.getElementById("data").textContent);
const report = data.report;
const stats = report.stats || {};

const sources = new Map((report.sources || []).map((source) => [source.file, source.parts]));

/** What a step is; steps are short lists in the report. */
class Story {
  constructor(finding, derived) {
    const story = finding.story;
    this.threads = story.threads;
    this.objects = story.objects || [];
    this.places = story.places || [];
    this.steps = story.steps;
    this.decisive = new Set(story.decisive || []);
    this.decisiveList = story.decisive || [];
    this.pending = this.steps.length - (story.pending || 0);
    this.switches = new Map();
    for (const at of story.switches || []) {
      if (at.kind === "gave-way") continue;
      this.switches.set(at.before, [...(this.switches.get(at.before) || []), at]);
    }
    this.omitted = new Map(story.omitted || []);
    this.stays = new Set(derived.stays);
    this.scopes = derived.scopes;
    this.edges = derived.edges;
    this.orders = (finding.details && finding.details.orders) || [];
  }

  /** Why a step must come before another, if a prediction says so. */
  reason(from, to) {
    const order = this.orders.find((one) => one[0] === from && one[1] === to);
    return order && clean(order[2] || "");
  }

  thread(step) { return clean(this.threads[step[0]]); }

  /** The step in words. */
  phrase(step) {
    const object = this.objects[step[2]];
    let text = (data.phrases[step[1]] || step[1]).replace("{}", () => (object ? object.name : "?"));
    const [, , , , value, found] = step;
    if (value !== undefined && value !== null) text += (text ? " = " : "") + (found ? `${found} -> ` : "") + value;
    return clean(text);
  }

  place(step) {
    const place = this.places[step[3]];
    if (!place) return "";
    if (!place.file || !place.line) return clean(place.name);
    return clean(`${place.file.split(/[\\/]/).pop()}:${place.line}`);
  }

  kind(step) {
    switch (step[1]) {
      case "read": return "read";
      case "write": case "change": case "free": return "write";
      case "assert-fail": case "fail": return "bad";
      default: return "sync";
    }
  }

  /** What variables hold after a step, those that it changed first, and who holds which lock. */
  stateAt(at) {
    const values = new Map();
    for (let n = 0; n <= at && n < this.pending; n++) {
      const [, action, object, , value] = this.steps[n];
      if (value === undefined || value === null || object === undefined || object === null) continue;
      if (action === "read" || action === "write" || action === "change") {
        values.delete(object);
        values.set(object, { value, step: n });
      }
    }
    const held = this.scopes.filter(([, , from, to]) => from <= at && (to === null || at < to) && from < this.pending);
    return { values: [...values].reverse(), held };
  }

  /**
   * The rows that are shown: steps, switches, and what is folded. `open` has the folds that were opened,
   * by their first step; a story that is not folded shows everything.
   */
  rows(folded, open) {
    const rows = [];
    const n = this.steps.length;
    const hides = (at) => folded && !this.stays.has(at);
    for (let at = 0; at < n; at++) {
      if (this.omitted.has(at)) rows.push({ kind: "gap", steps: this.omitted.get(at) });
      if (hides(at)) {
        let end = at;
        while (end + 1 < n && hides(end + 1) && !this.omitted.has(end + 1)) end++;
        if (end - at >= 2 && !open.has(at)) {
          rows.push({ kind: "fold", from: at, to: end });
          at = end;
          continue;
        }
        for (; at <= end; at++) this.pushStep(rows, at);
        at = end;
        continue;
      }
      this.pushStep(rows, at);
    }
    if (this.omitted.has(n)) rows.push({ kind: "gap", steps: this.omitted.get(n) });
    this.pushSwitches(rows, n);
    return rows;
  }

  pushStep(rows, at) {
    this.pushSwitches(rows, at);
    rows.push({ kind: "step", at });
  }

  pushSwitches(rows, at) {
    for (const one of this.switches.get(at) || []) rows.push({ kind: "switch", one });
  }
}

/** What a story is when there is none. */
const stories = (report.findings || []).map((finding, n) =>
  finding.story && finding.story.steps.length ? new Story(finding, data.derived[n]) : null);

const title = (finding) => clean((finding.story && finding.story.title) || finding.message);

/** Good, bad or in between. */
function mood(finding) {
  if (finding.details && finding.details.known) return "";
  return finding.verdict === "replayed" || finding.verdict === "witnessed" ? "bad" : "warn";
}
