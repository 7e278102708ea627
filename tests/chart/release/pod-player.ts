import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listAt, type RenderedObject } from '@agents/chart-tools'
import { type KubeClient, type Pod, PodKind } from '@agents/kube'
import { containersOf, variablesOf } from '../../support/chart/workload.ts'
import { compileCacheVariable } from '../../support/testbed/compile-cache.ts'

const root = join(import.meta.dirname, '../../..')
const network = join(import.meta.dirname, 'main', 'service-network.ts')

interface PodPlayerOptions {
  readonly client: KubeClient
  readonly namespace: string
  /** Folder for files of the processes. */
  readonly home: string
  /** Addresses of the pods behind a Service, e.g. `agents.agents.svc:80`: `127.0.0.1:41234`. May change. */
  readonly addresses: Readonly<Record<string, string>>
  /** The kubeconfig of an account. */
  readonly kubeconfigOf: (account: string) => Promise<string>
}

export interface PodPlayer {
  /** The output of the last pod of this name. */
  log(pod: string): string
  forget(): void
  stop(): Promise<void>
}

/**
 * Takes the place of a node and a network: runs each pod's command as a process with its account, and reports the
 * result.
 */
export function playPods(options: PodPlayerOptions): PodPlayer {
  const { client, namespace } = options
  const logs = new Map<string, string>()
  const seen = new Set<string>()
  const stop = new AbortController()
  const look = async (): Promise<void> => {
    const { items } = await client.list<Pod>(PodKind, { namespace })
    for (const pod of items.filter(({ metadata }) => !seen.has(metadata.uid ?? ''))) {
      seen.add(pod.metadata.uid ?? '')
      const { code, output } = await runPod(pod, options)
      logs.set(pod.metadata.name, output)
      const body = { status: { phase: code === 0 ? 'Succeeded' : 'Failed' } }
      await client.patch(PodKind, pod.metadata, { type: 'merge', body }, { subresource: 'status' })
    }
  }
  const played = (async () => {
    while (!stop.signal.aborted) {
      await look()
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })()
  return {
    log: (pod) => logs.get(pod) ?? '',
    forget: () => logs.clear(),
    stop: () => {
      stop.abort()
      return played
    },
  }
}

async function runPod(
  pod: Pod,
  { home, addresses, kubeconfigOf }: PodPlayerOptions,
): Promise<{ code: number | null; output: string }> {
  const object = pod as unknown as RenderedObject
  const [container] = containersOf(object)
  const [, ...command] = listAt(container, 'command').map(String)
  const kubeconfig = join(home, `${pod.metadata.uid}.kubeconfig`)
  const account = String(pod.spec.serviceAccountName)
  await writeFile(kubeconfig, await kubeconfigOf(account), { mode: 0o600 })
  const args = ['--import', network, ...command, ...listAt(container, 'args').map(String)]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      PATH: '/usr/bin:/bin',
      ...compileCacheVariable(),
      ...variablesOf(object),
      HOME: home,
      TMPDIR: home,
      KUBECONFIG: kubeconfig,
      SERVICE_ADDRESSES: JSON.stringify(addresses),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, output }
}
