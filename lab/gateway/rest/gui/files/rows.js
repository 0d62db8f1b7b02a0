// A grid of any length of which only the rows in sight are in the page.
"use strict";

const ROW_PX = 32, SPARE = 10;

class Rows {
  // list: what scrolls; head, rows: its parts; columns: [key, heading]; chosen: is told a row's data
  constructor(list, head, rows, columns, chosen) {
    Object.assign(this, { list, rows, columns, chosen, shown: [], mark: null });
    head.append(this.#line("columnheader", columns.map(([, heading]) => heading), 1));
    list.setAttribute("aria-colcount", columns.length);
    list.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("scroll", () => requestAnimationFrame(() => this.#draw()));
    new ResizeObserver(() => this.#draw()).observe(list);
  }

  // data: [{cells: {key: text}, row}] in the order of the list; at: the one that is chosen, or null
  show(data, at) {
    this.shown = data;
    this.#mark(at);
    this.rows.style.height = `${data.length * ROW_PX}px`;
    this.list.setAttribute("aria-rowcount", data.length + 1);
    this.rows.replaceChildren();
    this.#draw();
  }

  #draw() {
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW_PX) - SPARE);
    const last = Math.min(this.shown.length,
      Math.ceil((this.list.scrollTop + this.list.clientHeight) / ROW_PX) + SPARE);
    const there = new Map([...this.rows.children].map((line) => [Number(line.dataset.at), line]));
    for (const [at, line] of there) if (at < first || at >= last) line.remove();
    for (let at = first; at < last; at++) if (!there.has(at)) this.rows.append(this.#row(at));
  }

  #row(at) {
    const one = this.shown[at];
    const line = this.#line("gridcell", this.columns.map(([key]) => one.cells[key]), at + 2);
    line.dataset.at = at;
    line.id = `row-${at}`;
    line.style.top = `${at * ROW_PX}px`;
    line.setAttribute("aria-selected", at === this.mark);
    line.addEventListener("click", () => this.#choose(at));
    line.addEventListener("dblclick", () => this.chosen(one, true));
    return line;
  }

  #key(event) {
    if (event.key === "Enter" && this.mark !== null) this.chosen(this.shown[this.mark], true);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !this.shown.length) return;
    event.preventDefault();
    const at = Math.min(this.shown.length - 1, Math.max(0, (this.mark ?? -1) + step));
    const top = at * ROW_PX, inside = this.list.clientHeight - 2 * ROW_PX;
    this.list.scrollTop = Math.min(top, Math.max(this.list.scrollTop, top - inside));
    this.#draw();
    this.#choose(at);
  }

  #choose(at) {
    this.#mark(at);
    this.chosen(this.shown[at], false);
  }

  #mark(at) {
    this.mark = at;
    if (at === null) this.list.removeAttribute("aria-activedescendant");
    else this.list.setAttribute("aria-activedescendant", `row-${at}`);
    for (const line of this.rows.children) line.setAttribute("aria-selected", Number(line.dataset.at) === at);
  }

  #line(role, texts, number) {
    const line = document.createElement("div");
    line.setAttribute("role", "row");
    line.setAttribute("aria-rowindex", number);
    for (const text of texts) {
      const cell = document.createElement("div");
      cell.setAttribute("role", role);
      cell.textContent = text;
      cell.title = text;
      line.append(cell);
    }
    return line;
  }
}
