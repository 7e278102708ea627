interface PemBlock {
  readonly type: string
  /** The lines between the first and the last. */
  readonly content: string
  readonly whole: string
}

const boundary = /^-----(BEGIN|END) ([^-]+)-----\s*$/

/**
 * The PEM blocks of a text. A block that begins in another one replaces it, as in Go, so that each line is read once,
 * however many of them begin a block that never ends.
 */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  const lines = text.split('\n')
  let open: { readonly type: string; readonly at: number } | undefined
  for (const [at, line] of lines.entries()) {
    const [, edge, type = ''] = line.startsWith('-----') ? (boundary.exec(line) ?? []) : []
    if (edge === 'BEGIN') open = { type, at }
    if (edge !== 'END' || open === undefined) continue
    if (open.type === type) {
      const content = lines.slice(open.at + 1, at).join('\n')
      blocks.push({ type, content, whole: lines.slice(open.at, at + 1).join('\n') })
    }
    open = undefined
  }
  return blocks
}
