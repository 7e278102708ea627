import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, listAt, type RenderedObject } from '@agents/chart-tools'
import { createKubeClient, type KubeClient } from '@agents/kube'
import { expect, onTestFinished } from 'vitest'
import { writeLocalPrograms } from '../../../../apps/agentctl/src/platform/local-programs.ts'
import { find, render } from '../../../support/chart/render.ts'
import { containersOf, variablesOf } from '../../../support/chart/workload.ts'
import { type ServiceProcess, startService } from '../../../support/processes/service-process.ts'
import { startPart } from '../../../support/run-platform/part-process.ts'
import { type AuditLog, auditLog } from '../../../support/testbed/audit-log.ts'
import { compileCacheVariable } from '../../../support/testbed/compile-cache.ts'
import { kubeconfigText } from '../../../support/testbed/kubeconfig.ts'
import { startRealCluster } from '../../../support/testbed/real-cluster.ts'
import { connectionTo } from '../../../support/testbed/server.ts'
import { runTool } from '../../../support/tools/run-tool.ts'

const root = join(import.meta.dirname, '../../../..')

/**
 * A real cluster with the accounts and Roles of a release, whose processes run here with the tokens of their accounts.
 */
export interface Release {
  readonly client: KubeClient
  readonly audit: AuditLog
  readonly objects: readonly RenderedObject[]
  kubectl(args: readonly string[], stdin?: string): Promise<string>
  create(...objects: readonly object[]): Promise<void>
  /** Starts a process as its Deployment declares it, with additional variables. Resolves when it is ready. */
  start(deployment: string, changed?: Readonly<Record<string, string>>): Promise<ServiceProcess>
  /** Runs the command of a Job or Pod to completion. */
  runToEnd(kind: string, name: string, args?: readonly string[]): Promise<void>
  /** Runs the pods of runs as processes. */
  startNode(options?: NodeOptions): Promise<void>
}

interface NodeOptions {
  /** Whether containers find the programs of the image, such as the runner. Default false. */
  readonly hasPrograms?: boolean
}

/** The objects to install; workloads are started by the test. */
const installed =
  /^(ServiceAccount|(Cluster)?Role(Binding)?|(Validating|Mutating)AdmissionPolicy(Binding)?)$/

export async function installRelease(values: unknown): Promise<Release> {
  const audit = await auditLog()
  onTestFinished(() => audit.remove())
  const home = await mkdtemp(join(tmpdir(), 'agents-rights-'))
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
  const cluster = await startRealCluster({
    controllerManager: true,
    scheduler: true,
    fsync: false,
    apiServerFlags: [
      ...audit.apiServerFlags,
      '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
      // As in API servers before 1.34, caches are filled by lists, which need a permission.
      '--feature-gates=WatchList=false',
    ],
  })
  onTestFinished(() => cluster.stop())
  const client = createKubeClient(connectionTo(cluster.url, cluster.caPem, cluster.adminToken))
  onTestFinished(() => client.close())
  const kubectl = async (args: readonly string[], stdin = ''): Promise<string> => {
    const options = { kubeconfig: cluster.kubeconfigPath, stdin, timeoutMs: 240_000 }
    const all = [...args, '--namespace', 'agents']
    const { code, stdout, stderr } = await runTool(['kubectl', '1.36'], all, options)
    // A wait that has finished may print an error about its own closed watch: the exit code decides.
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0)
    return stdout
  }
  const create = async (...created: readonly object[]): Promise<void> => {
    await kubectl(
      ['create', '--filename', '-'],
      created.map((one) => JSON.stringify(one)).join('\n'),
    )
  }
  const { objects, errors } = await render(values)
  expect(errors).toBe('')
  await kubectl(['create', 'namespace', 'agents'])
  await create(...objects.filter(({ kind }) => installed.test(kind)))
  const kubeconfigOf = async (workload: RenderedObject): Promise<string> => {
    const spec =
      workload.kind === 'Pod' ? at(workload, 'spec') : at(workload, 'spec', 'template', 'spec')
    const account = String(at(spec, 'serviceAccountName'))
    const token = (await kubectl(['create', 'token', account])).trim()
    const path = join(home, `${workload.kind}-${workload.metadata.name}.kubeconfig`)
    await writeFile(path, kubeconfigText({ url: cluster.url, caPem: cluster.caPem, token }), {
      mode: 0o600,
    })
    return path
  }
  return {
    ...{ client, audit, objects, kubectl, create },
    start: async (name, changed = {}) => {
      const deployment = find(objects, 'Deployment', name)
      const program = listAt(containersOf(deployment)[0], 'command').map(String).at(-1) ?? ''
      const isOperator = name.endsWith('-gittarget')
      const { JANGAR_GRPC_PORT: _port, ...environment } = variablesOf(deployment)
      const service = startService(
        program,
        {
          ...environment,
          HOME: home,
          KUBECONFIG: await kubeconfigOf(deployment),
          JANGAR_POD_NAMESPACE: 'agents',
          GITTARGET_POD_NAMESPACE: 'agents',
          GITTARGET_STATE_DIR: join(home, 'gittarget'),
          JANGAR_GRPC_HOST: '127.0.0.1',
          ...changed,
        },
        ...(isOperator ? (['GITTARGET_PORT', 'GITTARGET_HTTP_HOST'] as const) : []),
      )
      const ready = () => service.probe('/readyz')
      await expect
        .poll(ready, { timeout: 120_000, interval: 500, message: service.text() })
        .toBe(200)
      return service
    },
    runToEnd: async (kind, name, args) => {
      const workload = find(objects, kind, name)
      const [container] = containersOf(workload)
      const [, ...command] = listAt(container, 'command').map(String)
      const given = args ?? listAt(container, 'args').map(String)
      const child = spawn(process.execPath, [...command, ...given], {
        cwd: root,
        env: {
          PATH: '/usr/bin:/bin',
          ...compileCacheVariable(),
          HOME: home,
          KUBECONFIG: await kubeconfigOf(workload),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
      }
      const code = await new Promise((resolve) => child.once('close', resolve))
      expect([code, output]).toEqual([0, output])
    },
    startNode: async ({ hasPrograms = false } = {}) => {
      const script = join(root, 'tests/support/run-platform/main/node.ts')
      const state = join(home, 'node')
      const programs = hasPrograms ? join(home, 'bin') : ''
      if (hasPrograms) await writeLocalPrograms(programs)
      const args = [cluster.kubeconfigPath, state, 'beside', programs]
      const part = await startPart(script, args, join(home, 'compiled'))
      onTestFinished(() => part.stop())
    },
  }
}
