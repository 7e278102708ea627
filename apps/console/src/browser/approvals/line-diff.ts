/** A line of a comparison, or how many equal lines are left out there. */
export type DiffLine =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'skipped'; readonly count: number }

/** Of longer texts the comparison would take longer than a page may stand still: all of their lines differ then. */
const mostCells = 4_000_000
/** Equal lines that are shown around those that differ. */
const around = 3

/** What changed from one text to the other, with a few lines around it. Empty if nothing did. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const start = commonStart(old, now)
  const end = commonStart(old.slice(start).toReversed(), now.slice(start).toReversed())
  const removed = old.slice(start, old.length - end)
  const added = now.slice(start, now.length - end)
  if (removed.length + added.length === 0) return []
  return folded([
    ...old.slice(0, start).map(same),
    ...middle(removed, added),
    ...old.slice(old.length - end).map(same),
  ])
}

type TextLine = Exclude<DiffLine, { readonly kind: 'skipped' }>

function same(text: string): TextLine {
  return { kind: 'same', text }
}

function gone(text: string): TextLine {
  return { kind: 'removed', text }
}

function fresh(text: string): TextLine {
  return { kind: 'added', text }
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length)
  for (let at = 0; at < most; at += 1) if (a[at] !== b[at]) return at
  return most
}

/** Keeps the longest lines that both have in the same order. */
function middle(old: readonly string[], now: readonly string[]): readonly TextLine[] {
  const columns = now.length + 1
  if ((old.length + 1) * columns > mostCells) return [...old.map(gone), ...now.map(fresh)]
  const longest = new Uint32Array((old.length + 1) * columns)
  const at = (i: number, j: number): number => longest[i * columns + j] ?? 0
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      longest[i * columns + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: TextLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [left, right] = [old[i], now[j]]
    if (left !== undefined && left === right) {
      lines.push(same(left))
      i += 1
      j += 1
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(gone(left))
      i += 1
    } else {
      lines.push(fresh(right ?? ''))
      j += 1
    }
  }
  return lines
}

function folded(lines: readonly TextLine[]): readonly DiffLine[] {
  const isNear = new Uint8Array(lines.length)
  for (const [at, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(1, Math.max(0, at - around), at + around + 1)
  }
  const shown: DiffLine[] = []
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1)
    if (isNear[at] === 1) shown.push(line)
    else if (last?.kind === 'skipped') shown[shown.length - 1] = { ...last, count: last.count + 1 }
    else shown.push({ kind: 'skipped', count: 1 })
  }
  return shown
}
