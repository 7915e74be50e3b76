/* The explorer of a solution space: sliders that move through the lattice, and a chart whose brush
   filters a table. What it knows is the element data-explorer; see explorer.py. A node has a
   number, from 1, the last column's level fastest; a place is where a satisfying node stands in the
   arrays. */
"use strict";
(() => {
  const root = document.getElementById("explorer");
  if (!root) return;
  const given = anonsql.data("explorer");
  const SHOWN = 25;

  const unpacked = ({ bytes, text }) => {
    const raw = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    const Kind = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[bytes];
    return new Kind(raw.buffer);
  };
  const [numbers, loss, suppressed, classes, smallest, minimal, front] = ["numbers", "loss",
    "suppressed", "classes", "smallest", "minimal", "front"].map((name) => unpacked(given[name]));
  const onFront = new Set(front);
  const failing = Object.fromEntries(
    Object.entries(given.failing).map(([name, each]) => [name, unpacked(each)]));

  const columns = given.columns;
  const count = (number) => number.toLocaleString("en");
  const percent = (tenThousandths) => `${(tenThousandths / 100).toFixed(2)} %`;
  const byId = (id) => document.getElementById(id);

  /* An element with text, and other elements, in it: nothing is ever read as markup. */
  const element = (tag, ...inside) => {
    const made = document.createElement(tag);
    made.append(...inside);
    return made;
  };

  const numberOf = (levels) => 1 + columns.reduce(
    (sum, column, at) => sum * column.levels.length + levels[at] - column.levels[0][0], 0);
  const levelsOf = (number) => {
    let rest = number - 1;
    return columns.map((_, at) => columns.length - 1 - at).map((at) => {
      const step = rest % columns[at].levels.length;
      rest = (rest - step) / columns[at].levels.length;
      return columns[at].levels[0][0] + step;
    }).reverse();
  };
  const placeOf = (number) => {
    let [low, high] = [0, numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] < number) low = middle + 1; else high = middle;
    }
    return numbers[low] === number ? low : -1;
  };

  /* The words "age 2, sex 0", names apart from the text around them. */
  const inWords = (levels) => columns.flatMap((column, at) =>
    [at ? ", " : "", element("bdi", column.name), ` ${levels[at]}`]);
  const inText = (levels) => columns.map((column, at) => `${column.name} ${levels[at]}`).join(", ");

  /* Of the counted nodes that decide that a node fails, the node itself, else the one that leaves
     most rows. */
  const ends = Array.from(failing.numbers, levelsOf);
  const because = (number, levels) => {
    let found = -1;
    for (let at = 0; at < ends.length; at += 1) {
      if (failing.numbers[at] === number) return at;
      const above = !failing.alone[at] && ends[at].every((level, each) => level >= levels[each]);
      if (above && (found < 0 || failing.suppressed[at] > failing.suppressed[found])) found = at;
    }
    return found;
  };

  let view = null;
  let current = null;

  /* What a node loses by its levels alone, before any row is suppressed. */
  const lossOfLevels = (levels) => {
    const total = columns.reduce((sum, column) => sum + column.weight, 0);
    const lost = columns.reduce((sum, column, at) =>
      sum + column.weight * column.levels[levels[at] - column.levels[0][0]][3], 0);
    return percent(Math.round(lost / total * 10000));
  };

  const satisfies = (place) => {
    const rows = `${count(suppressed[place])} of ${count(given.rows)} rows are suppressed`;
    const least = minimal[place] ? " It is minimal: every finer node fails." : "";
    return [
      element("p", element("strong", "Satisfies."),
        ` It loses ${percent(loss[place])} of the information; ${rows}`
        + ` (at most ${count(given.limit)} may be).`),
      element("p", `${count(classes[place])} classes, the smallest of ${count(smallest[place])}`
        + ` rows.${least}`),
    ];
  };
  const fails = (number, levels) => {
    const at = because(number, levels);
    const why = [element("strong", "Does not satisfy.")];
    if (at >= 0) {
      const least = given.partly && !failing.alone[at] ? "at least " : "";
      const rows = ` ${least}${count(failing.suppressed[at])} rows in classes that do not keep the`
        + " promise";
      const own = failing.numbers[at] === number;
      why.push(...(own ? [" Its classes were counted: it leaves"] : [" It fails because the node ",
        ...inWords(ends[at]), ", which is as coarse or coarser in every column, was counted and"
        + " still leaves"]));
      const only = given.combinations[failing.combination[at]];
      why.push(rows, ` (${given.promise})`);
      if (only) why.push(" on ", element("bdi", only.join(", ")));
      why.push(`; at most ${count(given.limit)} may be suppressed.`);
    } else if (given.limits) {
      why.push(` Every class keeps its promise, and all together break a limit (${given.promise}).`);
    }
    return [element("p", ...why), element("p", `By its levels alone it would lose`
      + ` ${lossOfLevels(levels)} of the information.`)];
  };

  const verdict = byId("verdict");
  const sliders = columns.map((_, at) => byId(`level-${at}`));
  const lines = (levels) => ["method:", `  type: ${given.method}`, "  levels:",
    ...columns.map((column, at) => `    ${column.key}: ${levels[at]}`)].join("\n");

  const say = (at, level) => {
    const [, name, example] = columns[at].levels.find(([each]) => each === level);
    const top = columns[at].levels.at(-1)[0];
    const shown = [`Level ${level} of ${top}: ${name}`];
    if (example !== null && example !== name) shown.push(", for example ", element("bdi", example));
    byId(`says-${at}`).replaceChildren(...shown);
    sliders[at].setAttribute("aria-valuetext",
      `level ${level}: ${name}${example === null ? "" : `, for example ${example}`}`);
  };

  /* Show the node that the sliders are at. */
  const show = () => {
    const levels = sliders.map((each) => Number(each.value));
    const number = numberOf(levels);
    const place = placeOf(number);
    current = number;
    levels.forEach((level, at) => say(at, level));
    verdict.className = place < 0 ? "bad" : "good";
    verdict.replaceChildren(...(place < 0 ? fails(number, levels) : satisfies(place)));
    byId("publish").disabled = place < 0;
    if (place < 0) open(false);
    byId("lines").querySelector("pre").textContent = lines(levels);
    byId("copied").textContent = "";
    mark();
  };
  const open = (wanted) => {
    byId("lines").hidden = !wanted;
    byId("publish").setAttribute("aria-expanded", String(wanted));
  };
  const go = (number) => {
    levelsOf(number).forEach((level, at) => { sliders[at].value = String(level); });
    show();
  };
  const point = (place) => ({ n: numbers[place], loss: loss[place] / 10000,
    suppressed: suppressed[place], levels: levelsOf(numbers[place]).join(", ") });
  const mark = () => {
    const place = current === null ? -1 : placeOf(current);
    view?.data("selected", place < 0 ? [] : [point(place)]).run();
  };

  /* The table of the nodes within some ranges. */
  const byLoss = Array.from(numbers.keys()).sort((one, other) => loss[one] - loss[other]
    || suppressed[one] - suppressed[other] || one - other);
  const ranges = byId("ranges");
  let shown = SHOWN;
  const bound = (name, otherwise) => {
    const text = ranges.elements[name].value;
    return text === "" ? otherwise : Number(text);
  };
  const row = (place) => {
    const levels = levelsOf(numbers[place]);
    const is = [numbers[place] === given.chosen && "chosen", onFront.has(place) && "front",
      minimal[place] && "minimal"].filter(Boolean).join(", ");
    const figures = [...levels, percent(loss[place]), count(suppressed[place]),
      count(classes[place]), count(smallest[place])];
    const cell = (text, name) => {
      const made = element("td", text);
      made.className = name;
      return made;
    };
    const button = element("button", "Show");
    button.type = "button";
    button.setAttribute("aria-label", `Move the sliders to ${inText(levels)}`);
    button.addEventListener("click", () => { go(numbers[place]); sliders[0].focus(); });
    const made = element("tr", element("td", button),
      ...figures.map((each) => cell(String(each), "number")), cell(is, "is"));
    if (numbers[place] === given.chosen) made.className = "chosen";
    return made;
  };
  const list = () => {
    const [low, high] = [bound("loss-from", 0), bound("loss-to", 100)].map((each) => each * 100);
    const [few, many] = [bound("suppressed-from", 0), bound("suppressed-to", Infinity)];
    const found = byLoss.filter((place) => loss[place] >= low && loss[place] <= high
      && suppressed[place] >= few && suppressed[place] <= many);
    byId("nodes").tBodies[0].replaceChildren(...found.slice(0, shown).map(row));
    byId("found").textContent = found.length > shown
      ? `${count(found.length)} nodes; the ${count(shown)} that lose least:`
      : `${count(found.length)} ${found.length === 1 ? "node" : "nodes"}:`;
    byId("more").hidden = found.length <= shown;
  };
  const ranged = (name, low, high) => {
    ranges.elements[`${name}-from`].value = low;
    ranges.elements[`${name}-to`].value = high;
  };
  const brushed = (_, brush) => {
    const [across, up] = [brush.loss, brush.suppressed];
    if (!across || !up) ranges.reset();
    else {
      const sorted = (ends) => [Math.min(...ends), Math.max(...ends)];
      ranged("loss", ...sorted(across).map((each) => (each * 100).toFixed(2)));
      ranged("suppressed", ...sorted(up).map((each, at) =>
        Math.max(0, at ? Math.floor(each) : Math.ceil(each))));
    }
    shown = SHOWN;
    list();
  };

  const listen = (result) => {
    view = result.view;
    if (!given.whole) return;
    view.addSignalListener("brush", brushed);
    view.addEventListener("click", (_, item) => {
      if (item?.datum?.n) go(item.datum.n);
    });
    mark();
  };
  given.chart.datasets.points = Array.from(unpacked(given.points), point);
  const plot = root.querySelector("figure.space .plot");
  anonsql.draw(plot, given.chart, { renderer: "canvas", then: listen });

  if (!given.whole) return;
  for (const each of sliders) each.addEventListener("input", show);
  for (const name of ["levels", "ranges"]) {
    byId(name).addEventListener("submit", (event) => event.preventDefault());
  }
  ranges.addEventListener("input", () => { shown = SHOWN; list(); });
  ranges.addEventListener("reset", () => { setTimeout(() => { shown = SHOWN; list(); }); });
  byId("more").addEventListener("click", () => { shown += 4 * SHOWN; list(); });
  byId("publish").addEventListener("click", () => open(byId("lines").hidden));
  byId("back").addEventListener("click", () => go(given.chosen));
  byId("copy").addEventListener("click", async () => {
    const text = byId("lines").querySelector("pre");
    getSelection().selectAllChildren(text);
    let said = "Copied.";
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      said = "The lines are marked: copy them with the keyboard.";
    }
    byId("copied").textContent = said;
  });
  list();
  go(given.chosen ?? numbers[byLoss[0]] ?? 1);
})();
