import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { localEnvironment } from '../vcs/git-environment.ts'

export interface GitPlace {
  readonly gitFolder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What git prints with `-z`, one text after the other. Git is ended if the caller stops reading. */
export async function* recordsOf(
  { gitFolder, env }: GitPlace,
  args: readonly string[],
): AsyncGenerator<string> {
  const child = spawn('git', args, {
    env: { ...localEnvironment(env), GIT_DIR: gitFolder },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  let rest = ''
  try {
    for await (const chunk of child.stdout.setEncoding('latin1')) {
      const parts = `${rest}${chunk}`.split('\0')
      rest = parts.pop() ?? ''
      yield* parts
    }
    const [code] = (await ended) as [number | null]
    if (code !== 0) throw new RunFailure('PublishRefused', 'the submitted commits cannot be read')
  } finally {
    child.kill('SIGKILL')
  }
}
