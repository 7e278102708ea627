import type { CommandContext } from './command-context.ts'
import { exitCode } from './exit-code.ts'
import { explainFailure } from './explain-failure.ts'

/**
 * Acts on each of the named objects, one after the other, and resolves to the exit code. With several names, a failure
 * is printed and does not keep the command from the others; the last one decides the exit code.
 */
export async function actOnEach(
  names: readonly string[],
  context: CommandContext,
  act: (name: string) => Promise<void>,
): Promise<number> {
  let code: number = exitCode.done
  for (const name of names) {
    try {
      await act(name)
    } catch (error) {
      if (names.length === 1 || context.stop.aborted) throw error
      const failure = explainFailure(error, context.stop)
      context.stderr.write(`${context.stderr.style.bad('error:')} ${failure.message}\n`)
      code = failure.code
    }
  }
  return code
}
