import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kinds as mirrorKinds } from '@agents/gittarget-api'
import { kinds } from '@agents/jangar-api'
import { type Container, type EnvVar, PodKind, type PodSpec, SecretKind } from '@agents/kube'
import type { EngineName } from '@agents/local-node'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatformIn } from '../../support/agentctl/local-platform.ts'
import { render, valuesFile } from '../../support/chart/render.ts'
import { auditSecrets } from '../../support/gittarget/audit-secrets.ts'
import {
  type Archive,
  baseImage,
  debianArchive,
  importBaseImage,
} from '../../support/testbed/base-image.ts'
import { freePort } from '../../support/testbed/free-port.ts'
import { createNamespace, installKinds } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'
import { describePlatforms, type OnEngine } from '../local-node/engines.ts'
import { inDefault, isOver, logOf, untilObject } from '../local-node/platform.ts'
import { describeAgentImages, type ImageCli } from './agent-images.ts'

const repository = join(import.meta.dirname, '../../..')
/** The image in which the runs of the local platform run. */
const image = 'agents.local/agent-runner:local'

const base = await baseImage(repository)
const debian = await debianArchive(base)
const rendered = await render(valuesFile('ci/everything-values.yaml'))

interface ImageTests {
  /** The engines that build and run the image. */
  readonly engines: readonly EngineName[]
  /** The agent CLIs whose images are built on it. */
  readonly clis: readonly ImageCli[]
}

/** The image as an engine builds it from the Dockerfile. */
export async function testImage({ engines, clis }: ImageTests): Promise<void> {
  if (typeof debian === 'string') {
    test.skip(`SKIPPED: ${debian}`)
    return
  }
  await describePlatforms(
    'the image that the Dockerfile makes',
    (on) => describeImage(on, debian, clis),
    engines,
  )
}

