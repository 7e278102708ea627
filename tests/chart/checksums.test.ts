import { createHash } from 'node:crypto'
import { type RenderedObject, readManifest } from '@agents/chart-tools'
import { beforeAll, describe, expect, test } from 'vitest'
import { objectDigest } from '../../apps/agentctl/src/chart/object-digest.ts'
import { chart, find, render } from '../support/chart/render.ts'
import { annotationsOf, podOf } from '../support/chart/workload.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../support/testbed/embedded-server.ts'
import { runTool } from '../support/tools/run-tool.ts'

const timeout = 60_000
const long = `a-secret-with-a-name-that-is-quite-long-${'x'.repeat(40)}`
const hex = 'c'.repeat(64)

async function annotations(
  values: unknown,
): Promise<Record<'plane' | 'workers', Readonly<Record<string, string>>>> {
  const { objects, errors } = await render(values)
  expect(errors).toBe('')
  const of = (name: string) => annotationsOf(podOf(find(objects, 'Deployment', name)))
  return { plane: of('agents'), workers: of('agents-controllers') }
}

/** The annotation that holds the digest of a Secret; a long name is cut and its digest appended. */
function checksumAnnotation(name: string): string {
  const part = `secret-${name}`
  if (part.length <= 63) return `checksum/${part}`
  const digest = createHash('sha256').update(part).digest('hex')
  return `checksum/${part.slice(0, 54).replace(/-$/, '').replace(/\.$/, '')}-${digest.slice(0, 8)}`
}

describe('annotations of pod templates', () => {
  const url = 'postgres://agents:p<>&"w@db.test/agents'
  const values = {
    controllers: { enabled: true },
    database: { url, createSecret: { enabled: true } },
    rolloutChecksums: {
      enabled: true,
      secrets: ['agents-github-token-env', { name: 'given', checksum: hex }, long],
      configMaps: [{ name: 'flags', components: ['controllers'] }],
      values: { configmap: { flags: 'd'.repeat(64) } },
    },
  }
  let seen: Awaited<ReturnType<typeof annotations>>

  beforeAll(async () => {
    seen = await annotations(values)
  }, timeout)

  test('cover exactly the listed objects and those that the chart renders itself', () => {
    expect(Object.keys(seen.plane).toSorted()).toEqual(
      ['agents-database', 'agents-github-token-env', 'given', long]
        .map((name) => checksumAnnotation(name))
        .toSorted(),
    )
    expect(seen.workers).toEqual({ ...seen.plane, 'checksum/configmap-flags': 'd'.repeat(64) })
  })

  test('contain the same digest as other tools compute', () => {
    const owned = objectDigest({ kind: 'Secret', stringData: { url } })
    expect(seen.plane['checksum/secret-agents-database']).toBe(owned)
    expect(seen.plane['checksum/secret-given']).toBe(hex)
    for (const value of Object.values(seen.workers)) expect(value).toMatch(/^[a-f0-9]{64}$/)
  })

  test('change with the object, and only with it', { timeout }, async () => {
    const other = structuredClone(values)
    other.database.url = `${url}?sslmode=require`
    const after = await annotations(other)
    const moved = Object.keys(after.plane).filter((key) => after.plane[key] !== seen.plane[key])
    expect(moved).toEqual(['checksum/secret-agents-database'])
  })

  test('are absent unless enabled', { timeout }, async () => {
    const off = { ...values, rolloutChecksums: { ...values.rolloutChecksums, enabled: false } }
    expect(await annotations(off)).toEqual({ plane: {}, workers: {} })
  })
})

test('Reloader gets the same names, on the Deployment', { timeout }, async () => {
  const { objects } = await render({
    reloader: { enabled: true },
    rolloutChecksums: { secrets: ['a', 'b'], configMaps: ['c'] },
  })
  expect(annotationsOf(find(objects, 'Deployment', 'agents'))).toEqual({
    'secret.reloader.stakater.com/reload': 'a,b',
    'configmap.reloader.stakater.com/reload': 'c',
  })
})

