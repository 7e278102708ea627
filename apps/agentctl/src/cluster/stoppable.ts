import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'

/** Runs work until it is done, Ctrl-C is pressed or the time is up. The error tells which of the two ended it. */
export async function stoppable<T>(
  context: Pick<CommandContext, 'stop'>,
  timeoutMs: number | undefined,
  waits: { readonly what: string; readonly advice: readonly string[] },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => late.abort(new Error('the time is up')), timeoutMs)
  try {
    return await work(AbortSignal.any([context.stop, late.signal]))
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    if (context.stop.aborted) {
      const { advice } = waits
      throw new CommandFailure(`stopped waiting for ${waits.what}`, {
        code: exitCode.interrupted,
        advice,
        cause: error,
      })
    }
    if (late.signal.aborted) {
      const { advice } = waits
      throw new CommandFailure(`timed out waiting for ${waits.what}`, {
        code: exitCode.timedOut,
        advice,
        cause: error,
      })
    }
    throw error
  } finally {
    clearTimeout(timer)
  }
}
