// One finding: what it is, its interleaving step by step, the source beside it, values, causality, replay.

class FindingView {
  constructor(finding, story) {
    this.finding = finding;
    this.story = story;
    const details = finding.details || {};
    const facts = [];
    if (finding.preemptions !== undefined) {
      facts.push(`${counted(finding.preemptions, "preemption")}${details.minimal ? ", the fewest possible" : ""}`);
    }
    if (details.switches !== undefined) facts.push(counted(details.switches, "switch", "switches"));
    if (finding.occurrences > 1) facts.push(`seen ${counted(finding.occurrences, "time")}`);
    if (details.bound !== undefined && details.bound !== null) facts.push(`found at bound ${details.bound}`);
    this.parts = [h("section", { class: "panel" },
      h("p", { style: "margin:0 0 6px" }, h("span", { class: "badge " + mood(finding) }, clean(finding.property)), h("span", { class: "badge" }, clean(finding.verdict)),
        details.known && h("span", { class: "badge good" }, "known"), details.predicted && h("span", { class: "badge" }, "also predicted")),
      h("h2", {}, title(finding)),
      finding.story && finding.story.why && h("p", { class: "why" }, finding.story.why.map((line) => clean(line)).join("\n")),
      !(finding.story && finding.story.why) && sites(finding),
      h("p", { class: "why" }, facts.join(" · ")),
      finding.fingerprint && h("details", {}, h("summary", {}, "Details"), h("p", { class: "why" }, `fingerprint ${clean(finding.fingerprint)}`)),
      (finding.causes || []).map((cause) => part(cause, (details.new_causes || []).includes(cause.fingerprint))),
      details.status && h("p", { class: "why" }, clean(details.status)),
      finding.replay && h("div", { class: "replay" }, h("code", { id: "replay", tabindex: "0" }, clean(finding.replay, 100000)), h("button", { id: "copy", onclick: () => this.copy() }, "Copy ", h("kbd", {}, "c"))))];
    if (!story) {
      this.parts.push(h("p", { class: "empty" }, "This report has no interleaving for this finding."));
      return;
    }
    this.lanes = new Lanes(story, (step) => this.show(step));
    this.where = h("span", { class: "where", id: "where" });
    this.source = h("div", { id: "source" });
    this.values = h("div", { id: "values" });
    this.graph = new Graph(story, (step) => this.lanes.go(step));
    this.foldButton = h("button", { id: "fold", onclick: () => this.toggleFold() });
    this.parts.push(h("div", { class: "work" },
      h("section", { class: "panel" }, h("h3", {}, "Interleaving"),
        h("div", { class: "bar" }, h("button", { id: "back", "aria-label": "previous step", onclick: () => this.lanes.move(-1) }, "↑ ", h("kbd", {}, "k")),
          h("button", { id: "forth", "aria-label": "next step", onclick: () => this.lanes.move(1) }, "↓ ", h("kbd", {}, "j")),
          h("button", { id: "decisive", onclick: () => this.nextDecisive() }, "Next decisive ", h("kbd", {}, "n")), this.foldButton, this.where),
        this.lanes.element, legend()),
      h("div", {}, h("section", { class: "panel" }, h("h3", {}, "Source"), this.source),
        h("section", { class: "panel" }, h("h3", {}, "Values and locks"), this.values))),
      h("section", { class: "panel" }, h("h3", {}, "Causality"), this.graph.element));
  }

  /** After the parts are on the page. */
  start() {
    if (!this.lanes) return;
    this.label();
    this.lanes.resize();
    this.lanes.go(this.lanes.now);
  }

  label() {
    this.foldButton.replaceChildren(this.lanes.folded ? "Show everything " : "Fold ", h("kbd", {}, "f"));
    this.foldButton.setAttribute("aria-pressed", String(this.lanes.folded));
  }

  toggleFold() {
    this.lanes.fold(!this.lanes.folded);
    this.label();
    say(this.lanes.folded ? "folded" : "everything is shown");
  }

  nextDecisive() {
    const before = this.lanes.now;
    this.lanes.moveDecisive(1);
    if (this.lanes.now === before && this.story.decisiveList.length) this.lanes.go(this.story.decisiveList[0]);
  }

