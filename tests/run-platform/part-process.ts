import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What a part uses now, after clearing away what it no longer does. */
export interface Usage {
  readonly rss: number
  readonly heapUsed: number
  /** Since its start. */
  readonly cpuMs: number
}

/** A part of the platform in a process of its own. */
export interface PartProcess {
  readonly pid: number
  usage(): Promise<Usage>
  stop(): Promise<void>
  /** −9: it has no time for anything. */
  kill(): Promise<void>
}

/**
 * Resolves when the part says that it is at work. What was compiled once is kept in `compiled`, as the platform does it. Most
 * of what a pass allocates is garbage at once: with more room for it the process grows by 100 MiB and gains no time.
 */
export async function startPart(
  script: string,
  args: readonly string[],
  compiled: string,
): Promise<PartProcess> {
  const child = fork(script, args, {
    execArgv: ['--expose-gc', '--max-semi-space-size=1'],
    env: { NODE_COMPILE_CACHE: compiled, MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const isReady = await Promise.race([once(child, 'message').then(() => true), ended])
  if (!isReady || child.pid === undefined) throw new Error(`${script} ended before it was ready`)
  return {
    pid: child.pid,
    usage: async () => {
      child.send('usage')
      const [usage] = await once(child, 'message')
      return usage as Usage
    },
    stop: async () => {
      if (child.connected) child.send('stop')
      await ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

type Parent = Pick<NodeJS.Process, 'on' | 'send' | 'exit' | 'memoryUsage' | 'cpuUsage'>

/** The other side: says that it is ready, and does what it is told from then on. Without a parent it ends. */
export function answerParent(own: Parent, stop: () => Promise<void>): void {
  own.on('message', (message: unknown) => {
    if (message === 'usage') own.send?.(usageOf(own))
    if (message === 'stop') void stop().then(() => own.exit(0))
  })
  own.on('disconnect', () => own.exit(1))
  own.send?.('ready')
}

function usageOf(own: Parent): Usage {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.()
  const { rss, heapUsed } = own.memoryUsage()
  const { user, system } = own.cpuUsage()
  return { rss, heapUsed, cpuMs: (user + system) / 1000 }
}
