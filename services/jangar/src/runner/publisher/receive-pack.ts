import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { localEnvironment } from '../vcs/git-environment.ts'

/** The largest pack that one run can publish. */
export const largestPackBytes = 1024 ** 3

interface ReceiveOptions {
  readonly gitFolder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pieces: AsyncIterable<Buffer>
}

/** Stores a pack of untrusted commits: git checks every object and every link before any of them becomes visible. */
export async function receivePack({ gitFolder, env, pieces }: ReceiveOptions): Promise<void> {
  const args = [
    'index-pack',
    '--stdin',
    '--fix-thin',
    '--strict',
    `--max-input-size=${largestPackBytes}`,
  ]
  const child = spawn('git', args, {
    env: { ...localEnvironment(env), GIT_DIR: gitFolder },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  let errorText = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-2000)
  })
  child.stdin.on('error', () => undefined)
  try {
    for await (const piece of pieces) {
      // Git has exited: the rest is read and discarded.
      if (!child.stdin.writable) continue
      if (!child.stdin.write(piece)) await Promise.race([once(child.stdin, 'drain'), ended])
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    child.stdin.end()
  }
  const [code] = (await ended) as [number | null]
  if (code === 0) return
  const why = errorText
    .trim()
    .replaceAll(/\s*\n\s*/g, '; ')
    .slice(-600)
  throw new RunFailure('PublishRefused', `git rejected the submitted commits: ${why}`)
}
