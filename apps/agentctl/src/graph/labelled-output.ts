import { StringDecoder } from 'node:string_decoder'
import type { Output } from '../cli/command-context.ts'

export interface LabelledOutput extends Pick<Output, 'write' | 'pour' | 'style'> {
  /** Prints a last line without a line feed. */
  end(): void
}

/** A longer line is broken, so that no program can fill the memory. */
const longestLine = 64 * 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const coloursAndReturns = /\u001b\[[0-9;]*m|\r/g

/**
 * Prints whole lines, each with a label, so that the output of several programs can be mixed. Colours and carriage
 * returns of a program are left out: it could overwrite labels with them, or hide the lines of others.
 */
export function labelledOutput(
  stdout: Pick<Output, 'write' | 'pour' | 'style'>,
  label: string,
): LabelledOutput {
  const decoder = new StringDecoder('utf8')
  let held = ''
  const put = (line: string): void => stdout.write(`${stdout.style.dim(label)}  ${line}\n`)
  const take = (text: string): void => {
    const lines = (held + text).split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) put(line)
    while (held.length > longestLine) {
      put(held.slice(0, longestLine))
      held = held.slice(longestLine)
    }
  }
  return {
    style: stdout.style,
    write: take,
    pour: async (bytes) => {
      take(decoder.write(Buffer.from(bytes)).replaceAll(coloursAndReturns, ''))
      // Waits for a slow reader.
      await stdout.pour(new Uint8Array(0))
    },
    end: () => {
      if (held !== '') put(held)
      held = ''
    },
  }
}
