// The interleaving: threads as lanes, steps as rows, held locks as bars. Only the rows in sight exist.

const ROW = 26;
const PLACE_WIDTH = 120;
const LANE_MIN = 100;
// The widest that the last lane is made for the sake of its text.
const LAST_MAX = 460;
// The letters of a place that there is room for.
const PLACE_MAX = 14;

class Lanes {
  constructor(story, onStep) {
    this.story = story;
    this.onStep = onStep;
    this.folded = story.steps.length > 40;
    this.open = new Set();
    this.now = story.decisiveList.length ? story.decisiveList[0] : 0;
    this.field = h("div", { class: "field", role: "presentation" });
    this.heads = h("div", { class: "heads", "aria-hidden": "true" });
    this.element = h("div", {
      class: "lanes", tabindex: "0", role: "listbox", "aria-label": "Interleaving: one lane for each thread", id: "lanes",
      onscroll: () => this.draw(),
    }, this.heads, this.field);
    this.build();
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  /** Makes the rows anew, after something was folded or opened. */
  build() {
    this.rows = this.story.rows(this.folded, this.open);
    // Per step, its row; steps in a fold are at the fold.
    this.rowOf = new Map();
    this.rows.forEach((row, n) => {
      if (row.kind === "step") this.rowOf.set(row.at, n);
    });
    this.field.style.height = `${this.rows.length * ROW}px`;
    this.resize();
  }

  resize() {
    const room = (this.element.clientWidth || 800) - PLACE_WIDTH;
    const n = Math.max(1, this.story.threads.length);
    // The text of a step runs on over the empty lanes to its right; the last lane has none.
    const last = Math.max(LANE_MIN, Math.floor(room / n), Math.min(this.textWidth(n - 1), LAST_MAX));
    const other = Math.max(LANE_MIN, Math.floor((room - last) / Math.max(1, n - 1)));
    this.widths = Array.from({ length: n }, (_, thread) => thread === n - 1 ? last : other);
    this.lefts = this.widths.map((_, thread) => PLACE_WIDTH + thread * other);
    this.width = this.lefts[n - 1] + last;
    this.field.style.width = this.heads.style.width = `${this.width}px`;
    this.heads.replaceChildren(h("div", { class: "place", style: `width:${PLACE_WIDTH}px` }, "place"),
      ...this.story.threads.map((name, thread) => h("div", { style: `width:${this.widths[thread]}px`, title: clean(name) }, clean(name, 80))));
    this.drawn = null;
    this.draw();
  }

  /** About how wide the text of a thread's steps is, as far as there are not too many. */
  textWidth(thread) {
    const steps = this.rows.slice(0, 2000).filter((row) => row.kind === "step" && this.story.steps[row.at][0] === thread);
    return 40 + 7 * Math.max(0, ...steps.map((row) => this.text(row.at).length));
  }

  /** What a step does, with what is to be said of its place in the story. */
  text(at) {
    return (this.story.decisive.has(at) ? "▶ " : "") + (at >= this.story.pending ? "next: " : "") + this.story.phrase(this.story.steps[at]);
  }

  draw() {
    const top = Math.max(0, Math.floor(this.element.scrollTop / ROW) - 8);
    const end = Math.min(this.rows.length, top + Math.ceil((this.element.clientHeight || 600) / ROW) + 16);
    const key = `${top}-${end}-${this.now}-${this.width}`;
    if (this.drawn === key) return;
    this.drawn = key;
    const parts = [];
    for (let n = top; n < end; n++) parts.push(this.row(this.rows[n], n));
    this.field.replaceChildren(...this.bars(top, end), ...parts);
    const current = this.rowOf.get(this.now);
    this.element.setAttribute("aria-activedescendant", current !== undefined && current >= top && current < end ? `step-${this.now}` : "");
  }

  row(row, n) {
    const style = `top:${n * ROW}px;height:${ROW}px`;
    if (row.kind === "gap") return h("div", { class: "row fold", style }, h("div", {}, `… ${counted(row.steps, "step")} left out of the report`));
    if (row.kind === "fold") {
      return h("div", { class: "row fold", style, "data-fold": row.from, onclick: () => this.unfold(row.from) },
        h("div", {}, `⋯ ${counted(row.to - row.from + 1, "step")} folded`));
    }
    if (row.kind === "switch") return this.switchRow(row.one, style);
    const step = this.story.steps[row.at];
    const decisive = this.story.decisive.has(row.at);
    const next = row.at >= this.story.pending;
    // Of a long one the line at its end says more than its beginning.
    const place = this.story.place(step), letters = [...place];
    const classes = ["row", decisive && "decisive", next && "next", row.at === this.now && "now"].filter(Boolean).join(" ");
    const cells = this.story.threads.map((_, thread) => h("div", { style: `width:${this.widths[thread]}px`, class: thread === step[0] ? "cell own" : "cell" },
      thread === step[0] && [h("b", { class: "dot " + this.story.kind(step), "aria-hidden": "true" }),
        h("span", { title: this.story.phrase(step) }, this.text(row.at))]));
    return h("div", {
      class: classes, style, id: `step-${row.at}`, role: "option", "aria-selected": String(row.at === this.now),
      "aria-label": `step ${row.at + 1}, ${this.story.thread(step)} ${this.story.phrase(step)}`, onclick: () => this.go(row.at),
    }, h("div", { class: "place", style: `width:${PLACE_WIDTH}px`, title: place }, letters.length > PLACE_MAX ? "…" + letters.slice(1 - PLACE_MAX).join("") : place), cells);
  }

  switchRow(one, style) {
    const name = clean(this.story.threads[one.thread]);
    const text = one.kind === "preempted" ? `⚡ ${name} is interrupted here: preemption ${one.number}`
      : one.kind === "waits" ? `${name} waits for ${clean(one.for)}` : `${name} spins`;
    // In the lane of the thread, as far as there is room to the right.
    const x = Math.min(this.lefts[one.thread] + 22, (this.element.clientWidth || this.width) - 8 * text.length);
    return h("div", { class: `row switch ${one.kind}`, style }, h("div", { style: `padding-left:${Math.max(x, 22)}px` }, text));
  }

  /** The locks that are held in the rows in sight. */
  bars(top, end) {
    const depth = new Map();
    // What begins and ends in one fold is folded, too.
    const isFolded = (from, to) => to !== null && !this.rowOf.has(from) && this.rowNear(from) === this.rowNear(to);
    return this.story.scopes.filter(([, , from, to]) => !isFolded(from, to)).filter(([, , from, to]) => this.rowNear(from) < end && (to === null ? this.rows.length : this.rowNear(to)) >= top)
      .slice(0, 400).map(([thread, lock, from, to]) => {
        const at = depth.get(thread) || 0;
        depth.set(thread, at + 1);
        const y = Math.max(this.rowNear(from), top - 1), bottom = Math.min(to === null ? this.rows.length : this.rowNear(to) + 1, end + 1);
        const name = clean(this.story.objects[lock] ? this.story.objects[lock].name : "?");
        const x = this.lefts[thread] + this.widths[thread] - 9 - (at % 4) * 7;
        return h("div", { class: "lock", title: `${clean(this.story.threads[thread])} holds ${name}`, style: `left:${x}px;top:${y * ROW + 3}px;height:${Math.max(4, (bottom - y) * ROW - 6)}px` });
      });
  }

  /** The row of a step, or of the fold that hides it. */
  rowNear(step) {
    const known = this.rowOf.get(step);
    if (known !== undefined) return known;
    let low = 0, high = this.rows.length - 1, best = 0;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const first = this.firstStep(middle);
      if (first <= step) { best = middle; low = middle + 1; } else high = middle - 1;
    }
    return best;
  }

