// What is wrong with a page as it is drawn: each check gives sentences, and none where all is well.
// Where things are is what the browser has laid out, so it is told of the fonts that are in use.
(() => {
  const ROUNDING_PX = 1;
  // Of a letter's size, above and below its line; a font's own box has room for accents as well.
  const ASCENT = 0.8, DESCENT = 0.24;
  const LONGEST_WORD = 24; // of a language; what is longer is a check sum or the like
  const BLOCKS = "td, th, dt, dd, p, li, h1, h2, h3, caption, figcaption, div, section, body";

  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  const says = (one) => one.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
  const inside = (one, other) =>
    one.left >= other.left - ROUNDING_PX && one.right <= other.right + ROUNDING_PX
    && one.top >= other.top - ROUNDING_PX && one.bottom <= other.bottom + ROUNDING_PX;
  const meet = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > ROUNDING_PX
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > ROUNDING_PX;

  // Every piece of text that is seen, but for the mark across the page.
  const texts = () => {
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const one = walker.currentNode;
      if (one.data.trim() && !one.parentElement.closest(".unseen, .lab-mark, title, desc, symbol"))
        found.push(one);
    }
    return found;
  };

  const lines = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].filter((line) => line.width > ROUNDING_PX);
  };

  const ofLetters = (text) => {
    const { left, right } = text.getBoundingClientRect(), place = text.getScreenCTM();
    const size = parseFloat(getComputedStyle(text).fontSize) * place.d;
    const line = place.f + place.d * text.y.baseVal[0].value;
    return { left, right, top: line - ASCENT * size, bottom: line + DESCENT * size };
  };

  // The colour behind an element: of the first box around it that has one.
  const behind = (one) => {
    for (let box = one; box; box = box.parentElement) {
      const colour = getComputedStyle(box).backgroundColor;
      if (!/^(rgba\(.*, 0\)|transparent)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };

  // The grey of each pixel of a picture, and whether any of them has a colour.
  const greys = async (source, width, height) => {
    const picture = new Image();
    picture.src = source;
    await picture.decode();
    const [w, h] = [width || picture.width, height || picture.height];
    const canvas = Object.assign(document.createElement("canvas"), { width: w, height: h });
    const paper = canvas.getContext("2d");
    paper.fillStyle = "#fff";
    paper.fillRect(0, 0, w, h);
    paper.drawImage(picture, 0, 0, w, h);
    const { data } = paper.getImageData(0, 0, w, h);
    const grey = new Uint8Array(w * h);
    let coloured = false;
    for (let at = 0; at < grey.length; at++) {
      const [r, g, b] = data.subarray(4 * at, 4 * at + 3);
      grey[at] = g;
      coloured ||= Math.max(r, g, b) - Math.min(r, g, b) > 3;
    }
    return { grey, coloured, width: w };
  };

  return {
    // No text of a chart leaves its picture, where it would be cut, or lies on another.
    textsOfCharts() {
      return every("svg.chart").flatMap((chart) => {
        const picture = chart.getBoundingClientRect();
        const labels = every("text", chart).filter(says)
          .map((one) => ({ says: says(one), box: ofLetters(one) }));
        const leave = labels.filter(({ box }) => !inside(box, picture))
          .map((one) => `“${one.says}” leaves its chart.`);
        const meets = labels.flatMap((one, at) => labels.slice(at + 1)
          .filter((other) => meet(one.box, other.box))
          .map((other) => `“${one.says}” lies on “${other.says}”.`));
        return [...leave, ...meets];
      });
    },

    // Nothing is cut by a box that hides what is too much for it.
    hidden() {
      return every("main *").filter((one) => !one.closest(".unseen, svg"))
        .filter((one) => {
          const { overflowX, overflowY } = getComputedStyle(one);
          const hides = (overflow) => /hidden|clip/.test(overflow);
          return (hides(overflowX) && one.scrollWidth > one.clientWidth)
            || (hides(overflowY) && one.scrollHeight > one.clientHeight);
        })
        .map((one) => `“${says(one)}” is cut.`);
    },

    // No text sticks out of the cell or the paragraph it belongs to.
    textsOfBoxes() {
      return texts().filter((node) => !node.parentElement.closest("svg")).flatMap((node) => {
        const { left, right } = node.parentElement.closest(BLOCKS).getBoundingClientRect();
        return lines(node)
          .filter((line) => line.left < left - ROUNDING_PX || line.right > right + ROUNDING_PX)
          .map(() => `“${says(node)}” sticks out of its box.`);
      });
    },

    // No word that a line has room for is torn, unless the browser knows how to hyphenate it.
    tornWords() {
      return texts().filter(({ parentElement: one }) =>
        !one.closest("svg, pre, code") && getComputedStyle(one).hyphens !== "auto"
      ).flatMap((node) => [...node.data.matchAll(/[\p{L}\p{N}]+/gu)]
        .filter(([word]) => word.length <= LONGEST_WORD)
        .filter(({ 0: word, index }) => {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
        })
        .map(([word]) => `“${word}” of “${says(node)}” is torn.`));
    },

    // The page is not scrolled sideways.
    sideways() {
      const { scrollWidth } = document.documentElement;
      return scrollWidth > innerWidth ? [`The page is ${scrollWidth} pixels wide.`] : [];
    },

    // What is too wide for the screen can be scrolled to, within its own part of the page.
    outOfReach() {
      return texts().filter((node) => !node.parentElement.closest("svg"))
        .filter((node) => lines(node).some((line) => line.right > innerWidth + ROUNDING_PX))
        .filter((node) => {
          for (let box = node.parentElement; box; box = box.parentElement)
            if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return false;
          return true;
        })
        .map((node) => `“${says(node)}” is out of reach.`);
    },

    // The colours of all texts with what is behind them.
    colours() {
      const pairs = texts().map(({ parentElement: one }) => {
        const { fill, color } = getComputedStyle(one);
        return `${one.closest("svg") ? fill : color} on ${behind(one)}`;
      });
      return [...new Set(pairs)];
    },

    // A verdict has a word and a symbol, and where only one of them is seen that one is enough.
    verdicts() {
      const told = every(".verdict, section.decision").map((one) => {
        const word = one.querySelector("h2, .unseen") ?? one;
        const symbol = one.querySelector(".symbol use");
        const drawn = symbol?.closest("svg").getBoundingClientRect();
        return {
          word: says(word).toLowerCase(),
          seen: !word.matches(".unseen"),
          symbol: drawn?.width >= 8 && drawn?.height >= 8 ? symbol.getAttribute("href") : "",
        };
      });
      const without = told.filter((one) => !one.word || !one.symbol)
        .map((one) => `“${one.word}” is told without a word or a symbol.`);
      const ofOne = (key, other, some) => [...new Set(some.map((one) => one[key]))]
        .map((value) => [value, new Set(some.filter((one) => one[key] === value)
          .map((one) => one[other]))])
        .filter(([, others]) => others.size > 1)
        .map(([value, others]) => `“${value}” stands for “${[...others].join("” and “")}”.`);
      const bySymbol = told.filter((one) => !one.seen);
      return [...without, ...ofOne("word", "symbol", told), ...ofOne("symbol", "word", bySymbol)];
    },

    // The symbols differ in shape: drawn in one ink, in many a pixel.
    async shapes() {
      const [size, least] = [40, 0.05];
      const drawn = await Promise.all(every("symbol").map(async ({ id, innerHTML }) => {
        const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" `
          + `viewBox="0 0 20 20" color="#444">${innerHTML}</svg>`;
        const source = `data:image/svg+xml,${encodeURIComponent(svg)}`;
        return { id, ...await greys(source, size, size) };
      }));
      return drawn.flatMap((one, at) => drawn.slice(at + 1).filter(({ grey }) => {
        const differ = one.grey.filter((value, pixel) => Math.abs(value - grey[pixel]) > 64).length;
        return differ < least * size * size;
      }).map((other) => `“${one.id}” and “${other.id}” look the same.`));
    },

    // Bars of two kinds differ in pattern, and the legend shows which is which.
    // screenshot: of the whole page without colour, as base64
    async bars(screenshot) {
      const { grey, coloured, width } = await greys(`data:image/png;base64,${screenshot}`);
      const scale = width / document.documentElement.clientWidth;
      const ink = (bar) => {  // the share of it that is dark
        const box = bar.getBoundingClientRect();
        const at = (pixels) => Math.round(pixels * scale);
        const [left, right] = [at(box.left + scrollX + 2), at(box.right + scrollX - 2)];
        const [top, bottom] = [at(box.top + scrollY + 2), at(box.bottom + scrollY - 2)];
        let dark = 0;
        for (let y = top; y < bottom; y++)
          for (let x = left; x < right; x++) dark += grey[y * width + x] < 128;
        return dark / ((right - left) * (bottom - top));
      };
      const found = coloured ? ["There is colour left."] : [];
      for (const chart of every("svg.chart:has(.bar)")) {
        const bars = every(".bar", chart).filter((bar) => bar.getBoundingClientRect().width > 12);
        const kinds = bars.map((bar) => {
          const share = ink(bar);
          return share > 0.75 ? "plain" : share > 0.1 && share < 0.65 ? "hatched" : "neither";
        });
        const legend = bars.filter((bar) => bar.nextElementSibling?.matches("text")
          && bar.y.baseVal.value === 1).length;
        const named = new Set(kinds.slice(0, legend));
        const title = chart.querySelector("title").textContent;
        if (named.size < legend) found.push(`The legend of “${title}” shows one kind twice.`);
        for (const kind of new Set(kinds))
          if (kind === "neither" || !named.has(kind))
            found.push(`“${title}” has bars that are ${kind}, which its legend does not show.`);
      }
      return found;
    },

    // What is promised is a broken line; what was measured is not.
    strokes() {
      const broken = (one) => getComputedStyle(one).strokeDasharray !== "none";
      const wrong = (must, ...kinds) =>
        kinds.filter((kind) => every(kind).some((one) => broken(one) !== must))
          .map((kind) => `${kind} is ${must ? "not " : ""}broken.`);
      return [...wrong(true, ".limit", ".strip .promise"),
        ...wrong(false, ".axis", ".whisker", ".strip .trial", ".strip .interval")];
    },
  };
})()
