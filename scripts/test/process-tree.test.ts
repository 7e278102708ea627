import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { stopMarked, stopTree } from './process-tree.ts'

/** Starts a shell with the marker; it prints the ids of what it has started. */
async function start(script: string, marker: string, count: number) {
  const [name = '', value = ''] = marker.split('=')
  const shell = spawn('bash', ['-c', script], {
    env: { ...process.env, [name]: value },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pids: number[] = []
  for await (const line of createInterface({ input: shell.stdout })) {
    pids.push(Number(line))
    if (pids.length === count) break
  }
  return { shell, pids }
}

/** A process that has ended may wait for its parent to notice. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

test.runIf(process.platform === 'linux').each([
  { because: 'a child', script: 'sleep 300 & echo $!; wait' },
  { because: 'a child in a session of its own', script: 'setsid sleep 300 & echo $!; wait' },
  { because: 'a child without the environment', script: 'env -i sleep 300 & echo $!; wait' },
  {
    because: 'a process whose parent has ended',
    script: '(setsid sleep 300 & echo $!); sleep 300',
  },
  {
    because: 'a child that ignores SIGTERM',
    script: `bash -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & wait`,
  },
])('a stopped run ends $because', async ({ because, script }) => {
  const marker = `AGENTS_TEST_RUN=${process.pid} ${because}`
  const { shell, pids } = await start(script, marker, 1)
  const exited = exitOf(shell)
  await stopTree(shell.pid ?? 0, marker)
  await exited
  await expect.poll(() => pids.filter(isRunning)).toEqual([])
})

test.runIf(process.platform === 'linux')('what a run has left behind is ended', async () => {
  const marker = `AGENTS_TEST_RUN=${process.pid} left`
  const { shell, pids } = await start('setsid sleep 300 >/dev/null & echo $!', marker, 1)
  await exitOf(shell)
  expect(pids.filter(isRunning)).toEqual(pids)
  stopMarked(marker)
  await expect.poll(() => pids.filter(isRunning)).toEqual([])
})
