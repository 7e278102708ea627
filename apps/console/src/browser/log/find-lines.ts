import { withoutAnsi } from './ansi.ts'
import type { LogBuffer } from './log-buffer.ts'

/** More matches than anybody steps through. */
const most = 10_000

/** The indexes of the lines that contain the text, in any case. */
export function findLines(buffer: LogBuffer, text: string): readonly number[] {
  if (text === '') return []
  const wanted = text.toLowerCase()
  const found: number[] = []
  for (let index = 0; index < buffer.length && found.length < most; index += 1) {
    if (withoutAnsi(buffer.line(index)).toLowerCase().includes(wanted)) found.push(index)
  }
  return found
}
