import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { compileCacheVariable } from '../testbed/compile-cache.ts'

/** Resource usage of a process, measured after garbage collection. */
export interface Usage {
  readonly rss: number
  readonly heapUsed: number
  /** CPU time since the start of the process. */
  readonly cpuMs: number
}

/** A part of the platform in its own process. */
export interface PartProcess {
  readonly pid: number
  usage(): Promise<Usage>
  stop(): Promise<void>
  /** Sends SIGKILL, so that the process cannot clean up. */
  kill(): Promise<void>
}

/**
 * Resolves when the part reports that it is ready. `compiled` is its compile cache where tests do not share one, as
 * without vitest.
 */
export async function startPart(
  script: string,
  args: readonly string[],
  compiled: string,
  nodeFlags: readonly string[] = [],
): Promise<PartProcess> {
  const child = fork(script, args, {
    execArgv: ['--expose-gc', ...nodeFlags],
    env: {
      NODE_COMPILE_CACHE: compiled,
      ...compileCacheVariable(),
      MALLOC_ARENA_MAX: '1',
      MALLOC_TRIM_THRESHOLD_: '65536',
    },
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

/**
 * The child's side: reports that it is ready, then handles the parent's messages. Exits when the parent disconnects.
 */
export function answerParent(own: Parent, stop: () => Promise<void>): void {
  own.on('message', (message: unknown) => {
    if (message === 'usage') void usageOf(own).then((usage) => own.send?.(usage))
    if (message === 'stop') void stop().then(() => own.exit(0))
  })
  own.on('disconnect', () => own.exit(1))
  own.send?.('ready')
}

async function usageOf(own: Parent): Promise<Usage> {
  const { user, system } = own.cpuUsage()
  // Freed memory is returned to the system with a delay.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.()
    await delay(300)
  }
  const { rss, heapUsed } = own.memoryUsage()
  return { rss, heapUsed, cpuMs: (user + system) / 1000 }
}