describe('with access to a cluster', () => {
  let server: EmbeddedServer
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tokens' },
    stringData: { a: '1', b: '2' },
  }
  const flags = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'flags' },
    data: { text: 'ümlaut <&>' },
    binaryData: { bytes: 'AAEC' },
  }

  beforeAll(async () => {
    server = await startEmbeddedServer()
    const { code, stderr } = await runTool(['kubectl', '1.36'], ['create', '-f', '-'], {
      kubeconfig: server.kubeconfigPath,
      stdin: [secret, flags].map((object) => JSON.stringify(object)).join('\n'),
    })
    expect([code, stderr]).toEqual([0, ''])
    return () => server.stop()
  }, timeout)

  test('digests of live objects are used', { timeout }, async () => {
    const values = {
      rolloutChecksums: {
        enabled: true,
        lookup: true,
        strict: true,
        secrets: [{ name: 'tokens', keys: ['b'] }],
        configMaps: ['flags'],
      },
    }
    const args = [
      'install',
      'agents',
      chart,
      '--dry-run=server',
      '--namespace',
      'default',
      '--skip-crds',
      '--values',
      '-',
      '--output',
      'json',
    ]
    const { stdout, stderr } = await runTool(['helm', '4'], args, {
      kubeconfig: server.kubeconfigPath,
      stdin: JSON.stringify(values),
    })
    expect(stderr).not.toContain('Error')
    expect(stdout).toContain(objectDigest({ kind: 'Secret', stringData: secret.stringData }, ['b']))
    expect(stdout).toContain(
      objectDigest({ kind: 'ConfigMap', data: flags.data, binaryData: flags.binaryData }),
    )
  })
})

describe('NOTES', () => {
  async function notes(values: unknown): Promise<string> {
    const args = [
      'install',
      'agents',
      chart,
      '--dry-run=client',
      '--namespace',
      'agents',
      '--values',
      '-',
    ]
    const { stdout } = await runTool(['helm', '4'], args, { stdin: JSON.stringify(values) })
    return stdout.slice(stdout.indexOf('NOTES:'))
  }

  test('say where audit events are received', { timeout }, async () => {
    const auditWebhook = { enabled: true, tlsSecret: { name: 'a' }, tokenSecret: { name: 'b' } }
    const text = await notes({ gitTargetController: { enabled: true, auditWebhook } })
    expect(text).toContain('at https://agents-gittarget-audit.agents.svc:8443/audit\n')
    expect(await notes({ gitTargetController: { enabled: true } })).not.toContain('Audit events')
  })

  test('show the migration mode, what restarts pods, and probable mistakes', {
    timeout,
  }, async () => {
    const text = await notes({
      controllers: { enabled: true },
      controlPlane: { env: { vars: { JANGAR_MIGRATIONS: 'skip' } } },
      rolloutChecksums: { enabled: true, secrets: ['unknown', { name: 'known', checksum: hex }] },
      envFromSecretRefs: ['uncovered'],
      env: { vars: { REFERS: '$(NOWHERE) $(NODE_ENV) $$(text)' } },
    })
    expect(text).toMatch(/Deployment agents\n.*\n {2}migrations {2}skip\n/)
    expect(text).toMatch(/Deployment agents-controllers\n.*\n {2}migrations {2}skip\n/)
    expect(text).toMatch(/secret unknown {2}WARNING/)
    expect(text).not.toMatch(/secret known {2}WARNING/)
    expect(text).toContain('WARNING: pods use the secret uncovered')
    expect(text.match(/REFERS of controlPlane refers to .*/g)).toEqual([
      expect.stringContaining('$(NOWHERE)'),
    ])
    expect(text).toContain(
      'kubectl apply --server-side --force-conflicts --field-manager=agents-crds -f charts/agents/crds',
    )
  })

  test('warn about a list that is not enabled', { timeout }, async () => {
    expect(await notes({ rolloutChecksums: { secrets: ['a'] } })).toContain('is not enabled')
  })

  test('consider other users of the list', { timeout }, async () => {
    const listed = await notes({
      rolloutChecksums: { secrets: ['a'] },
      configReload: { mode: 'exit' },
      envFromSecretRefs: ['uncovered'],
    })
    expect(listed).not.toContain('is not enabled')
    expect(listed).toContain('WARNING: pods use the secret uncovered')
    expect(await notes({ configReload: { mode: 'exit' } })).toContain('lists no objects')
  })

  test('contain a command that shows the Roles which have to be created separately', {
    timeout,
  }, async () => {
    const values = {
      controllers: { enabled: true },
      gitTargetController: { enabled: true },
      configReload: { mode: 'exit' },
      rolloutChecksums: { secrets: ['a'] },
      rbac: { create: false },
    }
    const [, command = ''] =
      /^ {2}helm get values .* \| helm (.*)$/m.exec(await notes(values)) ?? []
    const args = command.replace('charts/agents', chart).split(' ')
    const { stdout } = await runTool(['helm', '4'], args, { stdin: JSON.stringify(values) })
    const access = (objects: readonly RenderedObject[]) =>
      objects
        .filter(({ kind }) => /Role(Binding)?$/.test(kind))
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
        .toSorted()
    const { objects } = await render({ ...values, rbac: { create: true } })
    expect(access(readManifest(stdout)).length).toBeGreaterThan(10)
    expect(access(readManifest(stdout))).toEqual(access(objects))
  })

  test('explain how definitions are upgraded', { timeout }, async () => {
    const text = await notes({ crds: { upgradeJob: { enabled: true } } })
    expect(text).toContain('The Job agents-crds')
    expect(text).not.toContain('kubectl apply')
  })
})
