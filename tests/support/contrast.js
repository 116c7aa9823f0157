(() => {
  const rgb = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m[3] ?? 1 }; };
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  const lum = ({ r, g, b }) => { const f = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
  const ratio = (a, b) => { const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const paper = rgb(getComputedStyle(document.body).backgroundColor);
  const shown = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const bad = new Map();
  const note = (e, r, text) => { if (r < 4.5) bad.set(`${text.slice(0, 30)} <${e.tagName} ${e.getAttribute("class") ?? ""}>`, r.toFixed(2)); };
  const opacity = (e) => { let o = 1; for (; e; e = e.parentElement) o *= Number(getComputedStyle(e).opacity); return o; };
  for (const e of document.querySelectorAll("body *:not(script):not(style):not(template)")) {
    const own = [...e.childNodes].filter((n) => n.nodeType === 3 && n.data.trim());
    if (!own.length || !shown(e) || e.disabled) continue;
    const svg = e.closest("svg");
    if (svg && e.tagName !== "text") continue;
    let back = paper;
    if (svg) {
      const box = e.closest("g[class]").querySelector(".box, .label");
      const fill = box && getComputedStyle(box).fill;
      if (fill && fill !== "none") back = over(rgb(fill), paper);
    } else {
      const chain = [];
      for (let p = e; p; p = p.parentElement) chain.unshift(rgb(getComputedStyle(p).backgroundColor));
      for (const layer of chain) back = over(layer, back);
    }
    const style = getComputedStyle(e);
    const ink = rgb(svg ? style.fill : style.color);
    note(e, ratio(over({ ...ink, a: ink.a * opacity(e) }, back), back), e.textContent.trim());
  }
  return [...bad].map((one) => one.join(": "));
})()
