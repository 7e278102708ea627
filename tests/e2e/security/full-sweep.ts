import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kinds } from '@agents/gittarget-api'
import { JobKind, type KubeClient, PodKind } from '@agents/kube'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { expect, onTestFinished } from 'vitest'
import { GitTargetKind } from '../../support/gittarget/test-bed.ts'
import { type ServiceProcess, startService } from '../../support/processes/service-process.ts'
import {
  namespace,
  runKind,
  type ServerName,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { installKinds } from '../../support/testbed/server.ts'
import { startSpanReceiver } from '../tracing/span-receiver.ts'
import { startGuardedRemote } from './guarded-remote.ts'
import { createMarkedWork, expectedPhases, leakSource, newMarkedSecrets } from './marked-work.ts'
import { filesGivingAway, leftByPods, markersIn, objectsOf } from './marker-secrets.ts'
import { type Sighting, watchProcesses } from './process-watch.ts'
import { writePrograms } from './run-programs.ts'
import { archivedRuns, databaseText, objectsGivingAway } from './shown-data.ts'

/** Generous, because the machine may be busy. */
const pollOptions = { timeout: 180_000, interval: 200 }

/** The user of agents, and the one of checkout and publish. */
const [agentUser, publishUser] = [65532, 65533]

/** Runs a whole platform with marked Secrets, then searches everything that it has written or shown for them. */
export async function sweepEverything(server: ServerName): Promise<void> {
  const marked = newMarkedSecrets()
  const markers = Object.values(marked)
  const found = (text: string): string[] => markersIn(markers, text)
  const folder = await mkdtemp(join(tmpdir(), 'agents-sweep-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755)
  const place = (name: string): string => join(folder, name)
  for (const name of ['temporary', 'runs', 'mirrors', 'mirror-state']) await mkdir(place(name))
  await writeFile(place('stamp'), '')
  const log = silentLogger
  const postgres = await startPostgres({ directory: place('postgres'), log })
  onTestFinished(() => postgres.stop())
  const remote = await startGuardedRemote(place('runs'), marked.repository.value)
  onTestFinished(() => remote.stop())
  const mirror = await startGuardedRemote(place('mirrors'), marked.mirror.value)
  onTestFinished(() => mirror.stop())
  const receiver = await startSpanReceiver()
  onTestFinished(() => receiver.stop())
  const bin = await writePrograms(place('bin'))
  await writeFile(join(bin, 'leak.mjs'), leakSource)

  const platform = await startRunPlatform(server)
  onTestFinished(() => platform.stop())
  const { client } = platform
  await installKinds(client, kinds)
  await platform.startNode([], bin)
  const settings = {
    KUBECONFIG: platform.kubeconfigPath,
    TMPDIR: place('temporary'),
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  }
  const { controllers, operator } = await startServices(settings, postgres, place('mirror-state'))

  const watch = watchProcesses(markers)
  await createMarkedWork(client, marked, {
    ...{ repository: remote.url, mirror: mirror.url, bin, database: postgres.port },
  })
  await expect.poll(() => phases(client), pollOptions).toEqual(expectedPhases)
  await expect.poll(() => isMirrored(client), pollOptions).toBe(true)
  const names = Object.keys(expectedPhases)
  await expect.poll(() => archivedRuns(postgres.url), pollOptions).toEqual(names.toSorted())
  const sightings = await watch.stop()

  // A program may choose to write anything to its termination message, which is in the status of its pod.
  await removeJob(client, platform.stateDir, 'bare-message')

  // The markers must have been in use, or there would be nothing to find.
  const raw = await filesGivingAway(markers, platform.stateDir)
  // The runner masks the output that it passes on; without it the output is unmasked.
  const unmasked = ['bare-failing', 'bare-good', 'steps-failing']
  expect(await runsOf(client, raw.filter(isOutput)), 'printed it').toEqual(unmasked)
  expect(await quoted(client, 'bare-message'), 'quoted and masked').toContain('***')
  expect(seenIn(sightings, 'environ', agentUser)).toEqual(['agent'])
  expect(seenIn(sightings, 'environ', publishUser)).toEqual(['repository'])
  expect(remote.branches()).toContain('agents/repository-good')
  const mirrored = objectsOf(join(place('mirrors'), 'owner', 'app.git'))
  expect(mirrored).toContain('ENC[AES256_GCM')
  expect(mirrored).toContain('bystander')

  const metrics = await Promise.all([controllers, operator].map(metricsOf))
  for (const service of [controllers, operator]) {
    service.child.kill('SIGTERM')
    expect(await service.ended).toBe(0)
  }
  const services = new Set(receiver.spans.map(({ service }) => service))
  expect(services).toEqual(new Set(['agents-controllers', 'agents-gittarget']))
  expect({
    'objects of the API': await objectsGivingAway(client, found),
    database: found(await databaseText(postgres.url)),
    'log of the controllers': found(controllers.text()),
    'log of gittarget': found(operator.text()),
    metrics: found(metrics.join('\n')),
    traces: found(JSON.stringify(receiver.spans)),
    'temporary files': await filesGivingAway(markers, place('temporary')),
    'temporary files of pods': await temporaryFilesOfPods(place('stamp'), platform.stateDir, found),
    'state of gittarget': await filesGivingAway(markers, place('mirror-state')),
    'mirrored objects': found(mirrored),
    'age identities': /AGE-SECRET-KEY-1|QUdFLVNFQ1JFVC1LRVkt/.exec(mirrored) ?? [],
    'objects of the repository': found(objectsOf(join(place('runs'), 'owner', 'app.git'))),
    'state of the node': raw.filter((path) => !isOutput(path)),
    processes: sightings.filter((one) => isForeign(one, platform.stateDir)),
  }).toEqual({
    'objects of the API': [],
    database: [],
    'log of the controllers': [],
    'log of gittarget': [],
    metrics: [],
    traces: [],
    'temporary files': [],
    'temporary files of pods': [],
    'state of gittarget': [],
    'mirrored objects': [],
    'age identities': [],
    'objects of the repository': [],
    'state of the node': [],
    processes: [],
  })
}

/** Whether the file is the raw output of an agent's container, which the agent controls. */
function isOutput(path: string): boolean {
  return /\/containers\/agent-runner\/\d+\/log\.\d+$/.test(path)
}

function seenIn(
  sightings: readonly Sighting[],
  where: Sighting['where'],
  user: number,
): readonly string[] {
  const those = sightings.filter((one) => one.where === where && one.uid === user)
  return [...new Set(those.flatMap(({ markers }) => markers))].toSorted()
}

/**
 * Whether a marker is where it must not be. No argument may contain a Secret. A variable may, in processes of the
 * container that was given it, in the shell of the node that becomes such a process, and in git of the operator.
 */
function isForeign({ where, uid, command, markers }: Sighting, stateDir: string): boolean {
  if (where === 'argv') return true
  if (uid === agentUser) return markers.some((name) => name !== 'agent')
  if (uid === publishUser) return markers.some((name) => name !== 'repository')
  if (uid !== process.getuid?.()) return true
  const starts = new RegExp(`${stateDir}/pods/[^/]+/containers/|^/bin/sh -c \\n_agents_dir=`)
  if (starts.test(command)) return markers.some((name) => !['agent', 'repository'].includes(name))
  return !/^(\S*\/)?git\b/.test(command) || markers.some((name) => name !== 'mirror')
}

async function startServices(
  settings: Readonly<Record<string, string>>,
  postgres: LocalPostgres,
  stateDir: string,
): Promise<{ controllers: ServiceProcess; operator: ServiceProcess }> {
  const database = { DATABASE_URL: postgres.url, PGSSLMODE: 'disable' }
  const migrate = startService('services/jangar/src/main/migrate.ts', database)
  expect(await migrate.ended).toBe(0)
  const controllers = startService('services/jangar/src/main/controllers.ts', {
    ...unlimited,
    ...settings,
    ...database,
    JANGAR_LOG_LEVEL: 'debug',
    JANGAR_AGENTS_CONTROLLER_NAMESPACES: namespace,
    JANGAR_LEADER_ELECTION_ENABLED: 'false',
  })
  const operator = startService(
    'services/gittarget/src/main/operator.ts',
    {
      ...settings,
      GITTARGET_LOG_LEVEL: 'debug',
      GITTARGET_STATE_DIR: stateDir,
      GITTARGET_ALLOW_FILE_REPOSITORIES: 'true',
      GITTARGET_LEADER_ELECTION_ENABLED: 'false',
    },
    'GITTARGET_PORT',
    'GITTARGET_HTTP_HOST',
  )
  return { controllers, operator }
}

async function metricsOf({ port }: ServiceProcess): Promise<string> {
  const text = await (await fetch(`http://127.0.0.1:${await port}/metrics`)).text()
  expect(text).toContain('# TYPE')
  return text
}

async function temporaryFilesOfPods(
  stamp: string,
  stateDir: string,
  found: (text: string) => string[],
): Promise<string[]> {
  const hits: string[] = []
  for (const path of leftByPods(tmpdir(), stamp)) {
    const isOfNode = path.startsWith(stateDir)
    const text = await readFile(path, 'latin1').catch(() => '')
    if (!isOfNode && found(text).length > 0) hits.push(path)
  }
  return hits
}

async function quoted(client: KubeClient, name: string): Promise<string> {
  const { status } = await client.get(runKind, { namespace, name })
  return JSON.stringify(status?.conditions)
}

/** Deletes the Job with its pods and their files on the node. */
async function removeJob(client: KubeClient, stateDir: string, run: string): Promise<void> {
  const labelSelector = `agents.proompteng.ai/agent-run=${run}`
  const { items: pods } = await client.list(PodKind, { namespace, labelSelector })
  const { items: jobs } = await client.list(JobKind, { namespace, labelSelector })
  for (const { metadata } of jobs) {
    await client.delete(JobKind, metadata, { propagationPolicy: 'Background' })
  }
  const folders = pods.map(({ metadata }) => join(stateDir, 'pods', String(metadata.uid)))
  expect(folders.filter((folder) => existsSync(folder))).not.toEqual([])
  await expect.poll(() => folders.filter((folder) => existsSync(folder)), pollOptions).toEqual([])
}

/** The runs whose containers printed an unmasked marker. */
async function runsOf(client: KubeClient, paths: readonly string[]): Promise<unknown[]> {
  const { items: pods } = await client.list(PodKind, { namespace })
  const those = pods.filter(({ metadata }) =>
    paths.some((path) => path.includes(`/${metadata.uid}/`)),
  )
  const runs = those.map(({ metadata }) => metadata.labels?.['agents.proompteng.ai/agent-run'])
  return [...new Set(runs)].toSorted()
}

async function phases(client: KubeClient): Promise<Record<string, unknown>> {
  const { items } = await client.list(runKind, { namespace })
  return Object.fromEntries(items.map((run) => [run.metadata.name, run.status?.phase]))
}

async function isMirrored(client: KubeClient): Promise<boolean> {
  const { status } = await client.get(GitTargetKind, { namespace, name: 'mirror' })
  return (status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True')
}
