import { chooseFormat } from '@agents/log'
import { createStop } from '../process/stop.ts'
import type { PublisherContext } from './reported-program.ts'

type Own = Pick<NodeJS.Process, 'env' | 'stdout' | 'stderr' | 'on'>

/** Runs a program with what its process has. A signal asks it to stop; a push that is under way is finished first. */
export function runAsProcess(
  own: Own,
  run: (context: PublisherContext) => Promise<number>,
): Promise<number> {
  const stop = createStop()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    own.on(signal, () => stop.request({ kind: 'Terminated', signal }))
  }
  for (const stream of [own.stdout, own.stderr]) {
    stream.on('error', () => {
      // The reader closed the stream. The result is in the termination message.
    })
  }
  return run({
    env: own.env,
    stdout: own.stdout,
    stderr: own.stderr,
    logFormat: chooseFormat('auto', {
      isTerminal: own.stderr.isTTY,
      noColor: own.env.NO_COLOR !== undefined,
    }).format,
    stop,
    now: () => new Date(),
  })
}
