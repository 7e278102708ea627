import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const rounds = 5

/** Milliseconds of each round of one change in a work tree of the same repository: write, add, commit, push. */
export async function pushNaively(
  repository: string,
  clone: string,
  pathOf: (index: number) => string,
  objects: number,
): Promise<number[]> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: string[]) =>
    execute('git', ['-C', clone, '-c', 'user.name=x', '-c', 'user.email=x@example.test', ...args], {
      env,
    })
  await execute('git', ['clone', '-q', `file://${repository}`, clone], { env })
  // A separate branch, so that the mirror's branch is not disturbed.
  await git('checkout', '-q', '-b', 'naive')
  await git('push', '-q', 'origin', 'naive')
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const path = pathOf((round * 104_729) % objects)
    const started = performance.now()
    await writeFile(join(clone, path), `naive: ${round}\n`)
    await git('add', '--all')
    await git('commit', '-q', '-m', `round ${round}`)
    await git('push', '-q', 'origin', 'naive')
    times.push(performance.now() - started)
  }
  return times
}
