import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKubeClient, DeploymentKind, type KubeClient, type Pod, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { at, type RenderedObject } from '../../scripts/chart/compat/chart-snapshot.ts'
import { chart } from '../chart/render.ts'
import { containersOf, variablesOf } from '../chart/workload.ts'
import { startService } from '../processes/service-process.ts'
import { connectionTo, createNamespace } from '../status-contract/server.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../testbed/embedded-server.ts'
import { kubeconfigText } from '../testbed/kubeconfig.ts'
import { runTool } from '../tools/run-tool.ts'

describe.each(['3', '4'] as const)('helm test with Helm %s', (version) => {
  let server: EmbeddedServer
  let client: KubeClient
  let home: string

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'agents-helm-test-'))
    server = await startEmbeddedServer()
    client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
    await createNamespace(client, 'agents')
    const values = { tests: { enabled: true, timeoutSeconds: 5 } }
    const { stderr } = await helm(['install', 'agents', chart, '--values', '-'], values)
    expect(stderr).not.toContain('Error')
  })

  afterAll(async () => {
    client?.close()
    await server?.stop()
    await rm(home, { recursive: true, force: true })
  })

  test('passes while the control plane serves, and fails when it is gone', async () => {
    // The port is one that is free here; everything else is as the chart says.
    const { JANGAR_GRPC_PORT, ...environment } = await environmentOf('agents')
    const plane = startService('services/jangar/src/main/control-plane.ts', {
      ...environment,
      KUBECONFIG: await kubeconfigOf('agents'),
      HOME: home,
      JANGAR_POD_NAMESPACE: 'agents',
      JANGAR_GRPC_HOST: '127.0.0.1',
    })
    await expect.poll(() => plane.probe('/readyz'), { timeout: 60_000 }).toBe(200)
    const addresses = {
      'agents.agents.svc:80': `127.0.0.1:${await plane.port}`,
      [`agents-grpc.agents.svc:${JANGAR_GRPC_PORT}`]: `127.0.0.1:${await plane.grpcPort}`,
    }
    const node = new AbortController()
    const running = runPods(client, addresses, node.signal)
    onTestFinished(async () => {
      node.abort()
      await running
    })

    const passed = await helm(['test', 'agents', '--timeout', '90s'])
    expect([passed.code, passed.stdout], passed.stderr).toEqual([
      0,
      expect.stringMatching(/Phase:\s+Succeeded/),
    ])

    plane.child.kill('SIGTERM')
    expect(await plane.ended).toBe(0)
    const failed = await helm(['test', 'agents', '--timeout', '90s'])
    expect(failed.code).not.toBe(0)
    expect(`${failed.stdout}${failed.stderr}`).toContain('agents-test')
  })

  const helm = (args: readonly string[], values?: unknown) =>
    runTool(['helm', version], [...args, '--namespace', 'agents'], {
      kubeconfig: server.kubeconfigPath,
      timeoutMs: 120_000,
      ...(values !== undefined && { stdin: JSON.stringify(values) }),
    })

  /** As its Deployment has it in the cluster. */
  async function environmentOf(name: string): Promise<Readonly<Record<string, string>>> {
    const deployment = await client.get(DeploymentKind, { namespace: 'agents', name })
    return variablesOf(deployment as unknown as RenderedObject)
  }

  /** With the rights that the chart gives the account, and no others. */
  async function kubeconfigOf(account: string): Promise<string> {
    const { stdout } = await runTool(
      ['kubectl', '1.36'],
      ['create', 'token', account, '--namespace', 'agents'],
      { kubeconfig: server.kubeconfigPath },
    )
    const path = join(home, 'kubeconfig')
    const text = kubeconfigText({ url: server.url, caPem: server.caPem, token: stdout.trim() })
    await writeFile(path, text, { mode: 0o600 })
    return path
  }
})

/** A node that runs the pods of the test as processes, in a network in which Services have other addresses. */
async function runPods(
  client: KubeClient,
  addresses: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string>()
  while (!signal.aborted) {
    const { items } = await client.list<Pod>(PodKind, { namespace: 'agents' })
    const fresh = items.filter(({ metadata }) => !seen.has(metadata.uid ?? ''))
    for (const pod of fresh) {
      seen.add(pod.metadata.uid ?? '')
      const phase = (await runPod(pod, addresses)) === 0 ? 'Succeeded' : 'Failed'
      const body = { status: { phase } }
      await client.patch(PodKind, pod.metadata, { type: 'merge', body }, { subresource: 'status' })
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function runPod(pod: Pod, addresses: Readonly<Record<string, string>>): Promise<number | null> {
  const object = pod as unknown as RenderedObject
  const [container] = containersOf(object)
  const [, ...flags] = at(container, 'command') as readonly string[]
  const script = at(container, 'args') as readonly string[]
  const { TARGETS = '', ...others } = variablesOf(object)
  const targets = Object.entries(addresses).reduce(
    (text, [name, address]) => text.replace(name, address),
    TARGETS,
  )
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, ...script], {
      env: { ...others, TARGETS: targets },
      stdio: 'ignore',
    })
    child.once('error', reject)
    child.once('close', resolve)
  })
}
