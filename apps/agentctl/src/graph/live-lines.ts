import { visible } from '@agents/agent-events'
import type { Terminal } from '../cli/command-context.ts'

interface LiveLines {
  /** Replaces the lines that were drawn last. */
  draw(lines: readonly string[]): void
  /** The lines stay; nothing is redrawn any more. */
  end(): void
}

/**
 * Lines at the end of a terminal that are redrawn. They are cut to its size: a line that the terminal wraps, or one
 * that has left the screen, could not be replaced.
 */
export function liveLines({ stdout, onResize }: Pick<Terminal, 'stdout' | 'onResize'>): LiveLines {
  let size = { width: 80, height: 24 }
  let drawn: readonly string[] = []
  const stop = onResize((now) => {
    size = now
  })
  return {
    draw: (lines) => {
      // The terminal may have become narrower since: it has wrapped what was drawn.
      const rows = drawn.reduce((sum, line) => sum + rowsOf(line, size.width), 0)
      const erase = rows === 0 ? '' : `\u001b[${Math.min(rows, size.height)}A\r\u001b[J`
      drawn = fitted(lines, size)
      stdout.write(`${erase}${drawn.map((line) => `${line}\n`).join('')}`)
    },
    end: stop,
  }
}

function fitted(
  lines: readonly string[],
  { width, height }: { readonly width: number; readonly height: number },
): string[] {
  // The cursor needs the last row.
  const most = Math.max(1, height - 1)
  const shown =
    lines.length <= most
      ? lines
      : [...lines.slice(0, most - 1), `… and ${lines.length - most + 1} more lines`]
  return shown.map((line) => cut(visible(line).replaceAll(/[\n\t]/g, ' '), width - 1))
}

function cut(line: string, width: number): string {
  if (widthOf(line) <= width) return line
  let kept = ''
  let used = 1
  for (const character of line) {
    used += widthOf(character)
    if (used > width) break
    kept += character
  }
  return `${kept}…`
}

function rowsOf(line: string, width: number): number {
  return Math.max(1, Math.ceil(widthOf(line) / Math.max(1, width)))
}

/** At most: what is neither ASCII nor drawn here may take two columns. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    const isNarrow = character < '\u007f' || /[\u2500-\u257f…]/.test(character)
    width += isNarrow ? 1 : 2
  }
  return width
}
