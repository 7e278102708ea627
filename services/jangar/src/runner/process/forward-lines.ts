import { StringDecoder } from 'node:string_decoder'
import type { SecretMask } from '../../run-contract/secrets/secret-mask.ts'

interface ForwardOptions {
  readonly mask: SecretMask
  /** Waited for, so that a slow reader slows the program down instead of filling the memory. */
  write(text: string): Promise<void>
  /** Each whole line without its end, as the program wrote it. */
  onLine?(line: string): void
}

/** A line that is longer is passed on in pieces, and not shown to onLine. */
export const longestLine = 1024 * 1024

/**
 * Passes a stream on line by line, as soon as a line is whole, with secrets masked. A last line that has no end gets
 * one.
 */
export async function forwardLines(
  source: AsyncIterable<Buffer>,
  { mask, write, onLine }: ForwardOptions,
): Promise<void> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  // Characters at the start of the rest that are the end of a secret which is masked in what was passed on.
  let hidden = 0
  let isPiece = false
  const passOn = async (whole: string) => {
    const visible = isPiece ? whole.slice(whole.indexOf('\n') + 1) : whole
    isPiece = false
    if (onLine !== undefined) for (const line of linesOf(visible)) onLine(line)
    const masked = mask(whole, hidden)
    hidden = 0
    await write(masked)
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
    if (rest.length > longestLine) {
      const head = mask.head(rest, hidden)
      isPiece = true
      rest = head.rest
      hidden = head.hidden
      if (head.visible !== '') await write(head.visible)
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
