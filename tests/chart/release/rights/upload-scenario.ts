import { createHash } from 'node:crypto'
import { type AgentRun, type Artifact, agentRun, artifact } from '@agents/jangar-api'
import { bearer, kindRef, type Pod, PodKind } from '@agents/kube'
import { expect } from 'vitest'
import type { Release } from './released-processes.ts'

const namespace = 'agents'
const runs = kindRef<AgentRun>(agentRun)
const artifacts = kindRef<Artifact>(artifact)
const pollOptions = { timeout: 180_000, interval: 250 }

/** Reports usage while it works, and leaves a file. */
const script = `
echo kept > result.txt
n=0
while [ $n -lt 20 ]; do
  n=$((n + 1))
  echo "{\\"usage\\": {\\"inputTokens\\": $n, \\"turns\\": 1}}" > "$AGENT_REPORT_PATH.new"
  mv "$AGENT_REPORT_PATH.new" "$AGENT_REPORT_PATH"
  sleep 1
done`

function named(kind: string, name: string, spec: object) {
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind,
    metadata: { name, namespace },
    spec,
  }
}

/** A run whose runner uploads a file and its output, and reports usage; a file that is uploaded twice; its end. */
export async function driveUploads(release: Release, url: string): Promise<void> {
  const { client, create, kubectl } = release
  await create(
    named('AgentProvider', 'runner', {
      binary: 'agent-runner',
      argsTemplate: ['--', '/bin/sh', '-c', script],
      outputArtifacts: [{ name: 'result.txt', path: 'result.txt' }],
    }),
    named('Agent', 'runner', { providerRef: { name: 'runner' } }),
    named('AgentRun', 'uploads', {
      agentRef: { name: 'runner' },
      implementation: { inline: { text: 'Keep a file.' } },
      runtime: { type: 'job' },
    }),
  )
  const run = () => client.get(runs, { namespace, name: 'uploads' })
  const kept = async (): Promise<readonly Artifact[]> =>
    (await client.list(artifacts, { namespace })).items
  await expect.poll(async () => (await run()).status?.progress, pollOptions).toBeDefined()
  const { items: pods } = await client.list(PodKind, { namespace })
  const pod = pods.find(({ metadata }) => metadata.name.startsWith('uploads-')) as Pod
  const token = await tokenOf(release, pod)
  for (const _time of ['first', 'again']) expect(await put(url, token, 'twice')).toBe(200)
  const ended = ['wait', 'agentrun/uploads', '--for=condition=Finished', '--timeout=180s']
  await kubectl(ended)
  await expect
    .poll(async () => (await kept()).map(({ spec }) => spec?.source?.name).toSorted(), pollOptions)
    .toEqual(['log', 'result.txt', 'transcript.md', 'twice'])
  await kubectl(['wait', '--all', 'artifacts', '--for=condition=Ready', '--timeout=180s'])
  await kubectl(['delete', 'agentrun', 'uploads', '--timeout=180s'])
  await expect.poll(kept, pollOptions).toEqual([])
}

async function tokenOf({ client }: Release, { metadata, spec }: Pod): Promise<string> {
  const account = spec?.serviceAccountName ?? 'default'
  const { bytes } = await client.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: ['agents.proompteng.ai'],
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: metadata.name },
      },
    },
  })
  return JSON.parse(bytes.toString('utf8')).status.token
}

async function put(url: string, token: string, content: string): Promise<number> {
  const sha256 = createHash('sha256').update(content).digest('hex')
  const sizeBytes = String(Buffer.byteLength(content))
  const query = new URLSearchParams({ type: 'file', name: content, sha256, sizeBytes })
  const { status } = await fetch(`${url}/v1/artifacts?${query}`, {
    method: 'PUT',
    headers: { authorization: bearer(token), 'content-type': 'application/octet-stream' },
    body: content,
  })
  return status
}
