/* Draw the charts of a page. anonsql.all() draws those that are not drawn yet. Colours are the custom
   properties of style.css, so that charts follow light, dark and print. */
"use strict";
window.anonsql = (() => {
  const text = { labelColor: "var(--muted)", titleColor: "var(--muted)" };
  const font = "system-ui, sans-serif";
  const config = {
    background: null,
    font,
    aria: false,
    axis: {
      ...text, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8,
      gridColor: "var(--rule)", domainColor: "var(--line)", tickColor: "var(--line)",
      labelLimit: 220, titleLimit: 320,
    },
    legend: { ...text, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
    header: { ...text, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
    title: { color: "var(--ink)", subtitleColor: "var(--muted)", fontSize: 13 },
    view: { stroke: null },
    range: { category: [1, 2, 3, 4, 5, 6].map((each) => `var(--chart-${each})`) },
    mark: { color: "var(--chart-1)" },
    rule: { color: "var(--ink)" },
    text: { color: "var(--ink)", fontSize: 12 },
  };

  /* Tooltips are text: nothing in them is ever read as markup. */
  const box = document.createElement("dl");
  box.className = "tooltip";
  box.hidden = true;
  box.setAttribute("aria-hidden", "true");
  document.body.append(box);
  const tooltip = (handler, event, item, value) => {
    box.replaceChildren();
    box.hidden = value === null || value === undefined || value === "";
    if (box.hidden) return;
    const entries = typeof value === "object" ? Object.entries(value) : [["", value]];
    for (const [name, each] of entries) {
      const [term, said] = [document.createElement("dt"), document.createElement("dd")];
      term.textContent = name;
      said.textContent = String(each);
      said.dir = "auto";
      box.append(term, said);
    }
    const { width, height } = box.getBoundingClientRect();
    const [x, y] = [event.clientX + 14, event.clientY + 14];
    box.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 8))}px`;
    box.style.top = `${y + height > innerHeight ? Math.max(4, y - height - 28) : y}px`;
  };
  addEventListener("scroll", () => { box.hidden = true; }, { passive: true });

  const draw = async (element, spec) => {
    const given = { ...spec, config: { ...config, ...spec.config } };
    const result = await window.vegaEmbed(element, given, {
      ast: true, actions: false, defaultStyle: false, tooltip,
      renderer: "svg",
    });
    // the element itself says what is to be seen
    element.querySelector("svg")?.setAttribute("aria-hidden", "true");
    return result;
  };

  /* Charts draw when they come near the window, or when the page is printed. */
  const waiting = new Map();
  const show = (plot) => {
    const spec = waiting.get(plot);
    if (!spec) return null;
    waiting.delete(plot);
    return draw(plot, spec);
  };
  const near = new IntersectionObserver((entries) => {
    for (const each of entries) {
      if (each.isIntersecting) {
        near.unobserve(each.target);
        show(each.target);
      }
    }
  }, { rootMargin: "800px" });
  for (const each of document.querySelectorAll("figure.chart > script.chart")) {
    const plot = each.parentElement.querySelector(".plot");
    waiting.set(plot, JSON.parse(each.textContent));
    near.observe(plot);
  }
  const all = () => Promise.all([...waiting.keys()].map(show));

  /* The others are drawn one by one while nothing else is to be done, for whoever prints. */
  const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 50));
  const rest = async () => {
    const [next] = waiting.keys();
    if (next === undefined) return;
    await show(next);
    idle(rest);
  };
  addEventListener("load", () => idle(rest));

  /* A printed page has every chart and every table; closed ones are opened for it. */
  let opened = [];
  addEventListener("beforeprint", () => {
    all();
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const each of opened) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
  });

  return { all };
})();