function describeImage(on: OnEngine, archive: Archive, clis: readonly ImageCli[]): void {
  const { engine } = on
  let directory: string
  let postgres: LocalPostgres

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agents-image-engine-'))
    await importBaseImage(engine, base, archive)
    // The substitute for the base image has another digest.
    const building = engine.build(repository, image, [
      ...['--build-arg', 'BUILD_SHA=0123abc'],
      ...['--build-arg', `BASE_IMAGE=${base.reference}`],
    ])
    const log = silentLogger
    postgres = await startPostgres({ directory: join(directory, 'postgres'), log })
    const { client, server } = on.platform
    await installKinds(client, [...kinds, ...mirrorKinds])
    await createNamespace(client, 'agents')
    await client.create(SecretKind, {
      metadata: inDefault('cluster'),
      stringData: { kubeconfig: server.kubeconfig },
    })
    const stringData = auditSecrets()
    const secrets = ['gittarget-audit-tls', 'gittarget-audit-token', 'gittarget-audit-clients']
    for (const name of [...secrets, 'agents-api-tls'])
      await client.create(SecretKind, { metadata: inDefault(name), stringData })
    await building
  })
  afterAll(async () => {
    await postgres?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const shell = (script: string) =>
    engine.ask(['run', '--rm', '--network=host', ...confined, image, 'sh', '-c', script])
  const confined = [
    '--read-only',
    // Podman would add writable folders.
    ...(engine.name === 'podman' ? ['--read-only-tmpfs=false'] : []),
    '--cap-drop=ALL',
  ]

  test('has the Node version that the platform runs with elsewhere', async () => {
    expect(`v${base.nodeVersion}`).toBe(process.version)
    expect(await shell('node --version')).toBe(`${process.version}\n`)
  })

  test('declares its user, its command and the commit that it was built from', async () => {
    const config = JSON.parse(
      await engine.ask(['image', 'inspect', '--format', '{{json .Config}}', image]),
    )
    expect(config).toMatchObject({
      User: '65532:65532',
      WorkingDir: '/opt/agents',
      Cmd: ['node', 'services/jangar/src/main/controllers.ts'],
    })
    expect(config.Env).toContain('JANGAR_BUILD_SHA=0123abc')
  })

  test('contains what it needs, and nothing for developers only', async () => {
    expect(
      await shell('git --version; ssh -V 2>&1; ls /etc/ssl/certs/ca-certificates.crt'),
    ).toMatch(/^git version .*\nOpenSSH.*\n\/etc\/ssl\/certs\/ca-certificates.crt\n$/)
    const others = [
      'find packages services -name "*.test.ts"',
      'find node_modules -maxdepth 2 \\( -name vitest -o -name typescript -o -name biome \\)',
      'find / -xdev \\( -name .git -o -name "*.deb" \\) 2>/dev/null',
    ]
    expect(await shell(`${others.join('; ')}; true`)).toBe('')
    const top = (await shell('ls -A /opt/agents')).trim().split('\n').sort()
    expect(top).toEqual(
      [
        '.compiled',
        '.npmrc',
        'apps',
        'charts',
        'node_modules',
        'package-lock.json',
        'package.json',
        'packages',
        'services',
      ].sort(),
    )
  })

  test('contains the built console, and not what builds it', async () => {
    expect(
      await shell('ls apps/console; ls apps/console/dist; test ! -d node_modules/react'),
    ).toMatch(/^dist\nassets\nfavicon.svg\nindex.html\n/)
  })

  test('has no path that its user can write, except those that all users can write', async () => {
    const found = await shell('find / -xdev -writable -not -type l 2>/dev/null || true')
    const places = found
      .trim()
      .split('\n')
      .filter((path) => path !== '' && !/^\/(tmp|var\/tmp|dev|proc|run\/lock)(\/|$)/.test(path))
    expect(places).toEqual([])
  })

  test('starts its programs without compiling them', async () => {
    const loaded = `process.on('exit', () => { process.exitCode = process.moduleLoadList.some((name) => name.includes('amaro')) ? 3 : 4 })`
    const preload = `--import=data:text/javascript,${encodeURIComponent(loaded)}`
    for (const program of ['controllers', 'control-plane', 'runner']) {
      const command = ['node', preload, `services/jangar/src/main/${program}.ts`, '--help']
      const settings = [...confined, '--env', 'KUBECONFIG=/nonexistent']
      const run = engine.ask(['run', '--rm', '--network=host', ...settings, image, ...command])
      await expect(run, program).rejects.toMatchObject({ code: 4 })
    }
  })

  describe('as a pod of the chart', () => {
    const workloads = rendered.objects.filter(({ kind }) => kind === 'Deployment')
    const specOf = (one: (typeof workloads)[number]) =>
      (one.spec as { template: { spec: PodSpec } }).template.spec

    test('all processes are rendered', () => {
      expect(rendered.errors).toBe('')
      expect(workloads).toHaveLength(3)
    })

    test.each(workloads.map((one) => ({ name: one.metadata.name, spec: specOf(one) })))(
      '$name becomes ready, and exits on SIGTERM',
      async ({ name, spec }) => {
        const port = await freePort()
        await on.platform.client.create(PodKind, await podOfChart(name, spec, port))
        await until(async () => {
          const { status } = await on.platform.client.get(PodKind, inDefault(name))
          const { waiting, terminated } = status?.containerStatuses?.[0]?.state ?? {}
          const problem =
            waiting?.message ?? (terminated && (await logOf(on.platform.client, name)))
          if (problem !== undefined) throw new Error(problem)
          return (await probe(port)) === 200 ? true : undefined
        }, `waited in vain for: ${name} to be ready`)
        const names = await engine.ask(['ps', '--format', '{{.Names}}'])
        await engine.ask(['kill', '--signal', 'TERM', names.trim()])
        const pod = await untilObject(on.platform.client, PodKind, inDefault(name), isOver)
        expect(pod.status?.phase, await logOf(on.platform.client, name)).toBe('Succeeded')
      },
    )

    test.each(['migrate', 'crds'])('%s succeeds', async (program) => {
      const [workload] = workloads
      if (workload === undefined) throw new Error('there is no Deployment')
      const command = ['node', `services/jangar/src/main/${program}.ts`]
      const pod = await podOfChart(program, specOf(workload), 0, command)
      await on.platform.client.create(PodKind, pod)
      const { status } = await untilObject(on.platform.client, PodKind, inDefault(program), isOver)
      expect(status?.phase, await logOf(on.platform.client, program)).toBe('Succeeded')
    })

    /**
     * The pod as in the chart, but with this image, the test's cluster and database, and free ports on the host
     * network.
     */
    const podOfChart = async (name: string, spec: PodSpec, port: number, command?: string[]) => {
      const [container] = spec.containers
      if (container === undefined) throw new Error(`${name} has no container`)
      const mounts = (container.volumeMounts ?? []).filter((one) => one.name !== 'database-ca')
      const main: Container = {
        ...container,
        image,
        imagePullPolicy: 'Never',
        command: command ?? container.command ?? [],
        env: await environmentOf(container.env ?? [], port),
        envFrom: [],
        volumeMounts: [...mounts, { name: 'cluster', mountPath: '/cluster', readOnly: true }],
      }
      const volumes = (spec.volumes ?? []).filter((one) => one.name !== 'database-ca')
      return {
        metadata: inDefault(name),
        spec: {
          restartPolicy: 'Never' as const,
          automountServiceAccountToken: false,
          securityContext: spec.securityContext ?? {},
          containers: [main],
          volumes: [...volumes, { name: 'cluster', secret: { secretName: 'cluster' } }],
        },
      }
    }

    const environmentOf = async (variables: readonly EnvVar[], port: number): Promise<EnvVar[]> => {
      const own = {
        KUBECONFIG: '/cluster/kubeconfig',
        DATABASE_URL: postgres.url,
        PGSSLMODE: 'disable',
        PORT: String(port),
        JANGAR_HTTP_HOST: '127.0.0.1',
        JANGAR_GRPC_HOST: '127.0.0.1',
        JANGAR_GRPC_PORT: String(await freePort()),
        JANGAR_API_HOST: '127.0.0.1',
        JANGAR_API_PORT: String(await freePort()),
        GITTARGET_PORT: String(port),
        GITTARGET_HTTP_HOST: '127.0.0.1',
        GITTARGET_AUDIT_WEBHOOK_HOST: '127.0.0.1',
        GITTARGET_AUDIT_WEBHOOK_PORT: String(await freePort()),
      }
      const kept = variables.filter(
        ({ name, value, valueFrom }) =>
          !Object.hasOwn(own, name) &&
          name !== 'PGSSLROOTCERT' &&
          (value !== undefined || valueFrom?.fieldRef !== undefined),
      )
      return [...kept, ...Object.entries(own).map(([name, value]) => ({ name, value }))]
    }
  })

  // Large downloads, and nothing in them depends on the engine.
  if (engine.name === 'podman') describeAgentImages(engine, image, clis)

  test('executes a run of the local platform until its commit', async () => {
    const local = await startPlatformIn(engine.environment, '--container-runtime', engine.name)
    try {
      expect(local.up().stdout()).toMatch(/^committed [0-9a-f]{7,}$/m)
      const { stdout } = await local.agentctl('get', 'run', 'first-run', '-o', 'json')
      expect(JSON.parse(stdout).status).toMatchObject({ phase: 'Succeeded', attempts: 1 })
      const flags = ['--agent', 'scripted', '--text', 'Greet the reader', '--name', 'second']
      const second = await local.agentctl('run', ...flags)
      expect(second.code, second.stderr).toBe(0)
      expect(second.stdout).toContain('committed ')
    } finally {
      await local.remove()
    }
    expect(await engine.ask(['ps', '--all', '--quiet'])).toBe('')
  })
}

async function probe(port: number): Promise<number> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status,
    () => 0,
  )
}
