// A specification: the lines of the program, with the if(*) that it needs, and what makes it impossible.

const SPECIFIED = {
  serializable: ["good", "No if(*) is needed: threads can be executed one after the other"],
  inferred: ["good", "With these if(*), threads can be executed one after the other"],
  none: ["bad", "No sequential execution explains what the threads did"],
  unknown: ["warn", "Unknown: the solver gave up"],
};

/** Everything that is known of it. */
function specification(spec) {
  const [mood, words] = SPECIFIED[spec.verdict] || ["", spec.verdict];
  const files = new Set([...(spec.if_star || []), ...(spec.irrelevant || [])].map((lines) => lines.file));
  for (const conflict of spec.conflicts || []) files.add(conflict.before.file).add(conflict.after.file);
  return h("section", { class: "panel", id: "specification" }, h("h3", {}, "Sequential specification"),
    h("p", { class: "claim " + mood }, clean(words)),
    facts([["if(*)", count(spec.cost || 0)], ["minimum for", clean(spec.optimal_for || "")], ["result in", clean((spec.focus || []).join(", "))],
      ["traces", count(spec.traces || 0)], ["executed in sequence", spec.replayed ? count(spec.replayed) : undefined]]),
    spec.functional && h("p", {}, clean(spec.functional.text)),
    conflicts(spec.conflicts || []),
    [...files].map((file) => specified(spec, file)));
}

/** Orders between iterations that make a cycle. */
function conflicts(all) {
  const place = (access) => clean(`${access.file}:${access.line} (${access.thread})`);
  return all.length > 0 && [h("p", {}, "These accesses cannot keep their order if one thread comes after the other:"),
    h("ol", { class: "core" }, all.map((one) => h("li", {}, h("code", {}, place(one.before)), " before ", h("code", {}, place(one.after)),
      h("span", { class: "soft" }, ` on ${clean(one.variable)}`))))];
}

/** A file, with if(*) around what may be left out, and what has no effect on the result dimmed. */
function specified(spec, file) {
  const own = (list) => (list || []).filter((lines) => lines.file === file);
  const stars = own(spec.if_star), idle = own(spec.irrelevant);
  const inside = (list, n) => list.some((lines) => lines.from <= n && n <= lines.to);
  const clashes = new Set((spec.conflicts || []).flatMap((one) => [one.before, one.after]).filter((at) => at.file === file).map((at) => at.line));
  const row = (n, text, kind, note) => h("div", { class: "line" + (kind ? " " + kind : "") }, h("span", { class: "number" }, n), h("code", {}, clean(text, 200)),
    note && h("span", { class: "note" }, note));
  const rows = (sources.get(file) || []).flatMap((part) => part.lines.flatMap((text, at) => {
    const n = part.first + at, indent = text.match(/^\s*/)[0];
    const kind = inside(stars, n) ? "star" : clashes.has(n) ? "clash" : inside(idle, n) ? "idle" : "";
    const note = kind === "clash" ? "in conflict" : kind === "idle" ? "no effect on the result" : "";
    return [stars.some((lines) => lines.from === n) && row("", `${indent}if (*) {`, "star added"), row(n, text, kind, note),
      stars.some((lines) => lines.to === n) && row("", `${indent}}`, "star added")];
  }));
  return rows.length > 0 && h("figure", { class: "specified" }, h("figcaption", {}, clean(file)), h("div", { class: "listing", tabindex: "0", role: "region", "aria-label": `${clean(file)} with its specification` }, rows));
}