  show(step) {
    const one = this.story.steps[step];
    this.where.textContent = `step ${count(step + 1)} of ${count(this.story.steps.length)}`;
    this.showSource(one);
    this.showValues(step);
    this.graph.go(step);
  }

  showSource(step) {
    const place = this.story.places[step[3]];
    if (!place || !place.file || !sources.has(place.file)) {
      this.file = undefined;
      this.source.replaceChildren(h("p", { class: "empty" }, place ? `${clean(place.name)}: the report does not contain this source file` : "This step has no source location."));
      return;
    }
    if (this.file !== place.file) {
      this.file = place.file;
      const hot = new Set(this.story.decisiveList.map((at) => this.story.places[this.story.steps[at][3]]).filter((p) => p && p.file === place.file).map((p) => p.line));
      this.pre = h("pre", { tabindex: "0", "aria-label": "Source" }, sources.get(place.file).map((part) => part.lines.map((line, n) =>
        h("div", { class: "l" + (hot.has(part.first + n) ? " hot" : ""), "data-line": part.first + n }, h("i", {}, part.first + n), h("span", {}, clean(line.replace(/\t/g, "    "), 1000) || " ")))));
      this.source.replaceChildren(h("div", { class: "source" }, h("div", { class: "file" }, clean(place.file)), this.pre));
    }
    this.pre.querySelectorAll(".here").forEach((line) => line.classList.remove("here"));
    const line = this.pre.querySelector(`[data-line="${Number(place.line)}"]`);
    if (!line) return;
    line.classList.add("here");
    this.pre.scrollTop = line.offsetTop - this.pre.clientHeight / 2;
  }

  showValues(step) {
    const { values, held } = this.story.stateAt(step);
    const name = (n) => clean(this.story.objects[n] ? this.story.objects[n].name : "?");
    const rows = values.slice(0, 12).map(([object, { value, step: at }]) => h("tr", { class: at === step ? "changed" : "" }, h("td", {}, h("code", {}, name(object))), h("td", {}, h("code", {}, clean(value)))));
    const locks = held.slice(0, 12).map(([thread, lock]) => h("tr", {}, h("td", {}, h("code", {}, name(lock))), h("td", {}, `held by ${clean(this.story.threads[thread])}`)));
    this.values.replaceChildren(rows.length + locks.length ? h("table", { class: "values" }, h("tbody", {}, locks, rows)) : h("p", { class: "empty" }, "No values are known yet."));
  }

  copy() {
    const text = this.finding.replay;
    if (!text) return;
    const done = () => say("copied");
    const range = () => {
      const code = document.getElementById("replay");
      getSelection().selectAllChildren(code);
      if (document.execCommand("copy")) done(); else say("select the command and copy it");
    };
    if (navigator.clipboard && isSecureContext) navigator.clipboard.writeText(text).then(done, range); else range();
  }
}

/** What a finding goes back to. */
function part(cause, isNew) {
  const objects = (cause.objects || []).map((object) => clean(object.name)).join(", ");
  const places = cause.locations.map((site) => clean(site.name)).join(" and ");
  return h("p", { class: "why cause" }, `Caused by the ${clean(cause.property)}${objects && " on " + objects} at ${places}${isNew ? ", new" : ""}`,
    cause.replay && h("span", {}, `. Replay the ${clean(cause.property)} alone: `, h("code", {}, clean(cause.replay, 100000))));
}

function sites(finding) {
  const all = finding.locations || [];
  if (all.length === 0) return null;
  return h("ul", { class: "plain" }, all.slice(0, 12).map((site) => {
    const where = site.file && site.line ? `${site.file}:${site.line}` : site.name;
    return h("li", {}, h("code", {}, clean(where)), ` ${site.thread ? clean(site.thread) + ": " : ""}${clean(site.role)}`);
  }));
}

function legend() {
  const one = (mark, text) => h("span", {}, mark, text);
  const dot = (kind) => h("b", { class: "dot " + kind });
  return h("div", { class: "legend" }, one(dot("read"), "read"), one(dot("write"), "write"), one(dot("sync"), "synchronisation"), one(dot("bad"), "failure"), one(h("b", { class: "lockmark" }), "lock held"), one("▶ ", "decisive step"));
}
