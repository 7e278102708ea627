import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { kinds as mirrorKinds } from '@agents/gittarget-api'
import { kinds } from '@agents/jangar-api'
import { createKubeClient, type EnvVar, type KubeClient, type PodSpec } from '@agents/kube'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { render, valuesFile } from '../../support/chart/render.ts'
import { auditSecrets } from '../../support/gittarget/audit-secrets.ts'
import { startService } from '../../support/processes/service-process.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { freePort } from '../../support/testbed/free-port.ts'
import { connectionTo, createNamespace, installKinds } from '../../support/testbed/server.ts'
import { isFull } from '../../support/tier.ts'

let server: EmbeddedServer
let postgres: LocalPostgres
let client: KubeClient
let directory: string

beforeAll(async () => {
  const log = silentLogger
  directory = await mkdtemp(join(tmpdir(), 'agents-rendered-'))
  ;[server, postgres] = await Promise.all([
    startEmbeddedServer(),
    startPostgres({ directory: join(directory, 'postgres'), log }),
  ])
  client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
  await installKinds(client, [...kinds, ...mirrorKinds])
  await createNamespace(client, 'agents')
  for (const [key, text] of Object.entries(auditSecrets())) {
    await writeFile(join(directory, key), text)
  }
})

afterAll(async () => {
  client?.close()
  await server?.stop()
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

const overlay = parse(
  await readFile(
    join(import.meta.dirname, '../../../argocd/applications/agents/values.yaml'),
    'utf8',
  ),
)
/** The processes of these are those of others, with fewer or other settings. */
const furtherProfiles: Record<string, unknown> = {
  controllers: valuesFile('ci/controllers-values.yaml'),
  dev: valuesFile('values-dev.yaml'),
  kind: valuesFile('values-kind.yaml'),
  ci: valuesFile('values-ci.yaml'),
  prod: { ...valuesFile('values-prod.yaml'), image: overlay.image, runtime: overlay.runtime },
}
const profiles: Record<string, unknown> = {
  default: valuesFile('ci/default-values.yaml'),
  everything: valuesFile('ci/everything-values.yaml'),
  'the GitOps overlay': overlay,
  ...(isFull && furtherProfiles),
}

describe.each(Object.entries(profiles))('with the profile %s', (_name, values) => {
  test('every process starts, becomes ready and stops with the rendered environment', async () => {
    const rendered = await render(values)
    expect(rendered.errors).toBe('')
    const workloads = rendered.objects.filter(({ kind }) => kind === 'Deployment')
    expect(workloads.length).toBeGreaterThan(0)
    for (const { metadata, spec } of workloads) {
      const pod = (spec as { template: { spec: PodSpec } }).template.spec
      const [container] = pod.containers
      const source = container?.command?.at(-1) ?? ''
      const isMirror = source.includes('gittarget')
      const names = isMirror
        ? (['GITTARGET_PORT', 'GITTARGET_HTTP_HOST'] as const)
        : (['PORT', 'JANGAR_HTTP_HOST'] as const)
      const environment = { ...resolved(container?.env ?? []), ...(await outside(isMirror)) }
      const started = startService(source, environment, ...names)
      await expect
        .poll(() => started.probe('/readyz'), { timeout: 200_000, message: metadata.name })
        .toBe(200)
      expect(started.text(), metadata.name).not.toContain('unknown variable')
      // The first log line contains the mode, in text or JSON.
      const mode = `migrations"?[=:] ?"?${environment.JANGAR_MIGRATIONS}`
      if (!isMirror) expect(started.text().split('\n')[0]).toMatch(new RegExp(mode))
      started.child.kill('SIGTERM')
      expect(await started.ended, metadata.name).toBe(0)
    }
  })
})

/** The environment that a pod gets from its node: a cluster, a writable disk and ports. */
async function outside(isMirror: boolean): Promise<Record<string, string>> {
  const common = { KUBECONFIG: server.kubeconfigPath, HOME: directory, PGSSLMODE: 'disable' }
  if (isMirror) {
    return {
      ...common,
      GITTARGET_STATE_DIR: join(directory, 'mirror'),
      GITTARGET_AUDIT_WEBHOOK_HOST: '127.0.0.1',
      GITTARGET_AUDIT_WEBHOOK_PORT: String(await freePort()),
    }
  }
  return {
    ...common,
    JANGAR_GRPC_HOST: '127.0.0.1',
    JANGAR_GRPC_PORT: String(await freePort()),
    JANGAR_API_HOST: '127.0.0.1',
    JANGAR_API_PORT: String(await freePort()),
  }
}

/** Resolves variables as the kubelet would; any Secret for the database resolves to the test database. */
function resolved(variables: readonly EnvVar[]): Record<string, string> {
  const entries = variables.flatMap(({ name, value, valueFrom }): [string, string][] => {
    if (name === 'DATABASE_URL') return [[name, postgres.url]]
    if (name === 'PGSSLROOTCERT' || name === 'PGSSLMODE') return []
    // Mounted Secrets are in the folder of the test.
    if (value !== undefined && /^\/etc\/(gittarget|agents\/api-tls)\//.test(value))
      return [[name, join(directory, basename(value))]]
    if (value !== undefined) return [[name, value]]
    const { fieldRef } = (valueFrom ?? {}) as { fieldRef?: { fieldPath: string } }
    return fieldRef ? [[name, fieldRef.fieldPath.endsWith('namespace') ? 'agents' : 'pod-0']] : []
  })
  return Object.fromEntries(entries)
}
