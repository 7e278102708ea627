import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a stopped run starts nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agents-stopped-'))
  const module = JSON.stringify(join(import.meta.dirname, 'run-tests.ts'))
  const script = `
    import { runCheck, stopOnSignals } from ${module}
    stopOnSignals()
    // Ends later than the first, so that there is time for the second.
    void runCheck('slow', ['bash', '-c', 'trap "" TERM; echo > slow; sleep 2'])
    await runCheck('first', ['bash', '-c', 'echo > first; sleep 300'])
    await runCheck('second', ['bash', '-c', 'echo > second'])`
  try {
    await writeFile(join(folder, 'run.mts'), script)
    const run = spawn(process.execPath, ['run.mts'], { cwd: folder, stdio: 'ignore' })
    const ended = new Promise<number | null>((resolve) => run.once('exit', resolve))
    for (const name of ['slow', 'first']) {
      await expect.poll(() => existsSync(join(folder, name))).toBe(true)
    }
    run.kill('SIGTERM')
    expect(await ended).toBe(143)
    expect(existsSync(join(folder, 'second'))).toBe(false)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
