import { createInterface } from 'node:readline'
import type { CommandContext } from './command-context.ts'

/** Asks a person at the terminal. Anything but yes, also the end of the input, is a no. */
export function confirm(
  question: string,
  { terminal, stderr, stop }: Pick<CommandContext, 'terminal' | 'stderr' | 'stop'>,
): Promise<boolean> {
  stderr.write(`${question} [y/N] `)
  // Without a terminal of its own, the line reader leaves Ctrl-C to the program.
  const lines = createInterface({ input: terminal.stdin, terminal: false })
  return new Promise<boolean>((resolve, reject) => {
    const onStop = (): void => reject(stop.reason)
    stop.addEventListener('abort', onStop, { once: true })
    lines.once('line', (line) => resolve(/^\s*y(?:es)?\s*$/i.test(line)))
    lines.once('close', () => {
      stop.removeEventListener('abort', onStop)
      resolve(false)
    })
  }).finally(() => {
    lines.close()
    terminal.stdin.pause()
  })
}