  /** The first step of a row or of the next row that has one. */
  firstStep(n) {
    for (; n < this.rows.length; n++) {
      const row = this.rows[n];
      if (row.kind === "step") return row.at;
      if (row.kind === "fold") return row.from;
      if (row.kind === "switch") return row.one.before;
    }
    return this.story.steps.length;
  }

  unfold(from) {
    this.open.add(from);
    this.now = from;
    this.build();
    this.go(from);
  }

  fold(folded) {
    this.folded = folded;
    this.open.clear();
    this.build();
    this.go(this.rowOf.has(this.now) ? this.now : this.firstStep(this.rowNear(this.now)));
  }

  /** To the next or the one before of the steps that are shown; folds are steps, too. */
  move(by) {
    let n = this.rowNear(this.now) + by;
    while (n >= 0 && n < this.rows.length && this.rows[n].kind !== "step") n += by;
    if (n >= 0 && n < this.rows.length) this.go(this.rows[n].at);
  }

  moveDecisive(by) {
    const list = this.story.decisiveList;
    const next = by > 0 ? list.find((at) => at > this.now) : [...list].reverse().find((at) => at < this.now);
    if (next !== undefined) this.go(next);
  }

  /** Opens the next fold, or the last one if none follows. */
  openNear() {
    const n = this.rowNear(this.now);
    const isFold = (row) => row.kind === "fold";
    const fold = this.rows.slice(n).find(isFold) || this.rows.slice(0, n).reverse().find(isFold);
    if (fold) this.unfold(fold.from);
  }

  go(step) {
    this.now = Math.max(0, Math.min(step, this.story.steps.length - 1));
    const y = this.rowNear(this.now) * ROW, head = this.heads.offsetHeight || 30;
    const { scrollTop, clientHeight } = this.element;
    if (y < scrollTop || y + ROW > scrollTop + clientHeight - head) this.element.scrollTop = y - clientHeight / 2 + head;
    const thread = this.story.steps[this.now][0], x = this.lefts[thread], end = x + this.widths[thread];
    const { scrollLeft, clientWidth } = this.element;
    if (x < scrollLeft || end > scrollLeft + clientWidth) this.element.scrollLeft = end - clientWidth;
    this.drawn = null;
    this.draw();
    this.onStep(this.now);
  }
}
