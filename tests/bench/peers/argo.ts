import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  ConfigMapKind,
  CustomResourceDefinitionKind,
  isNotFound,
  type KubeClient,
  type KubeObject,
  kindRef,
} from '@agents/kube'
import { parse } from 'yaml'
import { namespace, type RunPlatform } from '../../support/run-platform/run-platform.ts'
import { type ChildProgram, startProgram } from '../../support/testbed/child-program.ts'
import { ensureGoProgram } from '../../support/testbed/go-program.ts'
import { until } from '../../support/testbed/until.ts'

const sources = join(import.meta.dirname, '../go/argo')
const argoModule = 'github.com/argoproj/argo-workflows/v4'

export interface Workflow extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: { readonly phase?: string }
}

export const WorkflowKind = kindRef<Workflow>({
  group: 'argoproj.io',
  version: 'v1alpha1',
  plural: 'workflows',
  kind: 'Workflow',
  scope: 'Namespaced',
})

/** Argo Workflows: the path of its controller, and its kinds as its own installation has them. */
export interface Argo {
  readonly path: string
  readonly definitions: readonly KubeObject[]
}

/** Undefined where Go is not installed. The controller is built at first use. */
export async function ensureArgo(): Promise<Argo | undefined> {
  const path = await ensureGoProgram(sources, process.env, `${argoModule}/cmd/workflow-controller`)
  if (path === undefined) return undefined
  const listed = await promisify(execFile)('go', ['list', '-m', '-f', '{{.Dir}}', argoModule], {
    cwd: sources,
    env: { ...process.env, GOWORK: 'off' },
  })
  const folder = join(listed.stdout.trim(), 'manifests/base/crds/full')
  const names = parse(await readFile(join(folder, 'kustomization.yaml'), 'utf8')) as {
    readonly resources: readonly string[]
  }
  const read = async (name: string): Promise<KubeObject> =>
    parse(await readFile(join(folder, name), 'utf8'))
  return { path, definitions: await Promise.all(names.resources.map(read)) }
}

export async function installArgo({ definitions }: Argo, client: KubeClient): Promise<void> {
  for (const definition of definitions) {
    await client.create(CustomResourceDefinitionKind, definition as never)
  }
  await until(() => isServed(client), 'Workflows are not served')
}

/** Starts Argo Workflows for the namespace, without its limits; resolves when it works on Workflows. */
export async function startArgo(
  { path }: Argo,
  { client, kubeconfigPath, stateDir }: RunPlatform,
): Promise<ChildProgram> {
  const configMap = 'workflow-controller-configmap'
  await client.create(ConfigMapKind, {
    metadata: { name: configMap, namespace },
    data: { metricsConfig: 'enabled: false\n' },
  } as never)
  const flags = [
    `--kubeconfig=${kubeconfigPath}`,
    `--namespace=${namespace}`,
    '--namespaced',
    `--configmap=${configMap}`,
    '--executor-image=local',
    '--loglevel=error',
    '--qps=1000',
    '--burst=2000',
  ]
  const words = ['LEADER_ELECTION_DISABLE=true', path, ...flags]
  const program = await startProgram('argo', 'env', words, join(stateDir, 'argo.log'))
  try {
    const name = 'first'
    await createWorkflow(client, name)
    await until(async () => {
      const ending = program.exited()
      if (ending !== undefined) throw new Error(`argo ${ending}`)
      const { status } = await client.get(WorkflowKind, { name, namespace })
      return status?.phase === 'Succeeded'
    }, 'the first Workflow does not succeed')
  } catch (error) {
    const log = await program.logTail()
    await program.stop()
    throw new Error(`Argo Workflows does not work; its log ends:\n${log}`, { cause: error })
  }
  return program
}

/** Creates a Workflow with a single step that does nothing. */
export function createWorkflow(client: KubeClient, name: string): Promise<Workflow> {
  const container = { image: 'local', command: ['/bin/sh', '-c', 'true'] }
  const spec = { entrypoint: 'main', templates: [{ name: 'main', container }] }
  return client.create(WorkflowKind, { metadata: { name, namespace }, spec } as never)
}

function isServed(client: KubeClient): Promise<boolean> {
  return client.list(WorkflowKind, { namespace }).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false
      throw error
    },
  )
}
