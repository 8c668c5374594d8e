"""The animation in README and on the site's front page: one block of each of two chapters, at the same speed.

It is drawn from recordings (docs/pages/recording.md), so it shows what the emulator did. The file is animated with CSS,
because a code host shows it as a picture and runs no script. For readers who prefer no motion, it shows a single moment
in the middle.
"""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib
import subprocess
import tempfile
import typing
from xml.sax.saxutils import escape

from plots import colours
from plots.drawings.svg import NAMESPACE, number
from plots.drawings.traces import WARP, Failure

Step = dict[str, typing.Any]
THREADS = 128
MOVING_S, HOLD_S = 12.0, 3.0  # the duration of the longer block's motion, and of the view of its end
BARRIER = 6  # an opening barrier is shown for as long as this many instructions, but isn't counted
WAITING = 0.5  # the opacity of waiting lanes, so that working lanes are easy to see
WIDTH, PANEL, LEFT, CELL, BOX, ROW = 800, 372, 62, 9.6, 8, 19


def recorded(programs: pathlib.Path, chapter: int) -> dict[str, typing.Any]:
    """Returns the first launch of a chapter's reference kernel, as `make playN` records it. Raises Failure."""
    program = pathlib.Path(programs) / f"chapter{chapter}"
    if not program.exists():
        raise Failure(f"{program} is not built: run `make drawings`")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "steps.json"
        options = ["--device", "emulator", "--profile", "reference", "--count", "1024", "--block-size", str(THREADS)]
        command = [str(program), *options, "--record", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # Status 1: the user's own kernel is wrong. The reference, which is drawn, has run anyway.
        if done.returncode not in (0, 1) or not path.exists():
            raise Failure(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        recording: dict[str, typing.Any] = json.loads(path.read_text(encoding="utf-8"))
    launch: dict[str, typing.Any] = recording["launches"][0]
    if launch["steps_left_out"]:
        raise Failure(f"the recording of chapter {chapter} leaves out {launch['steps_left_out']} steps of its block")
    return launch


def lanes_of(mask: int) -> list[int]:
    return [lane for lane in range(WARP) if mask >> lane & 1]


@dataclasses.dataclass
class Frame:
    """The state of a block between two moments. Moments are counted in warp instructions."""

    begin: float
    end: float
    says: str
    warp: int | None  # whose turn it is; None if a barrier opens
    active: int
    waits: list[int]  # the lanes of each warp that wait at the barrier
    left: list[int]
    touched: list[int]  # words of shared memory
    instructions: int
    additions: int
    barriers: int


class Block:
    """The first block of a launch: its frames, and the contents of shared memory over time."""

    def __init__(self, launch: dict[str, typing.Any]) -> None:
        self.warps = THREADS // WARP
        self.frames: list[Frame] = []
        # (moment, for each word the number of elements that its sum contains)
        self.contents: list[tuple[float, list[int]]] = [(0, [0] * THREADS)]
        self.now = 0.0
        self.waits, self.left = [0] * self.warps, [0] * self.warps
        self.instructions = self.additions = self.barriers = 0
        # For each warp, the words that its lanes have loaded since they last stored one.
        self.loaded: list[dict[int, list[int]]] = [{} for _ in range(self.warps)]
        for step in launch["steps"]:
            if step["block"] == 0:
                self._take(step)

    def _take(self, step: Step) -> None:
        what, warp = step["what"], step["warp"]
        taken = step.get("instructions", 0)
        self.instructions += taken
        if what == "barrier":
            self.barriers += 1
            self.waits = [0] * self.warps
            return self._show("the barrier opens", None, 0, [], BARRIER)
        lanes = lanes_of(step["mask"])
        if what == "arrive":
            self.waits[warp] |= step["mask"]
        if what == "leave":
            self.left[warp] |= step["mask"]
        says, touched = f"warp {warp} computes", []
        if step.get("space") == "shared":
            touched = [at // 4 for at in step["at"]]
            if what == "load":
                for lane, word in zip(lanes, touched):
                    self.loaded[warp].setdefault(lane, []).append(word)
                says = f"warp {warp} reads words to add"
            else:
                says = self._store(warp, lanes, touched)
        elif what == "load":
            says = f"warp {warp} loads its elements"
        elif what == "store":
            says = f"warp {warp} writes the block's sum"
        elif what == "arrive":
            says = f"warp {warp} waits at the barrier"
        elif what == "leave":
            gone = all(mask == (1 << WARP) - 1 for mask in self.left)
            says = "the block is done" if gone else f"warp {warp} is done"
        self._show(says, warp, 0 if what in ("arrive", "leave") else step["mask"], touched, taken)

    def _store(self, warp: int, lanes: list[int], words: list[int]) -> str:
        holds = list(self.contents[-1][1])
        added = False
        for lane, word in zip(lanes, words):
            read = self.loaded[warp].pop(lane, [])
            added = added or len(read) > 1
            holds[word] = sum(self.contents[-1][1][one] for one in read) if read else 1
        self.contents.append((self.now, holds))
        if not added:
            return f"warp {warp} writes to shared memory"
        self.additions += 1
        return f"warp {warp} adds: {len(lanes)} of {WARP} lanes"

    def _show(self, says: str, warp: int | None, active: int, touched: list[int], taken: float) -> None:
        begin, self.now = self.now, self.now + taken
        last = self.frames[-1] if self.frames else None
        # A step that takes no instruction, or continues the last frame, is merged with that frame.
        same = last and (says, warp, active, touched) == (last.says, last.warp, last.active, last.touched)
        if last and (taken == 0 or same):
            last.waits, last.left = list(self.waits), list(self.left)
            last.end, last.instructions = self.now, self.instructions
            return
        self.frames.append(
            Frame(
                begin,
                self.now,
                says,
                warp,
                active,
                list(self.waits),
                list(self.left),
                touched,
                self.instructions,
                self.additions,
                self.barriers,
            )
        )


def runs(lanes: list[int], y: float, x: float) -> str:
    """Returns a path through the middles of boxes, one for each lane. Its stroke is dashed, so neighbouring boxes are
    drawn by one line."""
    path = ""
    for k, lane in enumerate(lanes):
        if k > 0 and lane == lanes[k - 1] + 1:
            continue
        end = lane
        while end + 1 in lanes:
            end += 1
        path += f"M{number(x + lane * CELL)} {number(y)}h{number((end - lane) * CELL + BOX)}"
    return path


def still_moment(blocks: list[Block]) -> float:
    """Returns the moment to show to readers who prefer no motion: the first one at which all blocks read the words to
    add, and at most a quarter of the first block's lanes do."""

    def adds(block: Block, moment: float, most: int) -> bool:
        now = next((frame for frame in block.frames if frame.begin <= moment < frame.end), block.frames[-1])
        return "add" in now.says and len(lanes_of(now.active)) <= most

    for frame in blocks[0].frames:
        moment = (frame.begin + frame.end) / 2
        if adds(blocks[0], moment, WARP // 4) and all(adds(block, moment, WARP) for block in blocks[1:]):
            return moment
    return blocks[0].frames[len(blocks[0].frames) // 2].begin


class Picture:
    """Writes the file."""

    def __init__(self, title: str, blocks: list[tuple[str, str, Block]]) -> None:
        self.title, self.blocks = title, blocks
        self.moments = max(block.now for _, _, block in blocks)
        self.loop_s = MOVING_S + HOLD_S
        opens = next(frame.begin for frame in blocks[0][2].frames if frame.warp is None)
        self.tree_s = opens / self.moments * MOVING_S
        self.still = still_moment([block for _, _, block in blocks])
        self.rules: list[str] = []
        self.items: list[str] = []
        self.count = 0
        for k, (name, idea, block) in enumerate(blocks):
            self._panel(20 + k * (PANEL + 16), name, idea, block)

    @staticmethod
    def _text(x: float, y: float, words: object, size: float, look: str = "ink", more: str = "") -> str:
        place = f'x="{number(x)}" y="{number(y)}" font-size="{size:g}"'
        return f'<text {place} fill="var(--{look})"{more}>{escape(str(words))}</text>'

    @staticmethod
    def _box(x: float, y: float, width: float, height: float, look: str) -> str:
        place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        return f"<rect {place} {look}/>"

    @staticmethod
    def _row(path: str, kind: str, colour: str, opacity: float = 1) -> str:
        """Returns boxes of lanes (`l`) or of words (`w`)."""
        seen = "" if opacity == 1 else f' stroke-opacity="{opacity:.2f}"'
        return f'<path class="{kind}" d="{path}" stroke="var(--{colour})"{seen}/>'

    def _timed(self, begin: float, end: float, content: str) -> None:
        """Adds a group that is visible between two moments. The last group stays until the loop starts again."""
        share = MOVING_S / self.loop_s / self.moments
        self.count += 1
        name = f"f{self.count}"
        first, last = (f"{100 * moment * share:.2f}".rstrip("0").rstrip(".") for moment in (begin, end))
        hides = "" if math.isinf(end) else f"{last}%{{visibility:hidden}}"
        starts = "" if begin == 0 else "0%{visibility:hidden}"
        self.rules.append(
            f"@keyframes {name}{{{starts}{first}%{{visibility:visible}}{hides}}}#{name}{{animation-name:{name}}}"
        )
        seen = ' class="f still"' if begin <= self.still < end else ' class="f"'
        self.items.append(f'<g id="{name}"{seen}>{content}</g>')

    def _panel(self, x: float, name: str, idea: str, block: Block) -> None:
        lanes_y, words_y = 98, 216
        x_cells = x + LEFT
        words_height = THREADS // WARP * ROW
        self.items += [
            self._text(x, 34, name, 21, more=' font-weight="bold"'),
            self._text(x, 55, idea, 14, "faint", ' class="wide"'),
            self._text(x, words_y - 11, "shared memory, by bank", 13, "faint", ' class="small"'),
        ]
        every = list(range(WARP))
        for warp in range(block.warps):
            self.items.append(self._text(x, lanes_y + warp * ROW + 12, f"warp {warp}", 13, "faint", ' class="small"'))
        idle = "".join(runs(every, lanes_y + warp * ROW + 7, x_cells) for warp in range(block.warps))
        unwritten = "".join(runs(every, words_y + warp * ROW + 8, x_cells) for warp in range(block.warps))
        self.items += [self._row(idle, "l", "grid"), self._row(unwritten, "w", "grid", 0.45)]
        self._words(x_cells, words_y, block)
        for k, frame in enumerate(block.frames):
            end = math.inf if k + 1 == len(block.frames) else frame.end
            self._timed(frame.begin, end, self._frame(x, lanes_y, words_y, frame))
        y = words_y + words_height + 68
        for place, words in ((0, "warp instructions"), (174, "additions by a warp")):
            self.items.append(self._text(x + place, y, words, 14, "faint", ' class="small"'))

    def _words(self, x: float, y: float, block: Block) -> None:
        """Adds the contents of shared memory. The more elements a word is the sum of, the darker it is."""
        depth = math.log2(THREADS)
        for k, (begin, holds) in enumerate(block.contents):
            end = block.contents[k + 1][0] if k + 1 < len(block.contents) else math.inf
            shown = ""
            for count in sorted(set(holds) - {0}):
                boxes = "".join(
                    runs(
                        [w % WARP for w in range(row * WARP, (row + 1) * WARP) if holds[w] == count],
                        y + row * ROW + 8,
                        x,
                    )
                    for row in range(THREADS // WARP)
                )
                shown += self._row(boxes, "w", "blue", 0.16 + 0.84 * math.log2(count) / depth)
            if shown:
                self._timed(begin, end, shown)

    def _frame(self, x: float, lanes_y: float, words_y: float, frame: Frame) -> str:
        cells = x + LEFT
        shown = self._text(x, lanes_y - 14, frame.says, 14, more=' class="says"')
        turn = [frame.active if w == frame.warp else 0 for w in range(len(frame.waits))]
        for masks, colour, opacity in ((frame.waits, "orange", WAITING), (turn, "blue", 1)):
            boxes = "".join(runs(lanes_of(mask), lanes_y + w * ROW + 7, cells) for w, mask in enumerate(masks))
            if boxes:
                shown += self._row(boxes, "l", colour, opacity)
        if frame.warp is None:
            height = len(frame.waits) * ROW - 5
            look = 'rx="3" fill="none" stroke="var(--orange)" stroke-width="2"'
            shown += self._box(cells - 4, lanes_y - 4, WARP * CELL + 6, height + 8, look)
        if frame.touched:
            # A line above and below each word that is read or written.
            for edge in (-1, 16):
                boxes = "".join(
                    runs(
                        sorted({w % WARP for w in frame.touched if w // WARP == row}),
                        words_y + row * ROW + edge + 0.5,
                        cells,
                    )
                    for row in sorted({w // WARP for w in frame.touched})
                )
                shown += self._row(boxes, "t", "ink")
        y = words_y + THREADS // WARP * ROW + 48
        width = (PANEL - 4) * frame.end / self.moments
        shown += self._box(x, y - 36, width, 4, 'fill="var(--blue)"')
        shown += self._text(x, y, frame.instructions, 32, more=' font-weight="bold"')
        return shown + self._text(x + 174, y, frame.additions, 32, more=' font-weight="bold"')

    def text_of(self) -> str:
        """Returns the contents of the file."""
        bottom = 216 + THREADS // WARP * ROW + 70
        height = bottom + 52
        size = f'width="{WIDTH}" height="{height}"'
        sheet = (
            f"<style>.l,.w,.t{{fill:none;stroke-width:14;stroke-dasharray:{BOX} {CELL - BOX:.1f}}}"
            ".w{stroke-width:15}.t{stroke-width:2}"
            # Starts where the tree does, because loading the elements is the same in all blocks.
            f".f{{visibility:hidden;animation:{self.loop_s:g}s step-end -{self.tree_s:.2f}s infinite}}"
            f"{''.join(self.rules)}"
            "@media (prefers-reduced-motion:reduce){.f{animation:none!important}.still{visibility:visible}}"
            # On a phone the picture is small, so it has less text, in larger letters.
            "@media (max-width:520px){.wide{display:none}.small{font-size:17.5px}.says{font-size:23px}}"
            "text{font-variant-numeric:tabular-nums}</style>"
        )
        y = bottom + 34
        legend = ""
        for colour, opacity, words, x in (
            ("blue", 1, "at work", 20),
            ("orange", WAITING, "wait at the barrier", 116),
            ("grid", 1, "idle", 330),
        ):
            legend += self._box(x, y - 11, 13, 13, f'fill="var(--{colour})" fill-opacity="{opacity}"')
            legend += self._text(x + 20, y, words, 13, "faint", ' class="small"')
        legend += self._text(
            WIDTH - 20,
            y,
            f"a block of {THREADS} threads, recorded; both at the same pace",
            13,
            "faint",
            ' class="wide" text-anchor="end"',
        )
        return "\n".join(
            [
                f'<svg xmlns="{NAMESPACE}" viewBox="0 0 {WIDTH} {height}" {size} role="img">',
                f"<title>{escape(self.title)}</title>",
                colours.sheet(),
                sheet,
                f'<rect {size} fill="var(--paper)"/>',
                *self.items,
                legend,
                "</svg>",
                "",
            ]
        )


def kernels_in_motion(programs: pathlib.Path) -> Picture:
    """Draws chapter 1's kernel next to chapter 3's."""
    first, third = (Block(recorded(programs, chapter)) for chapter in (1, 3))
    return Picture(
        "One block of chapter 1's kernel and of chapter 3's, step by step at the same pace: "
        f"{first.instructions} warp instructions and {first.additions} additions by a warp, "
        f"against {third.instructions} and {third.additions}",
        [
            ("Chapter 1", "interleaved: the lanes that add are spread out", first),
            ("Chapter 3", "sequential: the lanes that add are neighbours", third),
        ],
    )
