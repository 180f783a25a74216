"""The record of tests/benchmark/compare as a Markdown page and an SVG plot."""
import math
import statistics

# Ours over PyTorch, on 1 and 2 threads. Floor: what a plain hand-written step reached.
TARGETS = {
    ("train", "a"): ((4.7, 4.8), (5, 5)),
    ("train", "b"): ((2.3, 3.6), (3, 4)),
    ("train", "c"): ((1.8, 2.4), (2, 2.5)),
    ("train", "d"): ((1.28, 1.4), (1.4, 1.6)),
    ("generate", "c"): ((None, None), (5, 5)),
    ("generate", "d"): ((None, None), (2.5, 2.5)),
}
AXES = {
    "n_embd": "width",
    "block_size": "context",
    "batch_size": "batch",
    "n_layer": "layers",
}


def ratios_of(row, peer):
    """How many times as fast as the peer, round by round."""
    pairs = zip(row["values"]["Vitro"], row["values"][peer])
    if row["unit"] == "ms_median":
        return [theirs / ours for ours, theirs in pairs]
    return [ours / theirs for ours, theirs in pairs]


def number(value):
    """Three digits; whole numbers from 100 on."""
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def ratio_table(record):
    lines = ["| task | threads | Vitro | peer | rounds | ratio | of the best steps | floor | goal |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in sorted(record.get("ratios", []),
                      key=lambda r: (r["task"] != "train", r["threads"], r["config"])):
        unit = "ms" if row["unit"] == "ms_median" else "tokens/s"
        for peer in [name for name in row["values"] if name != "Vitro"]:
            ratios = ratios_of(row, peer)
            floor, goal = TARGETS.get((row["task"], row["config"]), ((None,) * 2,) * 2)
            i = min(row["threads"], 2) - 1
            known = peer.startswith("PyTorch")
            best = row.get("best", {})
            of_best = best[peer] / best["Vitro"] if peer in best else None
            lines.append(
                f"| {row['task']} {row['config']} | {row['threads']} "
                f"| {number(statistics.median(row['values']['Vitro']))} {unit} "
                f"| {peer}: {number(statistics.median(row['values'][peer]))} {unit} "
                f"| {', '.join(f'{r:.2f}' for r in ratios)} | **{statistics.median(ratios):.2f}** "
                f"| {number(of_best)} "
                f"| {number(floor[i] if known else None)} | {number(goal[i] if known else None)} |")
    return lines


OURS = ("axis", "value", "threads", "ms_median", "peak_mb", "gflops")


def peers_of(point):
    """Name → ms."""
    return {name: ms for name, ms in point.items() if name not in OURS}


def scale_table(record):
    points = record.get("scale", [])
    peers = sorted({name for point in points for name in peers_of(point)})
    head = ["size", "value", "threads", "ms a step", "GFLOP/s", "peak MB", *(f"{p}, ms" for p in peers)]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for point in points:
        cells = [AXES[point["axis"]], str(point["value"]), str(point["threads"])]
        cells += [number(point[key]) for key in ("ms_median", "gflops", "peak_mb")]
        cells += [number(point.get(peer)) for peer in peers]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def page(record):
    machine = record["machine"]
    lines = ["# Measured", "",
             "Written by `tests/benchmark/compare` from `docs/performance/record.json`; what the "
             "numbers mean stands in `docs/performance/scale.md`.", ""]
    lines += [f"- {name}: {value}" for name, value in machine.items()]
    lines += ["", "## Beside others", "",
              "Configurations (layers, heads, width, context, batch, vocabulary): a (1, 1, 32, 16, "
              "32, 16), b (2, 4, 64, 32, 32, 32), c (4, 4, 128, 64, 12, 65), d (6, 6, 384, 256, 8, "
              "65). Ratio: how many times as fast as the peer, round by round and their median; then that of the fastest "
              "single steps, which a busy machine disturbs least. "
              "Floor: what a plain hand-written training step reached beside PyTorch.", ""]
    lines += ratio_table(record)
    lines += ["", "## As each size grows", "",
              "Configuration c with one size changed.", "", "![cost of a step](scale.svg)", ""]
    lines += scale_table(record)
    return "\n".join(lines) + "\n"


# ---- The plot: one panel an axis, both scales logarithmic ---------------------------------------

PANEL = 220
MARGIN = 46


class Panel:
    def __init__(self, points, left, top):
        self.points = points
        self.left, self.top = left, top
        x = [p["value"] for p in points]
        y = [v for p in points for v in series_of(p).values()]
        self.x_range = (min(x), max(x))
        self.y_range = (min(y), max(y))

    def place(self, x, y):
        def share(value, low_high):
            low, high = (math.log(v) for v in low_high)
            return (math.log(value) - low) / (high - low or 1)
        return (self.left + PANEL * share(x, self.x_range),
                self.top + PANEL * (1 - share(y, self.y_range)))


def series_of(point):
    """Name → ms, for ours and the peers."""
    threads = f"{point['threads']} thread" + ("s" if point["threads"] > 1 else "")
    named = {f"Vitro, {threads}": point["ms_median"]}
    named.update({f"{name}, {threads}": ms for name, ms in peers_of(point).items()})
    return named


def draw_panel(panel, axis, colors):
    svg = [f'<rect x="{panel.left}" y="{panel.top}" width="{PANEL}" height="{PANEL}" fill="none" '
           'stroke="#999"/>',
           f'<text x="{panel.left + PANEL / 2}" y="{panel.top + PANEL + 34}" '
           f'text-anchor="middle">{AXES[axis]}</text>']
    lines = {}
    for point in panel.points:
        for name, value in series_of(point).items():
            lines.setdefault(name, []).append(panel.place(point["value"], value))
    for value in sorted({p["value"] for p in panel.points}):
        x, y = panel.place(value, panel.y_range[0])
        svg.append(f'<text x="{x:.1f}" y="{y + 15:.1f}" text-anchor="middle">{value}</text>')
    for value in panel.y_range:
        x, y = panel.place(panel.x_range[0], value)
        svg.append(f'<text x="{x - 4:.1f}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    for name, places in lines.items():
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        color = colors.setdefault(name, ("#0b6e99", "#5fb0d3", "#c0504d", "#e0a09e", "#777")[
            len(colors) % 5])
        svg.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
    return svg


def plot(record):
    axes = {}
    for point in record.get("scale", []):
        axes.setdefault(point["axis"], []).append(point)
    colors, body = {}, []
    for i, (axis, points) in enumerate(axes.items()):
        panel = Panel(sorted(points, key=lambda p: (p["threads"], p["value"])),
                      MARGIN + i * (PANEL + MARGIN), 30)
        body += draw_panel(panel, axis, colors)
    for i, (name, color) in enumerate(colors.items()):
        y = PANEL + 90 + 18 * i
        body.append(f'<rect x="{MARGIN}" y="{y - 9}" width="18" height="4" fill="{color}"/>'
                    f'<text x="{MARGIN + 26}" y="{y}">{name}</text>')
    width = MARGIN + max(len(axes), 1) * (PANEL + MARGIN)
    height = PANEL + 100 + 18 * len(colors)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" fill="#333">\n'
            f'<rect width="{width}" height="{height}" fill="white"/>\n'
            f'<text x="{MARGIN}" y="18" font-size="13">ms a training step of configuration c as one '
            'size grows (both scales logarithmic)</text>\n' + "\n".join(body) + "\n</svg>\n")


def write_pages(record, folder):
    (folder / "README.md").write_text(page(record))
    (folder / "scale.svg").write_text(plot(record))
