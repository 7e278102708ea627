import { join } from 'node:path'
import { agent, agentProvider, memory, versionControlProvider } from '@agents/jangar-api'
import { type KubeClient, kindRef, SecretKind } from '@agents/kube'
import { GitProviderKind, GitTargetKind, WatchRuleKind } from '../../support/gittarget/test-bed.ts'
import { createRun, namespace } from '../../support/run-platform/run-platform.ts'
import { type Marker, newMarker, newPlainMarker } from './marker-secrets.ts'

/** One marker for each way in which the platform uses a Secret. */
interface MarkedSecrets {
  /** Passed to agents, which print it. */
  readonly agent: Marker
  /** Password of the repository that runs work in. */
  readonly repository: Marker
  /** Password of the repository that the namespace is mirrored to. */
  readonly mirror: Marker
  /** Password in the address of a Memory. */
  readonly memory: Marker
  /** Used only by the mirror, which encrypts it. */
  readonly bystander: Marker
}

export function newMarkedSecrets(): MarkedSecrets {
  return {
    agent: newMarker('agent'),
    repository: newPlainMarker('repository'),
    mirror: newPlainMarker('mirror'),
    memory: newPlainMarker('memory'),
    bystander: newMarker('bystander'),
  }
}

/** A program that prints its Secret as failing programs do, and writes it to its termination message on request. */
export const leakSource = `
import { writeFileSync } from 'node:fs'
const value = process.env.MARKED_TOKEN
const bytes = Buffer.from(value)
const spellings = [
  value,
  bytes.toString('base64'),
  Buffer.from(value + '\\n').toString('base64'),
  bytes.toString('base64url'),
  bytes.toString('hex'),
  bytes.toString('hex').toUpperCase(),
  encodeURIComponent(value),
  JSON.stringify({ value }),
  'Authorization: Basic ' + Buffer.from('x-access-token:' + value).toString('base64'),
  'Authorization: Basic ' + Buffer.from('me:' + value).toString('base64'),
]
for (const stream of [process.stdout, process.stderr]) stream.write(spellings.join('\\n') + '\\n')
if (process.argv[3] === 'message') {
  writeFileSync(process.env.AGENT_TERMINATION_MESSAGE_PATH, spellings.join(' '))
}
process.exitCode = Number(process.argv[2])
`

/** The expected phases of the runs. */
export const expectedPhases: Readonly<Record<string, string>> = {
  'bare-failing': 'Failed',
  'bare-good': 'Succeeded',
  'bare-message': 'Failed',
  'runner-failing': 'Failed',
  'runner-good': 'Succeeded',
  'steps-failing': 'Failed',
  'repository-good': 'Succeeded',
  'repository-failing': 'Failed',
  'repository-unknown': 'Failed',
}

interface Places {
  readonly repository: string
  readonly mirror: string
  /** Path of the folder with the program that leaks. */
  readonly bin: string
  /** Port of a database that does not accept the password. */
  readonly database: number
}

export async function createMarkedWork(
  client: KubeClient,
  marked: MarkedSecrets,
  places: Places,
): Promise<void> {
  await createSecrets(client, marked, places.database)
  await createMirror(client, places.mirror)
  await client.create(kindRef(versionControlProvider), {
    metadata: { name: 'hub', namespace },
    spec: {
      provider: 'github',
      cloneBaseUrl: places.repository,
      auth: { token: { secretRef: { name: 'repository' } } },
      defaults: { baseBranch: 'main' },
    },
  } as never)
  await client.create(kindRef(memory), {
    metadata: { name: 'refused', namespace },
    spec: { type: 'postgres', connection: { secretRef: { name: 'memory', key: 'url' } } },
  } as never)
  await client.create(kindRef(agentProvider), {
    metadata: { name: 'with-runner', namespace },
    spec: {
      binary: 'agent-runner',
      argsTemplate: ['--', '/bin/sh', '-c', '{{ inputs.script }}'],
    },
  } as never)
  await client.create(kindRef(agent), {
    metadata: { name: 'with-runner', namespace },
    spec: { providerRef: { name: 'with-runner' } },
  } as never)
  await createRuns(client, places.bin)
}

async function createRuns(client: KubeClient, bin: string): Promise<void> {
  const leak = (code: number): string =>
    `sleep 0.3; '${process.execPath}' '${join(bin, 'leak.mjs')}' ${code}`
  const secrets = ['agent']
  const agentRef = { name: 'with-runner' }
  const inRepository = (name: string, script: string, repository = 'owner/app') =>
    createRun(client, name, '', {
      agentRef,
      secrets,
      vcsRef: { name: 'hub' },
      parameters: { script, repository },
    } as never)
  await createRun(client, 'bare-failing', leak(3), { secrets })
  await createRun(client, 'bare-good', leak(0), { secrets })
  await createRun(client, 'bare-message', `${leak(3)} message`, { secrets })
  await createRun(client, 'runner-failing', leak(3), { agentRef, secrets })
  await createRun(client, 'runner-good', leak(0), { agentRef, secrets })
  await createRun(client, 'steps-failing', '', {
    secrets,
    runtime: { type: 'workflow' },
    parameters: {},
    workflow: {
      steps: [
        { name: 'first', parameters: { script: leak(0) } },
        { name: 'second', parameters: { script: leak(4) } },
      ],
    },
  } as never)
  await inRepository('repository-good', `${leak(0)}; echo more >> README.md`)
  await inRepository('repository-failing', `echo more >> README.md; ${leak(5)}`)
  await inRepository('repository-unknown', leak(0), 'owner/missing')
}

async function createSecrets(
  client: KubeClient,
  marked: MarkedSecrets,
  database: number,
): Promise<void> {
  const values = {
    agent: { MARKED_TOKEN: marked.agent.value },
    repository: { token: marked.repository.value },
    mirror: { username: 'x-access-token', password: marked.mirror.value },
    memory: { url: `postgres://nobody:${marked.memory.value}@127.0.0.1:${database}/agents` },
    bystander: { password: marked.bystander.value },
  }
  for (const [name, stringData] of Object.entries(values)) {
    await client.create(SecretKind, { metadata: { name, namespace }, stringData } as never)
  }
}

/** Mirrors everything in the namespace that is related to the work, including the Secrets. */
async function createMirror(client: KubeClient, url: string): Promise<void> {
  await client.create(GitProviderKind, {
    metadata: { name: 'mirror', namespace },
    spec: {
      url: `${url}/owner/app.git`,
      allowedBranches: ['mirror'],
      secretRef: { name: 'mirror' },
      push: { commitWindow: '100ms', maxWindow: '500ms' },
    } as never,
  })
  await client.create(GitTargetKind, {
    metadata: { name: 'mirror', namespace },
    spec: {
      providerRef: { name: 'mirror' },
      ...{ branch: 'mirror', path: 'cluster' },
      encryption: { provider: 'sops', secretRef: { name: 'mirror-age' }, autoCreate: true },
    } as never,
  })
  await client.create(WatchRuleKind, {
    metadata: { name: 'mirror', namespace },
    spec: {
      targetRef: { name: 'mirror' },
      rules: [
        { resources: ['secrets', 'configmaps'], excludeNames: ['kube-root-ca.crt'] },
        { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns', 'memories'] },
      ],
    } as never,
  })
}
