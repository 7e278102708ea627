import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { at } from '@agents/chart-tools'
import { find, render } from '../../support/chart/render.ts'
import { containersOf, variablesOf } from '../../support/chart/workload.ts'
import { readRecipe } from '../../support/image/image-files.ts'
import { freePort } from '../../support/testbed/free-port.ts'

const root = join(import.meta.dirname, '../../..')

export interface ControllersUsage {
  readonly rss: number
  /** Peak resident memory, if the kernel reports it. */
  readonly peakRss: number | undefined
  readonly heapUsed: number
  /** CPU time since the start. */
  readonly cpuMs: number
}

/** The shipped process, with the environment of its image, as the chart starts it. */
export interface ShippedControllers {
  /** Current usage, without garbage collection first. */
  usage(): Promise<ControllersUsage>
  /** Resolves when the process is idle. */
  rest(): Promise<void>
  stop(): Promise<void>
}

export interface ShippedOptions {
  readonly kubeconfig: string
  readonly settings: Readonly<Record<string, string>>
  /** Folder of its compile cache, which is filled in the image. */
  readonly compiled: string
}

/** Resolves when the process reports that it is ready. */
export async function startShipped(options: ShippedOptions): Promise<ShippedControllers> {
  const { environment } = await readRecipe()
  const port = await freePort()
  const { words, allocator } = await chartStart()
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: {
      ...environment,
      ...allocator,
      NODE_COMPILE_CACHE: options.compiled,
      KUBECONFIG: options.kubeconfig,
      PORT: `${port}`,
      JANGAR_LOG_LEVEL: 'error',
      JANGAR_LEADER_ELECTION_ENABLED: 'false',
      ...options.settings,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const address = `http://127.0.0.1:${port}`
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (!(await isReady(address))) {
    if (child.exitCode !== null) throw new Error(`the controllers ended with ${child.exitCode}`)
    await delay(100)
  }
  const usage = () => usageOf(address, child.pid)
  return {
    usage,
    rest: async () => {
      for (let before = -quietMs; ; ) {
        const { cpuMs } = await usage()
        if (cpuMs - before < quietMs) return
        before = cpuMs
        await delay(restMs)
      }
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** What the chart passes to Node, and its variables for the memory allocator. */
async function chartStart() {
  const { objects, errors } = await render({ controllers: { enabled: true } })
  if (objects.length === 0) throw new Error(`the chart cannot be rendered: ${errors}`)
  const deployment = find(objects, 'Deployment', 'agents-controllers')
  const [, ...words] = at(containersOf(deployment)[0], 'command') as readonly string[]
  const variables = Object.entries(variablesOf(deployment))
  const allocator = Object.fromEntries(variables.filter(([name]) => name.startsWith('MALLOC_')))
  return { words, allocator }
}

/** A process that needs less CPU time than this in the interval handles only leases, bookmarks and these queries. */
const restMs = 5_000
const quietMs = 100

function isReady(address: string): Promise<boolean> {
  return fetch(`${address}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function usageOf(address: string, pid: number | undefined): Promise<ControllersUsage> {
  const text = await (await fetch(`${address}/metrics`)).text()
  const told = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return {
    rss: told('process_resident_memory_bytes'),
    peakRss: await peakOf(pid),
    heapUsed: told('nodejs_heap_size_used_bytes'),
    cpuMs: told('process_cpu_seconds_total') * 1000,
  }
}

async function peakOf(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? []
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}
