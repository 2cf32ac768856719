// Makes elements. Text only ever becomes text nodes, so names from outside stay inert.

/** An element with attributes and children; children that are no nodes become text. */
function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for SVG. */
function s(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Text with what nobody can see made visible, and not without end. */
function clean(text, limit = 400) {
  const seen = String(text).replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g, "\ufffd");
  return seen.length > limit ? seen.slice(0, limit - 1) + "…" : seen;
}

const count = (n) => Number(n).toLocaleString("en-US");
const counted = (n, one, many = one + "s") => `${count(n)} ${n === 1 ? one : many}`;

/** Tells people what happened, for a moment; screen readers read it. */
function say(text) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.add("on");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.classList.remove("on"), 1600);
}
