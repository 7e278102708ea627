import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A fenced block of a page: its language, the optional path after it, and its text. */
interface Block {
  readonly language: string
  readonly path: string | undefined
  readonly text: string
}

/** Writes the files that a page shows, and applies its `diff` blocks, in a copy of the project. */
export async function followPage(page: string, copy: string): Promise<void> {
  for (const { language, path, text } of blocksOf(readFileSync(page, 'utf8'))) {
    if (language === 'diff') await applyDiff(text, copy)
    if (path === undefined) continue
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await writeFile(join(copy, path), text)
  }
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ([, language = '', path, text = '']) => ({ language, path, text }),
  )
}

/** Applies hunks without line numbers: the unchanged lines before an addition locate it and must occur exactly once. */
async function applyDiff(diff: string, copy: string): Promise<void> {
  for (const part of diff.split(/^--- .+\n\+\+\+ b\//m).slice(1)) {
    const [path = '', ...lines] = part.split('\n')
    let text = readFileSync(join(copy, path), 'utf8')
    for (const hunk of lines.join('\n').split(/^@@\n/m).slice(1)) {
      const rows = hunk.split('\n').filter((row) => row !== '')
      const before = linesOf(rows.filter((row) => row.startsWith(' ')))
      if (text.split(before).length !== 2) throw new Error(`${path} has not exactly one\n${before}`)
      text = text.replace(before, () => linesOf(rows))
    }
    await writeFile(join(copy, path), text)
  }
}

function linesOf(rows: readonly string[]): string {
  return rows
    .map((row) => `\n${row.slice(1)}`)
    .join('')
    .concat('\n')
}
