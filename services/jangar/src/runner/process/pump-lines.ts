import { StringDecoder } from 'node:string_decoder'
import type { SecretMask } from './secret-mask.ts'

export interface PumpOptions {
  readonly mask: SecretMask
  /** Waited for, so that a slow reader slows the program down instead of filling the memory. */
  write(text: string): Promise<void>
  /** Each whole line without its end, as the program wrote it. */
  onLine?(line: string): void
}

/** A line that is longer is passed on in pieces, and not shown to onLine. */
export const LONGEST_LINE = 1024 * 1024

/** Passes a stream on line by line, as soon as a line is whole, with secrets masked. A last line that has no end gets one. */
export async function pumpLines(
  source: AsyncIterable<Buffer>,
  { mask, write, onLine }: PumpOptions,
): Promise<void> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let isPiece = false
  const passOn = async (whole: string) => {
    const shown = isPiece ? whole.slice(whole.indexOf('\n') + 1) : whole
    isPiece = false
    if (onLine !== undefined) for (const line of linesOf(shown)) onLine(line)
    await write(mask(whole))
  }
  for await (const chunk of source) {
    const text = decoder.write(chunk)
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) {
      const whole = rest + text.slice(0, end)
      rest = text.slice(end)
      await passOn(whole)
    } else {
      rest += text
    }
    if (rest.length > LONGEST_LINE) {
      // Masked as a whole before it is cut, so that no secret is cut in two.
      const masked = mask(rest)
      const cut = Math.max(0, masked.length - mask.longest)
      isPiece = true
      rest = masked.slice(cut)
      await write(masked.slice(0, cut))
    }
  }
  const last = rest + decoder.end()
  // In the pod's output other lines follow: of the other stream, and the runner's own.
  if (last !== '') await passOn(`${last}\n`)
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}
